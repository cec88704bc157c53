#!/bin/sh
# The queries of load.sh without what only some kernels have. test: matrix
. tests/live/lib
needs_bpf live_load
sh tests/live/load tests/live/queries perf no_storage
