#!/bin/sh
# Kernel functions on other kernels: exact counts by each way of attachment, recursion,
# parameters, modules, and what cannot be traced.
# test: timeout=6000 matrix
. tests/qemu/lib

one() { # KERNEL PREEMPT BTRFS-MB WAY ...
	kernel=$1 preempt=$2 btrfs=$3
	shift 3
	in_vm vm_kfunc "$kernel" "$preempt" --disk 64 --btrfs "$btrfs" --timeout $((280 * $#)) \
		--add docs/language.md -- tests/qemu/guest/kfunc.sh "$@"
}

# One boot for each kernel and kind of preemption. A module takes a few seconds to load: with one
# kind of preemption is enough.
one 6.1 voluntary 128 fentry kprobe
one 6.1 full 0 rest
one 6.12 voluntary 128 fentry session multi kprobe rest
one 6.12 full 0 fentry kprobe
