#!/bin/sh
# Every tool with every set of its options passes the verifier here and is attached.
# test: matrix
. tests/live/lib
needs_bpf live_options
names=$(for f in tools/*.q; do basename "$f" .q; done)
sh tests/live/options all $names
