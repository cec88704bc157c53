#!/bin/sh
# Static probes: what is passed is what the program says of itself, in every form of an
# argument, at several places, with a semaphore, by each way of attachment; and the probes of
# programs that others made.
. tests/live/lib
needs_bpf live_usdt
# PROBES: the program, where it is not below $B.
P=${PROBES:-$(cd "$B" && pwd)/tests/work/probes}
"$CULPRIT" explain "usdt:$P:work:forms | count" >/dev/null 2>&1 ||
	{ echo 'skip live_usdt: no uprobes or no probes here'; exit 0; }

ways() { # NAME OPTION ...
	way=$1
	shift
	trace run "$@" "usdt:$P:work:forms | count, a = sum(arg0)
		by arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9" -- "$P" forms 100
	is "live_usdt_${way}_forms" "$(sum count arg1=-5 arg2=-2 arg3=9029 arg4=-9 \
		arg5=4294967295 arg6=12 arg7=-4 arg8=13 arg9=-77) $(sum a)" "100 4950"
	trace run "$@" "usdt:$P:places | count, a = sum(arg0) by event" -- "$P" places 1000
	is "live_usdt_${way}_places" "$(sum count event=places) $(sum a)" "1000 499500"
	trace run "$@" "usdt:$P:watched | count, a = sum(arg0) by s = str(arg1)" -- "$P" watched 100
	is "live_usdt_${way}_semaphore" "$(sum count 's=a text') $(sum a) $(said watched 3)" \
		"100 4950 100"
}
ways best
ways perf --without uprobe_multi

trace run "from usdt:$P:query__start to usdt:$P:query__done
	| count, total = sum(duration), a = sum(begin.arg1), b = sum(end.arg0) by q = str(begin.arg0)" \
	-- "$P" spans 100
is live_usdt_period "$(sum count 'q=SELECT 1') $(sum a) $(sum b)" "100 4950 4950"
is live_usdt_period_takes_time "$([ "$(sum total)" -gt 0 ]; echo $?)" 0
trace run "usdt:$P:m*:*__* | count, a = sum(arg1) by event" -- "$P" spans 100
is live_usdt_wildcard "$(sum count event=query__start) $(sum count event=query__done) $(sum a)" \
	"100 100 4950"
trace argdist "usdt:$P:places" -C -e 'arg0 % 4' -f 'arg0 < 400' -- "$P" places 1000
is live_usdt_argdist "$(cells value | sort | tr '\n' ' ')$(cells count | sort -u)" "0 1 2 3 100"
trace argdist "usdt:$P:places" -e arg0 --format json -- "$P" places 1000
is live_usdt_argdist_hist "$(in_buckets)" 1000
for tool in dbslower mysqld_qslower; do
	trace $tool "$P" --min 0 -- "$P" spans 50
	is "live_usdt_$tool" "$(rows 'query=SELECT 1')" 50
	trace $tool "$P" --min 10s -- "$P" spans 50
	is "live_usdt_${tool}_quick" "$status $(rows)" "0 0"
done
trace dbslower "$P:answer" --min 0 --query '*1' -- "$P" asks 50
is live_usdt_dbslower_function "$(rows) $(rows 'query=SELECT 1')" "25 25"
# Nobody listens any more.
"$P" watched 10 >"$TMP/after"
is live_usdt_semaphore_is_put_back "$(cat "$TMP/after")" "watched 10 0"

# A process that runs already begins to pass its probe, by its number or by its path.
running() { # NAME FILE: %d is the process
	"$P" wait 1 >"$TMP/waited" &
	waiter=$!
	trace run -d 20 -p $waiter "usdt:$(printf "$2" $waiter):watched | first 20 | print pid, arg0"
	wait $waiter
	is "live_usdt_running_$1" "$(rows pid=$waiter) $(awk '{ print $1, ($3 >= 20) }' "$TMP/waited")" \
		"20 wait 1"
}
running pid 'pid:%d'
running path "$P"

# ---- a program of others: each import of python's is begun and done ----
PY=/usr/bin/python3
if ! "$CULPRIT" list probes "$PY:import__find__load__*" >/dev/null 2>&1; then
	echo 'skip live_usdt_python: no python3 with static probes'
	exit 0
fi
imports='import struct
try:
	import no_such_module
except ImportError:
	pass'
trace run "usdt:$PY:python:import__find__load__start | count by name = str(arg0)" \
	-- "$PY" -S -c "$imports"
is live_usdt_python_imports "$(sum count name=struct) $(sum count name=no_such_module)" "1 1"
trace run "from usdt:$PY:import__find__load__start on str(arg0)
	   to usdt:$PY:import__find__load__done on str(arg0)
	| count, found = sum(end.arg1) by name = str(begin.arg0)" -- "$PY" -S -c "$imports"
is live_usdt_python_period "$(sum count name=struct) $(sum found name=struct)" "1 1"
is live_usdt_python_not_found "$(sum count name=no_such_module) $(sum found name=no_such_module)" \
	"1 0"
