#!/bin/sh
# "X is slow": the commands of docs/x-is-slow.md on a disk that is slow find the cause that
# the page names.
# test: timeout=300
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_slow: no binary"
elif ! why=$(tests/vm/run --ready 6.12); then
	echo "skip vm_slow: $why"
else
	tests/vm/run 6.12 --append preempt=voluntary --disk 64 --iops 50 --timeout 200 \
		--add docs/x-is-slow.md -- tests/vm/guest/slow.sh >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok \(.*\)/ok vm_slow_\1/; s/^not ok \(.*\)/not ok vm_slow_\1/" "$TMP/out"
	[ $status = 0 ] || echo "not ok vm_slow: status $status"
fi
