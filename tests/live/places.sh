#!/bin/sh
# Names in stacks where a process's code is not a file that can be opened by its path: made by
# node as it runs, in another mount namespace, deleted; and of a program without a symbol table.
# At least 99% of the samples are whole.
. tests/live/lib
needs_bpf live_places_namespace live_places_deleted live_places_dynamic live_places_node
mkdir "$TMP/places" "$TMP/places/other" && cd "$TMP/places" || exit 1
running=
trap 'kill $running 2>/dev/null' EXIT

cat >busy.c <<'END'
volatile unsigned long sum;
__attribute__((noinline)) void places_leaf(void) { for (int i = 0; i < 1000; i++) sum += i; }
__attribute__((noinline)) void places_middle(void) { places_leaf(); sum++; }
int main(void) { for (;;) places_middle(); }
END
gcc -O1 -fomit-frame-pointer -o busy busy.c
gcc -O1 -fomit-frame-pointer -rdynamic -s -o dynamic busy.c

# PID FRAMES: of 100 samples in the program itself, those whose outermost frames are these
whole() {
	"$CULPRIT" run -q -d 1 --format folded -p "$1" \
		'cpu@397hz | where (ip as s64) >= 0 | count by ustack' 2>"$ERR" </dev/null |
		awk -v frames="$2" '{ n = $NF; all += n; sub(/ [0-9]*$/, ""); gsub(/ \[[^]]*\]/, "") }
			$0 ~ frames { whole += n }
			END { printf "%d\n", all < 20 ? 0 : 100 * whole / all }'
}
# NAME PID FRAMES: what ran, which ends then
at_least() {
	share=$(whole "$2" "$3")
	kill "$2"
	between "$1" "${share:-0}" 99 100
}
# PID NAME: once it is that program
started() { soon readlink "/proc/$1/exe" "/$2\\b"; }
# COMMAND FILE PATTERN: waits for it in what the command prints
soon() {
	for i in $(seq 100); do
		"$1" "$2" 2>/dev/null | grep -q "$3" && return
		sleep 0.05
	done
}

if unshare -m true 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs none other && cp busy other/hidden && exec other/hidden' &
	running="$running $!"
	started $! hidden
	[ ! -e other/hidden ] && at_least live_places_namespace $! 'main;places_middle'
else
	echo 'skip live_places_namespace: no unshare (package util-linux)'
fi

cp busy gone
./gone &
running="$running $!"
started $! gone
rm gone
at_least live_places_deleted $! 'main;places_middle'

# The names that the linker needs are there still: those of main and what it calls.
./dynamic &
running="$running $!"
started $! dynamic
at_least live_places_dynamic $! 'main;places_middle'

if command -v node >/dev/null; then
	cat >busy.js <<'END'
function placesLeaf(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s }
function placesMiddle(n) { return placesLeaf(n) + 1 }
let sum = 0
for (;;) sum += placesMiddle(100000)
END
	node --perf-basic-prof busy.js >/dev/null &
	running="$running $!"
	trap 'kill $running 2>/dev/null; rm -f "/tmp/perf-${running##* }.map"' EXIT
	# compiled: while it is interpreted, the frame is the interpreter's
	soon cat "/tmp/perf-$!.map" ':\*placesLeaf'
	# Debian's node has no symbol table, and so no _start; before version 20 it says LazyCompile for JS.
	at_least live_places_node $! '(^|;)(_start|__libc_start_main[^;]*);.*;(JS|LazyCompile):[^;]*busy\.js'
else
	echo 'skip live_places_node: no node (package nodejs)'
fi
