#!/bin/sh
# 10,000 keys in streams that are read side by side: each is counted whole, in 64 MB of private
# memory (all that can be written, stacks of threads too).
. tests/replay/lib
python3 - "$TMP/keys" <<'END'
import os, random, struct, sys

METADATA = """/* CTF 1.8 */
typealias integer { size = 16; align = 8; } := u16;
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 64; align = 8; } := u64;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
clock { name = c; }; typealias integer { size = 64; align = 8; map = clock.c.value; } := t64;
stream { packet.context := struct { t64 timestamp_begin; u64 content_size; u64 packet_size; };
  event.header := struct { u16 id; t64 timestamp; }; };
event { name = e; id = 0; fields := struct { u32 key; }; };
"""
STREAMS, EVENTS, KEYS = 4, 50000, 10000
os.mkdir(sys.argv[1])
with open(os.path.join(sys.argv[1], "metadata"), "w") as f:
    f.write(METADATA)
random.seed(1)
for stream in range(STREAMS):
    events = b"".join(struct.pack("<HQI", 0, 1000 + n * STREAMS + stream, random.randrange(KEYS))
                      for n in range(EVENTS))
    bits = (28 + len(events)) * 8
    with open(os.path.join(sys.argv[1], "chan_%d" % stream), "wb") as f:
        f.write(struct.pack("<IQQQ", 0xc1fc1fc1, 1000, bits, bits) + events)
END
ask() { # WORDS: how to run it
	"$@" "$C" run --trace "$TMP/keys" 'e | count, hist(key), p50(key) by key' --format csv \
		--no-header 2>&1
}
ask prlimit --data=67108864 taskset -c 0-3 >"$TMP/ours"
ask taskset -c "$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/')" >"$TMP/theirs"
check keys_side_by_side
cut -d, -f1,2 "$TMP/ours" | awk -F, '{ n++; sum += $2 } END { print n, sum }' >"$TMP/counted"
echo "10000 200000" >"$TMP/theirs"
cp "$TMP/counted" "$TMP/ours"
check keys_all_counted
