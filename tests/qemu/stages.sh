#!/bin/sh
# The stages on other kernels: what the verifier says, and that parts add up.
# test: timeout=5000 matrix
. tests/qemu/lib

one() { # KERNEL PREEMPT
	in_vm vm_stages "$1" "$2" --disk 64 --timeout 500 --add tests/live/queries --add tests/live/load \
		--add tests/live/nest.awk -- tests/qemu/guest/stages.sh
}

one 6.1 voluntary
one 6.12 full
