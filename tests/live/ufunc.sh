#!/bin/sh
# Functions of programs: counts and durations are what the program says of itself, with
# recursion, longjmp, threads, threads and processes that end inside, by each way of
# attachment; and what cannot be traced is said.
# test: early
. tests/live/lib
needs_bpf live_ufunc
# CALLS: the program, with its symbols, where it is not below $B.
C=${CALLS:-$(cd "$B" && pwd)/tests/work/calls}
"$CULPRIT" explain "$C:timed() | count" >/dev/null 2>&1 ||
	{ echo 'skip live_ufunc: no uprobes here'; exit 0; }

# ---- each way of attachment ----
ways() { # NAME OPTION ...
	way=$1
	shift
	trace run "$@" "$C:timed() | count, total = sum(duration), longest = max(duration)" \
		-- "$C" timed 200 20000
	is "live_ufunc_${way}_counts" "$(sum count)" 200
	between "live_ufunc_${way}_times" "$(sum total)" "$(said timed 4)" "$(said timed 5)"
	trace run "$@" "$C:recurse() | count, total = sum(arg0)" -- "$C" recurse 300 9
	is "live_ufunc_${way}_recursion" "$(sum count) $(sum total)" "3000 13500"
	trace run "$@" "$C:recurse() | count, r = sum(ret), a = sum(arg0) where ret != arg0 + 1" \
		-- "$C" recurse 300 9
	is "live_ufunc_${way}_pairs" "$(sum count) $(sum r) $(sum a)" "3000 16500 0"
	trace run "$@" "$C:recurse() | where begin.arg0 == 3 | count, r = sum(ret)" \
		-- "$C" recurse 300 9
	is "live_ufunc_${way}_wanted" "$(sum count) $(sum r)" "300 1200"
	trace run "$@" "$C:jumper() | where arg0 == 0 | count, jumps = sum(arg0)" -- "$C" jump 200
	is "live_ufunc_${way}_wanted_longjmp" "$(sum count) $(sum jumps)" "100 0"
	trace run "$@" "$C:landing() | count, longest = max(duration) where arg0 == 0" -- "$C" jump 200
	is "live_ufunc_${way}_longjmp_outer" "$(sum count)" 200
	trace run "$@" "$C:jumper() | count, jumps = sum(arg0)" -- "$C" jump 200
	is "live_ufunc_${way}_longjmp_inner" "$(sum count) $(sum jumps)" "100 0"
	# of each of 20 dives, but the last, the next one finds all 6 calls left
	trace run -v "$@" "$C:dive() | count, sum(arg0)" -- "$C" dive 20 5
	is "live_ufunc_${way}_longjmp_over_several" "$(sum count) $(($(counted abandoned) + $(counted restarted)))" "0 114"
	trace run "$@" "$C:jumper().enter | count" -- "$C" jump 200
	is "live_ufunc_${way}_enter" "$(sum count)" 200
	trace run "$@" "$C:jumper().return | count" -- "$C" jump 200
	is "live_ufunc_${way}_return" "$(sum count)" 100
	trace run "$@" "$C:timed() | count, total = sum(duration), threads = distinct(tid)" \
		-- "$C" threads 100 10000
	# A preemptible kernel makes no storage for a thread, or marks it as the command's,
	# while a program that was preempted on its CPU does: each is counted.
	lost=$(($(counted dropped) + 100 * $(counted 'not followed')))
	is "live_ufunc_${way}_threads_count" "$(($(sum count) + lost))" 800
	if [ $lost = 0 ]; then
		is "live_ufunc_${way}_threads" "$(sum threads)" 8
		between "live_ufunc_${way}_threads_time" "$(sum total)" "$(said threads 4)" \
			"$(said threads 5)"
	else
		echo "skip live_ufunc_${way}_threads_time: $lost calls were lost, and counted"
	fi
	trace run "$@" "$C:leave() | count, how = sum(arg0)" -- "$C" leave 50 1
	is "live_ufunc_${way}_thread_ends_inside" "$(sum count) $(sum how)" "50 0"
	trace run "$@" "$C:leave() | count, how = sum(arg0)" -- "$C" leave 50 2
	is "live_ufunc_${way}_process_ends_inside" "$(sum count) $(sum how)" "50 0"
	# the child of a fork returns, too, from what it never called
	for query in 'forks() | count' 'forks() | count, sum(arg0)' 'forks().return | count'; do
		trace run -v "$@" "$C:$query" -- "$C" fork 10
		is "live_ufunc_${way}_$(echo "$query" | tr -dc a-z0)" "$(sum count) $(counted unmatched)" "20 0"
	done
	trace run "$@" "$C:many() | count by arg0, arg1, arg2, arg3, arg4, arg5, ret" -- "$C" many 3
	is "live_ufunc_${way}_parameters" \
		"$(rows arg1=-2 arg2=3 arg3=1099511627776 arg4=5 arg5=6) $(cells ret | sort | tr '\n' ' ')" \
		"3 -1 -2 0 "
	trace run "$@" "$C:text() | count by s = str(arg0), ret" -- "$C" many 3
	is "live_ufunc_${way}_text" "$(sum count 's=a text' ret=6)" 3
}
# WAYS: which of them; `make test`: the two that differ most.
wanted() {
	case " ${WAYS:-best perf ${ALL:+multi table}} " in *" $1 "*) ways "$@" ;; esac
}
wanted best
wanted multi --without uprobe_session
wanted perf --without uprobe_session --without uprobe_multi
wanted table --without task_storage

# between() and jumper() in landing(), which every second time finds both left
trace run -v "$C:[bjl][aeu][mnt][dpw][ei]*() | count, jumps = sum(arg0)" -- "$C" jump 200
is live_ufunc_longjmp_found "$(sum count) $(sum jumps) $(counted abandoned)" "400 100 200"

trace run "$C:recurse() | count by depth" -- "$C" threads 100 1000
# where a preempted program holds the thread's storage, calls are dropped and counted
dropped=$(counted dropped)
is live_ufunc_depth "$(rows) $(($(sum count) + dropped))" "4 3200"
[ "$dropped" -gt 0 ] || is live_ufunc_depth_each "$(cells count | sort -u)" 800
trace run "$C:recurse() | where arg0 == 3 | count by depth" -- "$C" recurse 300 9
is live_ufunc_wanted_depth "$(sum count depth=6)" 300
trace run "$C:recurse() | where depth == 0 | count" -- "$C" recurse 300 15
is live_ufunc_depth_outermost "$(sum count)" 300

# What looks at who called it: refused by name, and a wildcard goes without.
last='culprit explain libc.so.6:dlsym()'
"$CULPRIT" explain 'libc.so.6:dlsym() | count' >"$OUT" 2>"$ERR"
status=$?
is live_ufunc_looks_at_its_caller "$status $(grep -c 'instead: libc.so.6:dlsym().enter$' "$ERR")" "2 1"
if command -v gcc >/dev/null; then
	cat >"$TMP/asks.c" <<-'END'
		#include <dlfcn.h>
		int main(void) { return !dlsym(RTLD_DEFAULT, "puts") || dlsym(RTLD_DEFAULT, "no such") || !dlerror(); }
	END
	gcc -D_GNU_SOURCE -o "$TMP/asks" "$TMP/asks.c" || exit 1
	trace run 'libc.so.6:dlsym().enter | count' -- "$TMP/asks"
	is live_ufunc_caller_enters "$status $(sum count)" "0 2"
	trace run 'libc.so.6:dl*() | count by event' -- "$TMP/asks"
	is live_ufunc_caller_left_out "$(sum count event=dlsym) $(sum count event=dlerror)" "0 1"
else
	echo 'skip live_ufunc_caller: no gcc (package gcc)'
fi

# ---- as deep as the kernel shows returns, and deeper: what is lost is counted ----
deep() { # NAME LEVELS OPTION ...
	name=$1 most=$(($2 < 64 ? $2 : 64)) lost=$(($2 < 64 ? 0 : $2 - 64)) levels=$(($2 - 1))
	shift 2
	trace run "$@" "$C:recurse() | where depth == 0 | count, a = sum(arg0)" -- "$C" recurse 10 $levels
	is "live_ufunc_deep_${name}_outermost" "$(sum count) $(sum a)" "10 $((10 * levels))"
	for query in 'recurse() | count' 'recurse() | count, max(duration)' 'recurse().return | count' \
		'recurse() | count, sum(arg0)'; do
		trace run "$@" "$C:$query" -- "$C" recurse 10 $levels
		is "live_ufunc_deep_${name}_$(echo "$query" | tr -dc a-z)" \
			"$(sum count) $(counted 'too deep') $(counted dropped)" "$((10 * most)) $((10 * lost)) 0"
	done
}
[ -z "${ALL-}" ] || deep 17 17
deep 64 64
deep 100 100
[ -z "${ALL-}" ] || deep 100_perf 100 --without uprobe_session --without uprobe_multi

# ---- what is asked of the calls that are open ----
asked() { # WAY OPTION ...
	way=$1
	shift
	trace run "$@" "$C:jumper() | in $C:landing() | count by landing.arg0" -- "$C" jump 200
	is "live_ufunc_${way}_in" "$(sum count landing.arg0=0)" 100
	trace run "$@" "$C:recurse() | in $C:many() | count" -- "$C" recurse 300 9
	is "live_ufunc_${way}_in_none" "$(sum count)" 0
	trace run "$@" "def large = $C:recurse() | where arg0 > 3;
		$C:*recurse() | in large | count, a = sum(large.arg0) by event" -- "$C" recurse 300 9
	is "live_ufunc_${way}_in_own" "$(rows) $(sum count event=recurse) $(sum a)" "1 1800 11700"
	trace run "$@" "$C:timed() | split state | n = count, total = sum(duration),
		parts = sum(running.time + runnable.time + disk.time + uninterruptible.time +
			    sleeping.time + stopped.time + lock.time + spinning.time + softirq.time + irq.time)" -- "$C" timed 200 20000
	is "live_ufunc_${way}_split_state" "$(sum n) $(sum parts)" "200 $(sum total)"
	trace run "$@" "$C:recurse() | split $C:many() | n = count, total = sum(duration),
		rest = sum(other)" -- "$C" recurse 300 9
	is "live_ufunc_${way}_split" "$(sum n) $(sum rest)" "3000 $(sum total)"
	trace run "$@" "$C:recurse() | split state | count by depth, arg0" -- "$C" recurse 300 9
	is "live_ufunc_${way}_split_depth" "$(awk -F, '$1 + $2 == 9 && $3 == 300' "$OUT" | wc -l)" 10
	trace run "$@" "def large = $C:recurse() | where arg0 > 3;
		$C:recurse() | in large | count by large.depth, large.arg0" -- "$C" recurse 300 9
	is "live_ufunc_${way}_in_depth" "$(awk -F, '$1 + $2 == 9 && $3 == 300' "$OUT" | wc -l)" 6
	trace run "$@" "$C:recurse() | open | n = count, right = count where depth + arg0 == 60 | every 20ms" \
		-- "$C" recurse 1000 60
	is "live_ufunc_${way}_open_depth" "$([ "$(sum n)" -gt 60 ] && sum right)" "$(sum n)"
	trace run "$@" "$C:leave() | open | count" -- "$C" leave 50 1
	is "live_ufunc_${way}_open_none_left" "$(sum count)" 0
}
asked best
[ -z "${ALL-}" ] || asked perf --without uprobe_session --without uprobe_multi

# ---- calls inside each other ----
trace run "$C:work_recurse(), $C:recurse() | tree" -- "$C" recurse 100 20
is live_ufunc_tree "$(awk -f tests/live/nest.awk "$OUT")" "2101 rows, 0 bad, 0 lost"
is live_ufunc_tree_depths "$(cut -d , -f 7,8 "$OUT" | sort | uniq -c | awk '$1 == 100' | wc -l)" 21
# All 1,300 functions, but where each takes the kernel tens of ms.
all='*' nested='*'
if "$CULPRIT" explain "$C:timed() | count" | grep -q ': uprobes;'; then
	all='[lmt][ae][anx]*' nested='*recurse'
fi
trace run "$C:$nested() | in $C:work_recurse() | tree 3" -- "$C" recurse 100 20
is live_ufunc_tree_in "$(awk -f tests/live/nest.awk "$OUT") $(rows name=work_recurse)" \
	"201 rows, 0 bad, 0 lost 1"
trace run "$C:landing(), $C:between(), $C:jumper() | tree" -- "$C" jump 200
is live_ufunc_tree_longjmp "$(awk -f tests/live/nest.awk "$OUT") $(rows name=landing depth=0)" \
	"400 rows, 0 bad, 0 lost 200"
trace run "$C:timed(), syscall:* | tree" -- "$C" threads 100 10000
lost=$(($(counted dropped 'timed()') + 100 * $(counted 'not followed')))
is live_ufunc_tree_threads "$(awk -f tests/live/nest.awk "$OUT" | cut -d , -f 2-)" " 0 bad, 0 lost"
is live_ufunc_tree_threads_rows "$(($(rows name=timed) + lost))" 800
trace funcgraph --graph "$C:work_recurse" "$C:recurse" -- "$C" recurse 10 3
is live_ufunc_funcgraph "$(awk -f tests/live/nest.awk "$OUT")" "40 rows, 0 bad, 0 lost"

# ---- which way is taken is told ----
told() { # NAME TEXT OPTION ...
	name=$1 text=$2
	shift 2
	last="culprit explain $*"
	"$CULPRIT" explain "$@" "$C:timed() | sum(duration)" >"$OUT" 2>"$ERR"
	if grep -q "$text" "$OUT"; then ok "$name"; else bad "$name" "no '$text'"; fi
}
since() { # VERSION: is this kernel as new?
	[ "$(printf '%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]
}
if since 6.13; then told live_ufunc_explain_session 'timed(): uprobe.session'; fi
if since 6.10; then
	told live_ufunc_explain_multi 'timed().return: uprobe.multi' --without uprobe_session
fi
told live_ufunc_explain_perf 'timed().return: uprobes;' --without uprobe_session --without uprobe_multi

# ---- wildcards ----
trace run "$C:t[ei]*d() | count by event" -- "$C" timed 10 1000
is live_ufunc_wildcard "$(sum count event=timed)" 10
trace run "$C:$all() | count by event" -- "$C" many 30
is live_ufunc_all_functions "$(sum count event=many) $(sum count event=text) $(said many 2)" "30 30 30"
trace run "$C:$all() | count by event" -- "$C" leave 10 1
is live_ufunc_all_and_threads_end "$(sum count event=leave) $(said leave 2)" "10 20"

# What the kernel refuses does not take the rest along, and is told: a program with a
# function that begins with what is no instruction of 64-bit programs.
if command -v gcc >/dev/null; then
	cat >"$TMP/refused.c" <<-'END'
		__asm__(".type no_code,@function\nno_code: .byte 0x06, 0x06, 0x06\n.size no_code,3");
		__attribute__((noinline)) int no_trouble(int x) { __asm__ volatile("" ::: "memory"); return x; }
		int main(void) { return no_trouble(0); }
	END
	gcc -O2 -o "$TMP/refused" "$TMP/refused.c" || exit 1
	trace run "$TMP/refused:no_*() | count by event" -- "$TMP/refused"
	is live_ufunc_refused "$(sum count event=no_trouble)" 1
fi

# A thousand functions of one name, each of which is called once: one file that is linked a
# thousand times.
if command -v gcc >/dev/null; then
	cat >"$TMP/same.c" <<-'END'
		static __attribute__((noinline)) int same(int x) { __asm__ volatile("" ::: "memory"); return x; }
		__attribute__((constructor)) static void call(void) { same(1); }
	END
	echo 'int main(void) { return 0; }' >"$TMP/main.c"
	gcc -O2 -c -o "$TMP/same.o" "$TMP/same.c" &&
		gcc -o "$TMP/same" "$TMP/main.c" $(yes "$TMP/same.o" | head -n 1000) || exit 1
	trace run "$TMP/same:same() | count, sum(arg0)" -- "$TMP/same"
	is live_ufunc_thousand "$status $(sum count) $(sum 'sum(arg0)')" "0 1000 1000"
fi

# ---- processes, libraries, containers ----
begun() { await $1 grep -qx "$2" /proc/$1/comm; } # PID COMM: it is this program now
"$C" hang 30000 20 >"$TMP/hang" &
hang=$!
begun $hang calls
trace run -d 1s "pid:$hang:timed() | count by pid"
is live_ufunc_pid "$(rows pid=$hang) $(rows)" "1 1"
"$C" hang 30000 20 >/dev/null &
other=$!
begun $other calls
trace run -d 500ms -p "$hang" "$C:timed() | count by pid"
is live_ufunc_filter_pid "$(rows pid=$hang) $(rows)" "1 1"
kill $hang $other 2>/dev/null
wait $hang $other 2>/dev/null
# one library's function in two processes: no call of one is in a call of the other
if command -v gcc >/dev/null; then
	cat >"$TMP/naps.c" <<-'END'
		#include <unistd.h>
		int main(void) { for (;;) usleep(20000); }
	END
	gcc -D_GNU_SOURCE -o "$TMP/naps" "$TMP/naps.c" || exit 1
	"$TMP/naps" &
	one=$!
	"$TMP/naps" &
	other=$!
	begun $one naps && begun $other naps && await $one grep -q libc.so.6 /proc/$one/maps
	trace run -d 500ms "pid:$one:usleep() | in pid:$other:usleep() | count by pid"
	is live_ufunc_in_other_process "$status $(sum count)" "0 0"
	trace run -d 500ms "pid:$one:usleep() | in pid:$one:usleep() | count by pid"
	is live_ufunc_in_own_process "$(rows pid=$one) $(rows)" "1 1"
	trace run -d 500ms "pid:$one:usleep() | in libc.so.6:usleep() | count by pid"
	is live_ufunc_in_all_processes "$(rows pid=$one) $(rows)" "1 1"
	trace run -d 100ms "libc.so.6:usleep() | in pid:$one:usleep() | count by pid"
	is live_ufunc_in_one_of_all "$status $(grep -c "too: pid:$one:usleep()$" "$ERR")" "2 1"
	kill $one $other
	wait $one $other 2>/dev/null
else
	echo 'skip live_ufunc_in_other_process: no gcc (package gcc)'
fi
# a program that is linked with libc everywhere, also where the shell is not
trace run "libc.so.6:malloc() | count by comm" -- "$CULPRIT" --version
is live_ufunc_library "$([ "$(sum count)" -gt 0 ] && echo some)" some
cp "$C" "$TMP/gone"
"$TMP/gone" hang 30000 20 >/dev/null &
gone=$!
begun $gone gone
rm -f "$TMP/gone"
trace run -d 500ms "pid:$gone:timed() | count by pid"
is live_ufunc_deleted_file "$(rows pid=$gone)" 1
kill "$gone" 2>/dev/null
mkdir "$TMP/root" "$TMP/root/in"
cp "$C" "$TMP/root/in/calls"
unshare -m --propagation unchanged chroot "$TMP/root" /in/calls hang 30000 20 >/dev/null 2>&1 &
inside=$!
if begun $inside calls; then
	trace run -d 500ms -p "$inside" "/in/calls:timed() | count by pid"
	is live_ufunc_container_path "$(rows pid=$inside)" 1
	trace run -d 500ms "pid:$inside:timed() | count by pid"
	is live_ufunc_container_pid "$(rows pid=$inside)" 1
	# an absolute link leads to the container's file, not to one of that name here
	mkdir "$TMP/root/opt" "$TMP/opt" && cp "$C" "$TMP/opt/calls"
	mkdir -p "$TMP/root/$TMP" && ln -s /in "$TMP/root/$TMP/opt"
	ln -s "$TMP/opt/calls" "$TMP/root/opt/link"
	for path in "$TMP/opt/calls" /opt/link /opt/../opt/./link; do
		trace run -d 500ms -p "$inside" "$path:timed() | count by pid"
		rows pid=$inside
	done >"$TMP/links"
	is live_ufunc_container_links "$(echo $(cat "$TMP/links"))" "1 1 1"
	ln -sf link2 "$TMP/root/opt/link" && ln -s /opt/link "$TMP/root/opt/link2"
	trace run -p "$inside" "/opt/link:timed() | count by pid"
	is live_ufunc_container_loop "$status" 2
	kill "$inside" 2>/dev/null
else
	echo 'skip live_ufunc_container: no mount namespace to be had here'
fi
wait

# A process that ends while it is traced, or before.
"$C" hang 30000 20 >/dev/null &
ends=$!
begun $ends calls
trace_begin run "pid:$ends:recurse() | count"
kill $ends
wait $ends 2>/dev/null
traced INT
is live_ufunc_process_ends "$status $(sum count)" "0 0"
trace run -d 1s "pid:$ends:recurse() | count"
is live_ufunc_no_process "$status $(grep -c "there is no process $ends" "$ERR")" "2 1"

# ---- names ----
if command -v g++ >/dev/null && command -v strip >/dev/null; then
	cat >"$TMP/a.cc" <<-'END'
		#include <cstdlib>
		static __attribute__((noinline)) int twice(int x) { asm volatile("" ::: "memory"); return x; }
		namespace ns {
		__attribute__((noinline)) int call(int x) { asm volatile("" ::: "memory"); return twice(x); }
		__attribute__((noinline)) int call(const char *s) { asm volatile("" ::: "memory"); return *s; }
		}
		int b(int x);
		int main(int, char **v)
		{
			for (int i = 0; i < atoi(v[1]); i++)
				ns::call(i), ns::call("x"), b(i);
		}
	END
	cat >"$TMP/b.cc" <<-'END'
		static __attribute__((noinline)) int twice(int x) { asm volatile("" ::: "memory"); return x; }
		int b(int x) { return twice(x); }
	END
	g++ -O2 -o "$TMP/names" "$TMP/a.cc" "$TMP/b.cc" || exit 1
	names() { # NAME PATTERN COUNT
		trace run "\"$TMP/names:$2\"() | count" -- "$TMP/names" 20
		is "$1" "$(sum count)" "$3"
	}
	names live_ufunc_cpp_overloads 'ns::call' 40
	names live_ufunc_cpp_parameters 'ns::call(char const*)' 20
	names live_ufunc_cpp_mangled _ZN2ns4callEi 20
	names live_ufunc_cpp_wildcard 'ns::*' 40
	names live_ufunc_twice twice 40
	# Rust's, as rustc has them of old (_ZN .. 17h..E) and since its symbol mangling v0
	cat >"$TMP/rust.c" <<-'END'
		#include <stdlib.h>
		#define RUST(name, symbol) __attribute__((noinline)) void name(void) __asm__(symbol); \
			void name(void) { __asm__ volatile("" ::: "memory"); }
		RUST(old, "_ZN5shelf4book4read17h0123456789abcdefE")
		RUST(new, "_RNvNtCs15kBYyAo9fc_5shelf5paper4read")
		RUST(own, "_RNvMCs15kBYyAo9fc_5shelfNtB2_4Page4turn")
		int main(int n, char **v)
		{
			(void)n;
			for (int i = 0; i < atoi(v[1]); i++)
				old(), new(), own();
		}
	END
	gcc -O2 -o "$TMP/names.rust" "$TMP/rust.c" || exit 1
	rust() { # NAME PATTERN COUNT
		trace run "\"$TMP/names.rust:$2\"() | count by event" -- "$TMP/names.rust" 20
		is "$1" "$(sum count)" "$3"
	}
	rust live_ufunc_rust_old shelf::book::read 20
	rust live_ufunc_rust_v0 shelf::paper::read 20
	rust live_ufunc_rust_method '<shelf::Page>::turn' 20
	rust live_ufunc_rust_wildcard '*shelf::*' 60
	# a debug file beside the program
	objcopy --only-keep-debug "$TMP/names" "$TMP/names.debug"
	strip "$TMP/names"
	trace run "$TMP/names:twice() | count" -- "$TMP/names" 20
	is live_ufunc_stripped "$status $(grep -c 'has no symbols\|has no function' "$ERR")" "2 1"
	(cd "$TMP" && objcopy --add-gnu-debuglink=names.debug names)
	names live_ufunc_debug_file twice 40
	# and hostile files
	for n in 0 3 63 64 500 5000; do
		head -c $n "$C" >"$TMP/cut"
		trace run -d 100ms "$TMP/cut:timed() | count"
		is "live_ufunc_cut_off_$n" "$status $(grep -c "$TMP/cut[: ]" "$ERR" | sed 's/[1-9][0-9]*/some/')" "2 some"
	done
fi
