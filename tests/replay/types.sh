#!/bin/sh
# Fields that only CTF 2 has are fields of queries, too: texts of other encodings, optional ones;
# those of which there are no values say what they are.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
mkdir -p "$TMP/made"
python3 - "$TMP/made" <<'EOF'
import json, struct, sys

folder = sys.argv[1]
u8 = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}
text = lambda encoding: {"type": "null-terminated-string", "encoding": encoding}
optional = lambda of: {"type": "optional", "field-class": of, "selector-field-ranges": [[1, 9]],
                       "selector-field-location": {"origin": "event-record-payload", "path": ["has"]}}
encodings = ["utf-8", "utf-16be", "utf-16le", "utf-32be", "utf-32le"]
fields = [("has", u8), ("number", optional(u8)), ("name", optional(text("utf-16le")))]
fields += [(e.replace("-", ""), text(e)) for e in encodings]
fields += [("inside", optional({"type": "structure", "member-classes": [
               {"name": "x", "field-class": optional(u8)}]})),
           ("real", {"type": "fixed-length-floating-point-number", "length": 64,
                     "byte-order": "little-endian"}),
           ("bytes", {"type": "static-length-blob", "length": 2}),
           ("pair", {"type": "static-length-array", "length": 2, "element-field-class": u8}),
           ("with.dot", u8)]
classes = [{"type": "preamble", "version": 2}, {"type": "data-stream-class"},
           {"type": "event-record-class", "name": "e", "payload-field-class": {
               "type": "structure", "member-classes": [
                   {"name": name, "field-class": of} for name, of in fields]}}]
open(folder + "/metadata", "w").write("".join("\x1e" + json.dumps(c) for c in classes))
data = b""
for has in 0, 1, 2:
    data += bytes([has])
    if has:
        data += bytes([40 + has]) + "née\U0001f600\0".encode("utf-16le")
    for encoding in encodings:
        data += ("é%d\U0001f600\0" % has).encode(encoding)
    data += bytes([7]) if has else b""
    data += struct.pack("<d", 1.5) + b"ab" + b"cd" + b"\t"
open(folder + "/stream", "wb").write(data)
EOF
"$C" run --trace "$TMP/made" 'e | count by has, number, name, inside.x' --format csv --no-header |
	sort >"$TMP/ours"
cat >"$TMP/theirs" <<'EOF'
0,,,,1
1,41,née😀,7,1
2,42,née😀,7,1
EOF
check types_optional
"$C" run --trace "$TMP/made" 'e | where utf8 == utf16be && utf16be == utf16le && utf16le == utf32be &&
	utf32be == utf32le | count by utf32le' --format csv --no-header >"$TMP/ours"
printf 'é%d😀,1\n' 0 1 2 >"$TMP/theirs"
check types_encodings
"$C" run --trace "$TMP/made" 'e | count by with.dot, inside.x' --format csv --no-header >"$TMP/ours"
printf '9,,1\n9,7,2\n' >"$TMP/theirs"
check types_name_with_a_dot
# FIELD TEXT: the mistake
valueless() {
	says "types_$1" 2 "$2" run --trace "$TMP/made" "e | count by $1"
}
valueless real "'real' of e is a floating-point number, of which queries have no values"
valueless bytes "'bytes' of e is a row of bytes"
valueless pair "'pair' of e is an array"
valueless inside 'write one of its members: inside.x'

# Flags have names of bits, not of values; a name of several bits is written once. Booleans are no numbers.
mkdir -p "$TMP/flags"
python3 - "$TMP/flags" <<'EOF'
import json, sys

number = lambda type, **more: dict(type=type, length=8, **{"byte-order": "little-endian"}, **more)
fields = [("n", number("fixed-length-unsigned-integer")), ("b", number("fixed-length-boolean")),
          ("bits", number("fixed-length-bit-map", flags={"A": [[0, 0]], "B": [[1, 2]], "FAR": [[70, 90]]}))]
classes = [{"type": "preamble", "version": 2}, {"type": "data-stream-class"},
           {"type": "event-record-class", "name": "e", "payload-field-class": {
               "type": "structure", "member-classes": [
                   {"name": name, "field-class": of} for name, of in fields]}}]
open(sys.argv[1] + "/metadata", "w").write("".join("\x1e" + json.dumps(c) for c in classes))
open(sys.argv[1] + "/stream", "wb").write(bytes(x for n, bits in enumerate((0, 1, 2, 5, 6, 8)) for x in (n, n * 3, bits)))
EOF
"$C" run --trace "$TMP/flags" 'e | print n, b, bits' --format csv --no-header >"$TMP/ours"
printf '0,false,0\n1,true,A\n2,true,B\n3,true,A|B\n4,true,B\n5,true,0x8\n' >"$TMP/theirs"
check types_flags
"$C" run --trace "$TMP/flags" 'e | where bits == A | print n; e | where bits & B | print n' --format csv --no-header |
	grep '^[0-9]' | sort >"$TMP/ours"
printf '1\n2\n3\n4\n' >"$TMP/theirs"
check types_flags_compared
