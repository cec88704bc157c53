#!/bin/sh
# Queries that cover the code generator, and all tools, pass the verifier here and are attached.
. tests/live/lib
needs_bpf live_load live_load_tools
sh tests/live/load_tools $(ls tools | sed 's/\.q$//')
sh tests/live/load tests/live/queries default
