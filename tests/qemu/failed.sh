#!/bin/sh
# Calls that fail are nothing that happened to a file: see tests/qemu/guest/failed.sh.
# test: timeout=1500 matrix
. tests/qemu/lib

for kernel in 6.1 6.12; do
	in_vm vm_failed $kernel full --disk 64 --add tests/live/lib -- tests/qemu/guest/failed.sh
done
