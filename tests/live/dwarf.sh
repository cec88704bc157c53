#!/bin/sh
# Parameters of functions of programs by their names: what tests/work/typed.c was given is
# what is told, of each type and at each place, and what cannot be read is said.
. tests/live/lib
needs_bpf live_dwarf
T=${TYPED:-$(cd "$B" && pwd)/tests/work/typed}
"$CULPRIT" explain "$T:plain() | count" >/dev/null 2>&1 || { echo 'skip live_dwarf: no uprobes here'; exit 0; }
if "$CULPRIT" explain "$T:plain() | count by len" 2>&1 | grep -q 'libdw.so.1, which is not'; then
	echo 'skip live_dwarf: no libdw.so.1 (package libdw1)'
	exit 0
fi

typed() { trace run "$@" -- "$T" 300; }

# ---- values ----
typed "$T:plain() | count, l = sum(len), s = sum(step), a = sum(seventh), b = sum(eighth),
	least = min(big), k = max(kind), r = sum(ret) by color, text"
is live_dwarf_keys "$(rows) $(sum count color=BLUE) $(sum count 'text=text 1') $(rows color=RED)" "6 150 100 3"
is live_dwarf_registers "$(sum l) $(sum s) $(cells k | sort -u) $(cells least | sort -u)" \
	"44850 -44850 200 -1099511627776"
is live_dwarf_stack "$(sum a) $(sum b)" "-2100 75000"
typed "$T:plain() | where len > 100 | hist(len)"
is live_dwarf_where "$(awk -F: 'NR == 2 { n = split($0, x, /[: ]/); for (i = 2; i <= n; i += 2) t += x[i]; print t }' "$OUT")" 199
typed "$T:plain() | where arg1 > 100 && len == (arg1 as s32) && text == \"text 2\" | count"
is live_dwarf_both_names "$(sum count)" 67
typed "$T:plain().return | where len >= 290 | count by len, text"
is live_dwarf_return "$(rows) $(sum len 'text=text 0')" "10 882"
typed "$T:plain() | where len == 7 | print len, text, color, ret"
is live_dwarf_print "$(rows len=7 'text=text 1' color=BLUE) $(rows)" "1 1"

# ---- names that mean the same of every call ----
typed "$T:owned() | count, p = sum(arg0), d = sum(arg2), s = sum(size), longest = max(duration)
	by comm, text = str(arg1), pid == arg0"
is live_dwarf_reserved "$(rows comm=typed 'text=a text' p=44850 d=300000 s=2100) $(rows)" "1 1"
typed "$T:owned() | where arg0 == 7"
is live_dwarf_reserved_shown "$(rows comm=typed arg0=7 'arg1=a text' arg2=1000 size=7 ret=1021) $(rows)" "1 1"

# ---- members ----
typed "$T:handle() | count, g = sum(r.grid[1][0]), h = sum(r.grid[1][2]), o = sum(other.number), r2 = sum(ret)
	by r.own.label, r.peer.host, r.peer.port, r.color, r.low, r.middle, r.high, r.next.number, r.lower, r.upper, r.done"
is live_dwarf_members "$(rows 'r.own.label=own label' r.peer.host=example.org r.peer.port=443 r.color=GREEN \
	r.low=5 r.middle=1000 r.high=123456 r.next.number=7 r.lower=2 r.upper=1 r.done=true) $(rows)" "1 1"
is live_dwarf_arrays "$(sum g) $(sum h) $(sum o) $(sum r2)" "44850 -1800 2100 135000"
typed "$T:handle() | count by n = (r.next as struct request).number, m = (arg1 as struct request).number"
is live_dwarf_cast "$(sum count n=7 m=7)" 300
typed "$T:handle() | where r.own.label ~ \"own*\" && str(r.peer.host) == \"example.org\" | count"
is live_dwarf_texts "$(sum count)" 300

# ---- places ----
typed "$T:scale() | n = sum(n), m = sum(m)"
is live_dwarf_beside_floats "$(sum n) $(sum m)" "44850 134550"
typed "$T:by_value() | last = sum(last), first = sum(ret.words[0])"
is live_dwarf_beside_structs "$(sum last) $(sum first)" "44850 49650"
typed "$T:wide() | a = sum(after), b = sum(behind)"
is live_dwarf_beside_wide "$(sum a) $(sum b)" "44850 -44850"
typed "$T:colored() | count by ret, letter, yes"
is live_dwarf_result_enum "$(sum count ret=BLUE yes=false letter=120) $(sum count ret=GREEN yes=true)" "150 150"
typed "$T:named() | where ret != 0 | count by ret"
is live_dwarf_result_text "$(rows) $(sum count 'ret=name 3')" "10 30"

# ---- with each way of attachment ----
for way in uprobe_session 'uprobe_session --without uprobe_multi'; do
	# shellcheck disable=SC2086
	typed --without $way "$T:plain() | l = sum(len), e = sum(eighth), count by color"
	is "live_dwarf_without_$(echo "$way" | tr -c 'a-z\n' _)" "$(sum l) $(sum e) $(sum count color=RED)" "44850 75000 150"
done

# ---- what is said ----
says() { # NAME TEXT QUERY
	name=$1 text=$2
	shift 2
	last="culprit explain $*"
	"$CULPRIT" explain "$@" >"$OUT" 2>"$ERR"
	status=$?
	if [ $status = 2 ] && grep -q "$text" "$ERR"; then ok "$name"; else bad "$name" "no '$text'"; fi
}
says live_dwarf_no_parameter "did you mean 'len'? fields: text len kind step" "$T:plain() | count by lem"
says live_dwarf_float 'x is a floating-point number' "$T:scale() | sum(x)"
says live_dwarf_float_member 'r.ratio is a floating-point number' "$T:handle() | sum(r.ratio)"
says live_dwarf_struct 'p is passed by value, in several parts' "$T:by_value() | sum(p)"
says live_dwarf_only_declared 'the types only declare it, without its members' "$T:handle() | sum(r.hidden.x)"
says live_dwarf_void "no field 'ret'" "$T:nothing() | sum(ret)"
says live_dwarf_inlined 'put into its callers everywhere' "$T:everywhere() | count"
last='culprit list functions -v'
"$CULPRIT" list functions -v "$T:handle" >"$OUT" 2>"$ERR"
is live_dwarf_list "$(grep -c 'pointer (request)' "$OUT") $(grep -c arg0 "$OUT")" "2 0"

if command -v strip >/dev/null; then
	strip -g -o "$TMP/bare" "$T"
	says live_dwarf_none 'has no debug information (DWARF): install' "$TMP/bare:plain() | count by len"
	trace run "$TMP/bare:plain() | where (arg1 as s32) > 100 | count" -- "$TMP/bare" 300
	is live_dwarf_none_by_number "$(sum count)" 199
	"$CULPRIT" list functions -v "$TMP/bare:plain" >"$OUT" 2>"$ERR"
	is live_dwarf_none_list "$(grep -c 'without names: .* has no debug information' "$OUT")" 1
fi
