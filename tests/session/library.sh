#!/bin/sh
# A second program, of libculprit.a, has a query's rows and tables without a view.
events='syscall read fd:s32
1.000000000 tid=7 pid=7 comm=a syscall:read.enter fd=3
1.000000500 tid=7 syscall:read.return ret=8
2.000000000 tid=7 syscall:read.enter fd=3
2.000000900 tid=7 syscall:read.return ret=9
'
check() { # NAME QUERY EXPECTED
	"$B/tests/library/rows" "$events" "$2" >"$TMP/out" 2>&1
	if [ "$(cat "$TMP/out")" = "$3" ]; then
		echo "ok $1"
	else
		sed 's/^/# /' "$TMP/out"
		echo "not ok $1"
	fi
}
check library_rows 'syscall:read | print fd, duration' '1000000500 fd=3 duration=500 
2000000900 fd=3 duration=900 
2 rows'
check library_table 'syscall:read | count, sum(duration) by comm' 'comm=a count=2 sum(duration)=1400 
1 rows'
check library_mistake 'syscall:read | count by nothing' "wrong: no field 'nothing' in syscall:read"
