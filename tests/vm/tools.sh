#!/bin/sh
# The shipped tools on other kernels: an exact count, known work on two file systems, and where
# preemption is voluntary on 6.12 each tool for a second under load. With the other two
# tests/vm/live runs them all, with each of their options, under load as well.
# test: timeout=900 long
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_tools: no binary"
	exit 0
fi
# dbslower and mysqld_qslower need a server of their own: tests/live/usdt.sh
names=$(ls tools | sed -n 's/\.q$//p' | grep -vx 'dbslower\|mysqld_qslower')

one() { # KERNEL PREEMPT TOOLS
	name=vm_tools_$1_$2
	if ! why=$(tests/vm/run --ready "$1"); then
		echo "skip $name: $why"
		return
	fi
	# known work on two disks: with one kind of preemption is enough
	btrfs=128
	[ "$2" != full ] || btrfs=0
	tests/vm/run "$1" --append "preempt=$2" --disk 64 --btrfs $btrfs --timeout 280 -- \
		tests/vm/guest/tools.sh $3 >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok /ok ${name}_/; s/^not ok /not ok ${name}_/; s/^skip /skip ${name}_/" "$TMP/out"
	[ $status = 0 ] || echo "not ok $name: status $status"
}

one 6.1 voluntary ''
one 6.12 voluntary "$names"
one 6.12 full ''
