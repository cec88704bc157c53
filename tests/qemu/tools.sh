#!/bin/sh
# The shipped tools on other kernels: an exact count, known work on two file systems, and where
# preemption is voluntary on 6.12 each tool for a second under load. With the other two
# tests/qemu/live runs them all, with each of their options, under load as well.
# test: timeout=3600 matrix
. tests/qemu/lib

one() { # KERNEL PREEMPT BTRFS-MB [TOOL ...]
	kernel=$1 preempt=$2 btrfs=$3
	shift 3
	in_vm vm_tools "$kernel" "$preempt" --disk 64 --btrfs "$btrfs" --timeout 280 -- \
		tests/qemu/guest/tools.sh "$@"
}

# Known work on two disks: with one kind of preemption is enough.
one 6.1 voluntary 128
# dbslower and mysqld_qslower need a server of their own: tests/live/usdt.sh
one 6.12 voluntary 128 $(ls tools | sed -n 's/\.q$//p' | grep -vx 'dbslower\|mysqld_qslower')
one 6.12 full 0
