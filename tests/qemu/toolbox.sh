#!/bin/sh
# The tools over kernel functions, all of them at once, against known work: see
# tests/qemu/guest/toolbox.sh.
# test: timeout=4000 matrix
. tests/qemu/lib

one() { # KERNEL PREEMPT
	add=$(add_modules "$1")
	for file in $(command -v mkfs.xfs); do add="$add --add $file"; done
	in_vm vm_toolbox "$1" "$2" --disk 64 --timeout 480 --add tests/live/lib $add -- \
		tests/qemu/guest/toolbox.sh
}

one 6.1 voluntary
one 6.12 full
