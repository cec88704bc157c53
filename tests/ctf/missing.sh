#!/bin/sh
# What is missing of a trace is one line: a stream's file that is gone, empty or cut off between
# two packets (only its index tells), metadata that ends early; and nothing readable is an error.
S=$CULPRIT_SAN
if ! command -v python3 >/dev/null; then
	echo "skip missing: no python3 (package python3)"
	exit
fi
python3 tests/ctf/writer.py "$TMP/made" || echo "not ok missing_writer"
"$S" run --trace "$TMP/made/index" '*' >"$TMP/all" 2>/dev/null
# The packets of the stream, as its index tells: where each begins, and where the last ends.
ends=$(python3 - "$TMP/made/index/index/chan_0.idx" <<'EOF'
import struct, sys

data = open(sys.argv[1], "rb").read()
size = struct.unpack(">I", data[12:16])[0]
for at in range(16, len(data), size):
    begin, bits = struct.unpack(">QQ", data[at:at + 16])
print(begin, begin + bits // 8)
EOF
)
last=${ends% *}
end=${ends#* }

# NAME STATUS LINES WHAT CHANGE: how it ends, how many lines it says, one of them WHAT
said() {
	rm -rf "$TMP/some"
	cp -r "$TMP/made/index" "$TMP/some"
	(cd "$TMP/some" && eval "$5")
	"$S" run --trace "$TMP/some" '*' >"$TMP/out" 2>"$TMP/err"
	got="$? $(grep -vc ' were lost ' "$TMP/err")"
	if [ "$got" = "$2 $3" ] && grep -qF "$4" "$TMP/err"; then
		echo "ok missing_$1"
	else
		echo "$got"
		cat "$TMP/err"
		echo "not ok missing_$1"
	fi
}
said nothing 0 1 losses :
said packet 0 2 "chan_0 is cut off: $((end - last)) bytes are missing at its end" "truncate -s $last chan_0"
head -c "$(wc -c <"$TMP/out")" "$TMP/all" | cmp - "$TMP/out" && [ -s "$TMP/out" ] &&
	echo "ok missing_packet_rest" || echo "not ok missing_packet_rest"
said half_a_packet 0 2 "chan_0 is cut off: $((end - last - 20)) bytes are missing at its end" \
	"truncate -s $((last + 20)) chan_0"
said content 0 1 "chan_0 is empty: $end bytes of packets are missing" ': >chan_0'
said file 0 1 'chan_0 is missing: its index is there' 'rm chan_0'
said magic 1 3 'chan_0 is not read: a packet does not begin with the magic number' \
	'printf none | dd of=chan_0 conv=notrunc 2>/dev/null'
# pipes, whose open waits for a writer
said pipes 0 1 losses 'mkfifo chan_1 index/chan_1.idx'
said pipe_of_metadata 1 3 'metadata cannot be read: it is not a file' 'rm metadata; mkfifo metadata'
said metadata 0 1 'ends in the middle' \
	'truncate -s $(($(grep -ob "event {" metadata | tail -n 1 | cut -d : -f 1) + 9)) metadata'
said all_metadata 1 3 'metadata describes no events' ': >metadata'
mkdir "$TMP/none"
printf '\036{"type":"preamble","version":2}\036{"type":"data-stream-class"}' >"$TMP/none/metadata"
printf x >"$TMP/none/stream"
"$S" list events --trace "$TMP/none" >"$TMP/out" 2>&1
[ $? = 2 ] && grep -q 'the trace has no event' "$TMP/out" && echo "ok missing_every_event" ||
	echo "not ok missing_every_event"

# A type that is too deep: the query that names its event, and explain, say why there is none.
mkdir "$TMP/deep"
python3 - >"$TMP/deep/metadata" <<'EOF'
print("/* CTF 1.8 */ trace { byte_order = le; }; stream { }; event { id = 0; name = seen; };")
print("event { id = 1; name = deep; fields := struct {", "struct {" * 40, "integer { size = 8; } x;",
      "} s;" * 40, "}; };")
EOF
printf x >"$TMP/deep/stream"
for command in run explain; do
	"$S" $command --trace "$TMP/deep" 'deep | count' >"$TMP/out" 2>&1
	[ $? = 2 ] && grep -q 'metadata, line 2, .*types are more than 32 deep: ' "$TMP/out" &&
		echo "ok missing_deep_type_$command" || { cat "$TMP/out"; echo "not ok missing_deep_type_$command"; }
done
