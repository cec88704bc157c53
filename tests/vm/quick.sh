#!/bin/sh
# On other kernels, in one boot each: every tool is taken by the verifier, attached and let
# go, and calls of kernel functions are counted exactly. The long tests beside this one show
# the rest. test: timeout=600
. tests/vm/lib

one() { # KERNEL PREEMPT WAY
	in_vm vm_quick "$1" "$2" --disk 64 --timeout 280 --add tests/live --add tools \
		--add tests/vm/guest/kfunc.sh --add tests/vm/guest/live.sh -- \
		sh -c "sh tests/vm/guest/live.sh tools_load; sh tests/vm/guest/kfunc.sh $3"
}

one 6.1 voluntary kprobe
one 6.12 full session
