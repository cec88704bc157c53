#!/bin/sh
# "X is slow": the commands of docs/x-is-slow.md on a disk that is slow find the cause that
# the page names.
# test: matrix
. tests/qemu/lib
in_vm vm_slow 6.12 voluntary --disk 64 --iops 50 --timeout 200 --add docs/x-is-slow.md -- \
	tests/qemu/guest/slow.sh
