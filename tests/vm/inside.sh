#!/bin/sh
# Stacks inside of functions that are traced, too: whole, and without what traces them.
# test: matrix
tests/vm/run 6.12 -- sh -c 'culprit run "ksys_read() | count; vfs_read() | count;
	sched:sched_switch | where comm == \"cat\" | count by kstack" --format csv -- sh -c "(sleep 0.3; echo x) | cat"' \
	>"$TMP/out" 2>&1
if grep -qE 'ksys_read;vfs_read;([a-z_]*;)*schedule;__schedule' "$TMP/out" &&
	! grep -qE 'trampoline|(ksys|vfs)_read;(ksys_read|vfs_read;vfs)' "$TMP/out"; then
	echo 'ok vm_stack_inside_traced'
else
	sed 's/^/# /' "$TMP/out" | tail -n 20
	echo 'not ok vm_stack_inside_traced'
fi
