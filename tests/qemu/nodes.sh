#!/bin/sh
# Pages that are moved to another memory node: see tests/qemu/guest/nodes.sh.
# test: timeout=1500 matrix
. tests/qemu/lib

for kernel in 6.1 6.12; do
	in_vm vm_nodes $kernel full --nodes --add tests/live/lib -- tests/qemu/guest/nodes.sh
done
