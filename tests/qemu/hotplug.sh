#!/bin/sh
# A CPU that goes and comes back while culprit samples.
. tests/qemu/lib
in_vm vm_hotplug 6.12 voluntary --timeout 200 --add "$B/tests/work/calls" -- tests/qemu/guest/hotplug.sh
