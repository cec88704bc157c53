#!/bin/sh
# See tests/vm/quick. test: early timeout=5000
exec tests/vm/quick 6.1 voluntary kprobe tests/live/queries
