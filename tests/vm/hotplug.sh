#!/bin/sh
# A CPU that goes and comes back while culprit samples.
. tests/vm/lib
in_vm vm_hotplug 6.12 voluntary --timeout 200 --add "$B/tests/work/calls" -- tests/vm/guest/hotplug.sh
