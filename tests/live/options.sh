#!/bin/sh
# Every tool with any two of its options, or all but one, passes the verifier here and is attached.
# test: timeout=3000 matrix
. tests/live/lib
needs_bpf live_options
names=$(for f in tools/*.q; do basename "$f" .q; done)
sh tests/live/options all $names
