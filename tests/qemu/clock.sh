#!/bin/sh
# The time of day of rows when somebody sets it. test: matrix
. tests/qemu/lib
in_vm vm_clock 6.12 voluntary -- tests/qemu/guest/clock.sh
