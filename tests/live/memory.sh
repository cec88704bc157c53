#!/bin/sh
# What programs and the kernel allocate, by stack, against what a program says of itself.
. tests/live/lib
needs_bpf live_memleak live_memleak_stack live_memleak_beside_others live_memleak_cost live_memleak_lost live_memleak_sizes live_memleak_kernel live_memleak_family live_memleak_mappings live_memleak_percpu \
	live_allocs live_allocs_kernel live_cpi
C=${CALLS:-$(cd "$B" && pwd)/tests/work/calls}

# Two leaks among many allocations: their bytes, exactly, by their stacks.
trace memleak -O "$C" --older 1ms --top 1000 --cost -- "$C" leak 20000 100
leaked=$(said leak 3)
of() { # FUNCTION: bytes and count of the stacks with it
	awk -F, -v f="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		index($at["stack"] ";", f) { bytes += $at["bytes"]; count += $at["count"] }
		END { print bytes + 0, count + 0 }' "$OUT"
}
is live_memleak "$status $(of leak_grown) $(of leak_zeroed)" \
	"0 $((leaked * 100)) $leaked $((leaked * 48)) $leaked"
between live_memleak_stack "$(grep -c 'main;.*work_leak;leak_' "$OUT")" 2 9
is live_memleak_cost "$(grep -oE '/calls:malloc\(\)[^ ]* +[0-9]' "$ERR" | sed 's/.*()//; s/ .*//' | sort | tr '\n' ' ')" '.enter .return '
is live_memleak_lost "$(loss dropped)" 0

# Another process maps code whose tables take 45 ms to read, which is a second's share of the time:
# the command's come first.
crypto=$(ldconfig -p | sed -n 's/.*libcrypto.so.3 .*=> //p' | head -n 1)
cat >"$TMP/others.py" <<-'END'
	import mmap, os, sys, time
	def code(name):
	    with open(name, "rb") as f:
	        return mmap.mmap(f.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
	place = sys.argv[1]
	while not os.path.exists(place + "/begin"):
	    time.sleep(0.01)
	held = [code("%s/other%d" % (place, i)) for i in range(12)]
	open(place + "/mapped", "w").close()
	time.sleep(600)
END
for i in $(seq 0 11); do cp "$crypto" "$TMP/other$i"; done
python3 "$TMP/others.py" "$TMP" &
others=$!
trace memleak -O "$C" --older 1ms --top 1000 -- sh -c \
	'touch "$1/begin"; until [ -e "$1/mapped" ]; do sleep 0.1; done; exec "$2" leak 20000 100' sh "$TMP" "$C"
kill $others
rm "$TMP"/other[0-9]*
between live_memleak_beside_others "$(grep -c 'main;.*work_leak;leak_' "$OUT")" 2 9

trace memleak -O "$C" --older 1ms -z 60 -Z 1000 --top 1000 -- "$C" leak 1000 100
is live_memleak_sizes "$(of leak_grown) $(of leak_zeroed)" "1000 10 0 0"

# The whole family, and mappings: each function's bytes and count, by its stack.
family() { # [NAME=BYTES ...]: of which 20 stay each
	for pair; do
		got=$(of "family_${pair%=*};")
		[ "$got" = "$((20 * ${pair#*=})) 20" ] || echo "$pair: $got"
	done
}
trace memleak -O "$C" --older 1ms --top 1000 -M -- "$C" family 20
is live_memleak_family "$status $(family malloc=101 calloc=102 realloc=103 reallocarray=104 \
	posix_memalign=128 aligned_alloc=192 memalign=107 valloc=108 pvalloc=109)" "0 "
is live_memleak_mappings "$(of "mmap;")" "245760 20"

# What is asked for, freed or not.
trace allocs -O "$C" -- "$C" leak 1000 100
is live_allocs "$status $(of realloc)" "0 1000 10"

# Files keep something in the kernel while they are open.
trace_begin memleak --older 1ms --top 1000 -d 2
exec 5</dev/null 6</dev/zero
traced
exec 5<&- 6<&-
between live_memleak_kernel "$(grep -c 'do_syscall_64' "$OUT")" 1 1000
# The kernel's memory of each CPU; it may count what control groups need of it, too.
cpus=$(awk -F- '{ print $NF + 1 }' /sys/devices/system/cpu/possible)
trace_begin memleak --percpu --older 1ms --top 100000 -z $((4000 * cpus)) -Z $((8000 * cpus))
"$C" percpu 100 4000 &
holder=$!
for i in $(seq 100); do
	ls -l /proc/$holder/fd | grep -q bpf-map && break
	sleep 0.1
done
traced INT
kill $holder
percpu=$(of "$(grep -o "array_map_alloc;[^,;]*percpu[^,]*" "$OUT" | head -n 1)" | awk -v b=$((100 * 4000 * cpus)) '{ print $1 - b, $2 }')
case $percpu in
"0 100" | "800000 100") ok live_memleak_percpu ;;
*) bad live_memleak_percpu "got '$percpu'" ;;
esac
trace_begin allocs
"$W" exec 20 >/dev/null
traced INT
between live_allocs_kernel "$(grep -c 'do_syscall_64' "$OUT")" 1 10000

# The counters of the processor, or one sentence.
trace cpi -d 0.2
if [ $status = 3 ]; then
	is live_cpi "$(grep -c 'has no such counter' "$ERR")" 1
else
	is live_cpi "$status $(head -n 1 "$OUT" | grep -c 'cpi$')" "0 1"
fi
