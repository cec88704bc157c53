#!/bin/sh
# Every shipped tool on other kernels: the verifier takes its code, it runs for a second
# under load and ends with 0, and a count is exact.
# test: timeout=900
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_tools: no binary"
	exit 0
fi
names=$(for f in tools/*.q; do [ ! -e "$f" ] || basename "$f" .q; done)

one() { # KERNEL PREEMPT
	name=vm_tools_$1_$2
	if ! why=$(tests/vm/run --ready "$1"); then
		echo "skip $name: $why"
		return
	fi
	tests/vm/run "$1" --append "preempt=$2" --disk 64 --timeout 280 -- \
		tests/vm/guest/tools.sh $names >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok \(.*\)/ok ${name}_\1/; s/^not ok \(.*\)/not ok ${name}_\1/" "$TMP/out"
	[ $status = 0 ] || echo "not ok $name: status $status"
}

one 6.1 voluntary
one 6.12 voluntary
one 6.12 full
