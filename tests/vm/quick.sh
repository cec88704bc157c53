#!/bin/sh
# On other kernels, in one boot each: every tool is taken by the verifier, attached and let
# go, and calls of kernel functions are counted exactly. The long tests beside this one show
# the rest. test: timeout=600
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_quick: no binary"
	exit 0
fi

one() { # KERNEL PREEMPT WAY
	name=vm_quick_$1_$2
	if ! why=$(tests/vm/run --ready "$1"); then
		echo "skip $name: $why"
		return
	fi
	tests/vm/run "$1" --append "preempt=$2" --disk 64 --timeout 280 --add tests/live --add tools \
		--add tests/vm/guest/kfunc.sh --add tests/vm/guest/live.sh -- \
		sh -c "sh tests/vm/guest/live.sh tools_load; sh tests/vm/guest/kfunc.sh $3" >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok \(.*\)/ok ${name}_\1/; s/^not ok \(.*\)/not ok ${name}_\1/; s/^skip /skip ${name}_/" "$TMP/out"
	[ $status = 0 ] || echo "not ok $name: status $status"
}

one 6.1 voluntary kprobe
one 6.12 full session
