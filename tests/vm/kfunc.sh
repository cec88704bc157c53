#!/bin/sh
# Kernel functions on other kernels: exact counts by each way of attachment, recursion,
# parameters, modules, and what cannot be traced.
# test: timeout=1500 long
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_kfunc: no binary"
	exit 0
fi

one() { # KERNEL PREEMPT WAY ...
	name=vm_kfunc_$1_$2
	if ! why=$(tests/vm/run --ready "$1"); then
		echo "skip $name: $why"
		return
	fi
	kernel=$1 preempt=$2 btrfs=128
	# a module takes a few seconds to load: with one kind of preemption is enough
	[ "$preempt" != full ] || btrfs=0
	shift 2
	tests/vm/run "$kernel" --append "preempt=$preempt" --disk 64 --btrfs $btrfs \
		--timeout $((280 * $#)) --add docs/language.md -- \
		tests/vm/guest/kfunc.sh "$@" >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok \(.*\)/ok ${name}_\1/; s/^not ok \(.*\)/not ok ${name}_\1/" "$TMP/out"
	[ $status = 0 ] || echo "not ok $name: status $status"
}

# One boot for each kernel and kind of preemption.
one 6.1 voluntary fentry kprobe
one 6.1 full rest
one 6.12 voluntary fentry session multi kprobe rest
one 6.12 full fentry kprobe
