#!/bin/sh
# User functions and static probes on other kernels: tests/live/ufunc.sh and usdt.sh there, with the ways of attachment
# that the kernel has.
# test: timeout=900 long
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_ufunc: no binary"
	exit 0
fi

one() { # KERNEL PREEMPT WAYS
	name=vm_ufunc_$1_$2
	if ! why=$(tests/vm/run --ready "$1"); then
		echo "skip $name: $why"
		return
	fi
	# the programs in the path there are stripped: this one is not
	tests/vm/run "$1" --append "preempt=$2" --timeout 400 --add tests/live \
		--add "$B/tests/work/calls" --add "$B/tests/work/probes" -- tests/vm/guest/ufunc.sh "$3" >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok \(.*\)/ok ${name}_\1/; s/^not ok \(.*\)/not ok ${name}_\1/" "$TMP/out"
	[ $status = 0 ] || echo "not ok $name: status $status"
}

one 6.1 voluntary 'best table'
one 6.12 voluntary 'best perf'
one 6.12 full best
