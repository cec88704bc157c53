#!/bin/sh
# The recorded traces beside the repository against babeltrace2, event by event, as LTTng
# wrote them and with their metadata as CTF 2.
#
# babeltrace2 2.0 prints an empty string as the last text of that field: where ours is
# empty, its text is not compared.
S=$CULPRIT
traces=${TRACES:-../shared/traces}
if [ ! -d $traces ]; then
	echo "skip ctf_traces: no $traces"
	exit
fi
if ! command -v babeltrace2 >/dev/null; then
	echo "skip ctf_traces: no babeltrace2 (package babeltrace2)"
	exit
fi

same() { # OURS THEIRS: lines are equal but for what is empty in ours
	awk -v theirs="$2" '
		{
			if ((getline other <theirs) <= 0) {
				print "theirs ends at line " NR
				bad = 1
				exit
			}
			if ($0 == other)
				next
			rest = $0
			while (match(rest, /[A-Za-z_0-9]+ = ""/)) {
				name = substr(rest, RSTART, RLENGTH - 2)
				rest = substr(rest, RSTART + RLENGTH)
				at = index(other, " " name "\"")
				if (!at)
					break
				head = substr(other, 1, at + length(name))
				tail = substr(other, at + length(name) + 2)
				while (match(tail, /^([^"\\]|\\.)*"/)) {
					tail = substr(tail, RLENGTH + 1)
					break
				}
				other = head "\"\"" tail
			}
			if ($0 != other) {
				print "line " NR
				print
				print other
				bad = 1
				exit
			}
		}
		END {
			if (!bad && (getline other <theirs) > 0) {
				print "ours ends first"
				bad = 1
			}
			exit bad
		}' "$1"
}

for file in $traces/*.tar.xz; do
	name=$(basename "$file" .tar.xz)
	rm -rf "$TMP/trace"
	mkdir "$TMP/trace"
	tar -xJf "$file" -C "$TMP/trace"
	TZ=UTC babeltrace2 --no-delta --clock-seconds "$TMP/trace" >"$TMP/theirs" 2>/dev/null
	"$S" run --trace "$TMP/trace" '*' >"$TMP/ours" 2>"$TMP/err"
	if [ -s "$TMP/theirs" ] && LC_ALL=C same "$TMP/ours" "$TMP/theirs"; then
		echo "ok ctf_trace_$name"
	else
		head -n 5 "$TMP/err"
		echo "not ok ctf_trace_$name"
	fi
	case $name in
	snapshot)
		"$S" doctor --trace "$TMP/trace" >"$TMP/out"
		if grep -q ' 66161 events .* 4 streams' "$TMP/out" &&
			grep -q 'lost: 0 events, 33 packets' "$TMP/out"; then
			echo "ok ctf_snapshots_overlap"
		else
			cat "$TMP/out"
			echo "not ok ctf_snapshots_overlap"
		fi ;;
	esac
done
