#!/bin/sh
# What the calls that make sockets tell of a trace's descriptors: iousagetop's NETWORK.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 tests/replay/sockets.py "$TMP/sockets" || echo "not ok sockets_writer"

# the socket, the accepted one and its copies, also behind an exec, and calls that only sockets have
echo '1000000,87654321,9877' >"$TMP/theirs"
"$C" iousagetop -P --trace "$TMP/sockets" --format csv 2>/dev/null |
	awk -F, '!n++ { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["comm"] == "shop" { print $at["files_bytes"] "," $at["network_bytes"] "," $at["other_bytes"] }' >"$TMP/ours"
check sockets
