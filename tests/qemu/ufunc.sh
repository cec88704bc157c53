#!/bin/sh
# User functions and static probes on other kernels: tests/live/ufunc.sh and usdt.sh there, with the ways of attachment
# that the kernel has.
# test: timeout=3600 matrix
. tests/qemu/lib

one() { # KERNEL PREEMPT WAYS
	# the programs in the path there are stripped: this one is not
	in_vm vm_ufunc "$1" "$2" --timeout 400 --add tests/live --add "$B/tests/work/calls" \
		--add "$B/tests/work/probes" -- tests/qemu/guest/ufunc.sh "$3"
}

one 6.1 voluntary 'best table'
one 6.12 voluntary 'best perf'
one 6.12 full best
