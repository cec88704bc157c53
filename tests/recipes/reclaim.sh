#!/bin/sh
# docs/recipes.md: a process in a memory cgroup at its limit frees memory itself.
# test: matrix
. tests/recipes/lib
name=recipe_reclaim
needs_bpf $name
limit=memory.limit_in_bytes full=memory.failcnt
group=/sys/fs/cgroup/memory/$RUN.$$
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
	group=/sys/fs/cgroup/$RUN.$$ limit=memory.max full=memory.events
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
fi
if ! mkdir "$group" 2>/dev/null || ! echo 16777216 >"$group/$limit"; then
	rmdir "$group" 2>/dev/null
	echo "skip $name: no memory cgroup to be made here"
	exit 0
fi
export group
trap 'rm -f "$TMP/eaten"; rmdir "$group"' EXIT
recipe reclaim

step 1
rows=$(grep -c ' dd  *[0-9]' "$SAID")
between ${name}_rows "$rows" 5 100000
between ${name}_limit "$(awk '/^max/ { print $2 } NF == 1 { print $1 }' "$group/$full")" 5 100000
step 2
is ${name}_path "$(awk '/try_charge_memcg/ { charge = 1 } /vfs_write/ && charge { print "write is charged"; exit }' "$SAID")" \
	'write is charged'
