#!/bin/sh
# Queries that cover the code generator pass the verifier here and are attached.
. tests/live/lib
needs_bpf live_load
sh tests/live/load tests/live/queries default
