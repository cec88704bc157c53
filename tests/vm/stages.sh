#!/bin/sh
# The stages on other kernels: what the verifier says, and that parts add up.
# test: timeout=900
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_stages: no binary"
	exit 0
fi

one() { # KERNEL PREEMPT
	name=vm_stages_$1_$2
	if ! why=$(tests/vm/run --ready "$1"); then
		echo "skip $name: $why"
		return
	fi
	tests/vm/run "$1" --append "preempt=$2" --disk 64 --timeout 280 \
		--add tests/live/queries --add tests/live/load --add tests/live/nest.awk -- \
		tests/vm/guest/stages.sh >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok \(.*\)/ok ${name}_\1/; s/^not ok \(.*\)/not ok ${name}_\1/" "$TMP/out"
	[ $status = 0 ] || echo "not ok $name: status $status"
}

one 6.1 voluntary
one 6.12 full
