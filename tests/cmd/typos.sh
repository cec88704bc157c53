#!/bin/sh
# Each event of these queries misspelled in turn, and each two of them: a mistake that is said,
# whatever it leaves of the period. Under the sanitisers.
C=${CULPRIT_SAN:-$CULPRIT}

queries() {
	cat <<'END'
from sched:sched_wakeup to sched:sched_switch on pid | count
from sched:sched_wakeup to libc.so.6:free().enter | count by begin.pid
from libc.so.6:malloc().return on ret to libc.so.6:free().enter on arg0 keep last | open older 1s | count by begin.ustack
from (libc.so.6:malloc().return, libc.so.6:calloc().return) on ret to (libc.so.6:free().enter, libc.so.6:realloc().enter) on arg0 | hist(duration)
from sched:sched_wakeup via sched:sched_switch to libc.so.6:free().return | print begin.comm, via.cpu, duration
from sched:sched_waking on pid to (sched:sched_switch on next_pid, sched:sched_process_exit on pid) | count by end.event, begin.comm | where count > 1
syscall:read | in (from syscall:openat.enter to libc.so.6:free().return) | count
syscall:read | split waits = (from sched:sched_switch to sched:sched_wakeup) | sum(duration)
def gone = libc.so.6:free().enter, syscall:close.enter; from syscall:openat.return to gone | count
def both = from (syscall:read.enter, sched:sched_switch) to (libc.so.6:free().enter else syscall:close.enter); both | worst 3 by duration
(from libc.so.6:malloc().enter to libc.so.6:free().enter) else (from syscall:read.enter to syscall:close.return) | count
END
}

# The query with its misspelled events, a line for each.
misspell() {
	awk '{
		n = split($0, part, /(libc.so.6|syscall|sched):/)
		for (one = 2; one <= n; one++)
			for (two = one; two <= n; two++) {
				rest = $0; out = ""
				for (i = 1; i < n; i++) {
					at = match(rest, /(libc.so.6|syscall|sched):/) + RLENGTH
					out = out substr(rest, 1, at - 1) (i == one - 1 || i == two - 1 ? "zz" : "")
					rest = substr(rest, at)
				}
				print out rest
			}
	}'
}

# One process checks them all: a crash would be its end.
mkdir "$TMP/queries"
queries | misspell | awk -v folder="$TMP/queries" '{
	file = folder "/" NR ".q"
	sub(/; /, "\n")
	print >file
	close(file)
}'
"$C" check "$TMP"/queries/*.q >"$TMP/out" 2>"$TMP/err"
status=$?
n=0 bad=0
for file in "$TMP"/queries/*.q; do
	n=$((n + 1))
	said=$(grep -c "^culprit: $file:.*zz" "$TMP/err")
	right=$(grep -cxF "$file: ok" "$TMP/out")
	# of alternatives, the one that is not misspelled is taken
	grep -q else "$file" && [ $((said + right)) -gt 0 ] && continue
	[ "$said" -gt 0 ] && [ "$right" = 0 ] && continue
	bad=$((bad + 1))
	sed 's/^/# /' "$file"
	grep "^culprit: $file:" "$TMP/err"
done
[ $status = 2 ] && [ $n -gt 40 ] && [ $bad = 0 ] && echo "ok typos: $n" ||
	{ tail -n 20 "$TMP/err"; echo "not ok typos: status $status, $bad of $n"; }

# The number of rows has one name in all tools, and `--rows` means it.
[ -z "$(grep -l '^param rows' tools/*.q)" ] && "$C" explain syscount --rows 3 >"$TMP/out" 2>&1 &&
	"$C" explain syscount --rows x 2>&1 | grep -q "'x' is not of type int, which --top needs" &&
	echo 'ok typos_rows' || echo 'not ok typos_rows'
