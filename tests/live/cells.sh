#!/bin/sh
# How the tests of the running tracer read tables: a text has commas where a frame's name has some.
. tests/live/lib
last='a table' status=0
: >"$ERR"
: >"$DID"
cat >"$OUT" <<-'END'
	target,stack,time_ns,count
	sleep,"main;find<a, b>::slot, ""x, y""",1200,1
	sleep,main,30,2

	count,comm
	7,"a, b"
END
is live_cells_sum "$(sum time target=sleep) $(sum count target=sleep) $(sum count)" '1230 3 10'
printf '%s\n' begin_ns,duration_ns,tid,depth,name,missing 10,90,7,0,a,1 20,5,7,1,b,1 \
	'# culprit: 1 rows ... (lost)' '# help: ...' >"$TMP/nest.csv"
is live_cells_nest "$(awk -f tests/live/nest.awk "$TMP/nest.csv")" '2 rows, 0 bad, 2 lost'
is live_cells_text "$(cells stack 'time=1200') $(rows 'comm=a, b')" 'main;find<a, b>::slot, x, y 1'
