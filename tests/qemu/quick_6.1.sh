#!/bin/sh
# See tests/qemu/quick. test: early timeout=5000
exec tests/qemu/quick 6.1 voluntary kprobe tests/live/queries
