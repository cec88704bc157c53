#!/bin/sh
# Traces of our own writer against babeltrace2: both byte orders, every type, several
# domains and hosts, losses, rings, other clocks; and one that is cut off.
S=$CULPRIT_SAN
if ! command -v python3 >/dev/null || ! command -v babeltrace2 >/dev/null; then
	echo "skip ctf_made: no python3 or no babeltrace2 (packages of these names)"
	exit
fi
python3 tests/ctf/writer.py "$TMP/made" || echo "not ok ctf_writer"
for name in types-le types-be session lost ring clock; do
	TZ=UTC babeltrace2 --no-delta --clock-seconds "$TMP/made/$name" >"$TMP/theirs" 2>"$TMP/their_err"
	"$S" run --trace "$TMP/made/$name" '*' >"$TMP/ours" 2>"$TMP/err"
	if [ -s "$TMP/ours" ] && cmp "$TMP/ours" "$TMP/theirs"; then
		echo "ok ctf_made_$name"
	else
		diff "$TMP/ours" "$TMP/theirs" | head -n 6
		head -n 5 "$TMP/err" "$TMP/their_err"
		echo "not ok ctf_made_$name"
	fi
done

has() { # NAME FILE TEXT
	if grep -qF "$3" "$2"; then
		echo "ok $1"
	else
		cat "$2"
		echo "not ok $1"
	fi
}
"$S" doctor --trace "$TMP/made/lost" >"$TMP/out" 2>&1
has ctf_losses_counted "$TMP/out" 'lost: 10 events, 2 packets'
grep -q 'gone before' "$TMP/out" && echo "not ok ctf_nothing_gone_before" || echo "ok ctf_nothing_gone_before"
"$S" doctor --trace "$TMP/made/ring" >"$TMP/out" 2>&1
has ctf_gone_before "$TMP/out" 'an earlier chunk: 3 packets; lost before: 0 events'
"$S" run --trace "$TMP/made/lost" '*' >/dev/null 2>"$TMP/out"
has ctf_losses_said "$TMP/out" '10 events that were lost'
for query in '*' '* | count' '* | print n'; do
	"$S" run --trace "$TMP/made/lost-last" "$query" 2>&1 >/dev/null | grep -c '^culprit: [42] .*lost' >"$TMP/out"
	has "ctf_losses_behind_the_last_event_$query" "$TMP/out" 2
done
"$S" doctor --trace "$TMP/made/session" >"$TMP/out" 2>&1
has ctf_hosts "$TMP/out" 'host two, kernel'
"$S" run --trace "$TMP/made/cut" 'plain' >"$TMP/ours" 2>"$TMP/out"
has ctf_cut_is_said "$TMP/out" 'chan_0 is cut off: 40 bytes are missing'
has ctf_cut_is_read "$TMP/ours" '{ n = 6 }'
"$S" run --trace "$TMP/made/session" '*' --begin 1000.000000100 --end 1000.000000200 \
	>"$TMP/ours" 2>/dev/null
TZ=UTC babeltrace2 --no-delta --clock-seconds --begin 1000.000000100 --end 1000.000000200 \
	"$TMP/made/session" >"$TMP/theirs" 2>/dev/null
if [ -s "$TMP/ours" ] && cmp "$TMP/ours" "$TMP/theirs"; then
	echo "ok ctf_begin_end"
else
	diff "$TMP/ours" "$TMP/theirs" | head -n 6
	echo "not ok ctf_begin_end"
fi

# Index files lead to where --begin is: with one, with one that lies, without one it is the same.
begin="--begin 1000.000020507 --end 1000.000030300"
range() { # TRACE: what is read of it, and the lines besides
	"$S" run --trace "$TMP/made/$1" '*' $begin >"$TMP/ours" 2>"$TMP/err"
}
cp -r "$TMP/made/index" "$TMP/made/bare"
rm -r "$TMP/made/bare/index"
TZ=UTC babeltrace2 --no-delta --clock-seconds $begin "$TMP/made/index" >"$TMP/theirs" 2>/dev/null
for name in bare index unread; do
	range $name
	if [ -s "$TMP/ours" ] && cmp "$TMP/ours" "$TMP/theirs" && ! grep -v ' were lost \|^help: ' "$TMP/err"; then
		echo "ok ctf_range_$name"
	else
		diff "$TMP/ours" "$TMP/theirs" | head -n 6
		cat "$TMP/err"
		echo "not ok ctf_range_$name"
	fi
done
cp "$TMP/err" "$TMP/lost"
range bare
cmp "$TMP/err" "$TMP/lost" && echo "ok ctf_index_losses" || echo "not ok ctf_index_losses"
for name in late place magic; do
	range lie-$name
	if cmp "$TMP/ours" "$TMP/theirs" &&
		[ "$(grep -c 'chan_0.idx does not fit its packets: it is not used' "$TMP/err")" = 1 ]; then
		echo "ok ctf_index_lies_$name"
	else
		cat "$TMP/err"
		echo "not ok ctf_index_lies_$name"
	fi
done
range lie-short
cmp "$TMP/ours" "$TMP/theirs" && echo "ok ctf_index_short" || echo "not ok ctf_index_short"
