#!/bin/sh
# culprit diff: two tables by their keys.
C=$CULPRIT
head='{"schema":"culprit/1","title":"query","query":0,"kind":"table","columns":[{"name":"comm","type":"string","role":"key"},{"name":"kstack","type":"stack","role":"key"},{"name":"count","type":"integer","role":"value"},{"name":"time","type":"duration","unit":"ns","role":"value"},{"name":"share","type":"share","role":"value"},{"name":"h","type":"histogram","role":"value"}]}'
cat >"$TMP/a.json" <<END
$head
{"interval":0,"comm":"x,y","kstack":[{"name":"in","offset":1,"address":"0x1"},{"module":"b","offset":16}],"count":10,"time":5000,"share":0.5,"h":[]}
{"interval":0,"comm":"gone","kstack":[],"count":3,"time":null,"share":0.25,"h":[]}
{"interval":0,"comm":"same","kstack":[],"count":1,"time":7,"share":0.25,"h":[]}
{"losses":{"dropped":0}}
END
cat >"$TMP/b.json" <<END
$head
{"interval":0,"comm":"new","kstack":[],"count":18446744073709551615,"time":1,"share":0,"h":[]}
{"interval":0,"comm":"x,y","kstack":[{"name":"in","offset":9,"address":"0x2"},{"module":"b","offset":16}],"count":25,"time":4000,"share":1,"h":[]}
{"interval":0,"comm":"same","kstack":[],"count":1,"time":7,"share":0.25,"h":[]}
{"interval":0,"other":true,"comm":null,"kstack":null,"count":0,"time":0,"share":0,"h":[]}
{"losses":{"dropped":4}}
END
result() { # NAME STATUS
	[ "$2" = 0 ] || cat "$TMP/out" "$TMP/err"
	[ "$2" = 0 ] && echo "ok diff_$1" || echo "not ok diff_$1"
}
"$C" diff --format csv "$TMP/a.json" "$TMP/b.json" >"$TMP/out" 2>"$TMP/err"
[ "$(cat "$TMP/out")" = 'comm,kstack,change,count.before,count.after,count.difference,count.ratio,time.before_ns,time.after_ns,time.difference_ns,time.ratio,share.before,share.after,share.difference,share.ratio
new,"",added,,9223372036854775807,9223372036854775807,,,1,1,,,0,0,
"x,y",b+0x10;in,changed,10,25,15,2.5,5000,4000,-1000,0.8,0.5,1,0.5,2
gone,"",removed,3,,-3,,,,,,0.25,,-0.25,
same,"",same,1,1,0,1,7,7,0,1,0.25,0.25,0,1
(other),,added,,0,0,,,0,0,,,0,0,' ] && [ "$(cat "$TMP/err")" = "culprit: $TMP/b.json lacks something: 4 dropped" ]
result csv $?
"$C" diff --top 1 -o "$TMP/out.json" "$TMP/a.json" "$TMP/b.json" >"$TMP/out" 2>"$TMP/err"
[ "$(wc -l <"$TMP/out.json")" = 2 ] && grep -q '"change":"added"' "$TMP/out.json"
result top $?

refuses() { # NAME TEXT FILE FILE [OPTION]
	name=$1 text=$2
	shift 2
	timeout 20 "$C" diff "$@" >"$TMP/out" 2>"$TMP/err"
	[ $? != 0 ] && [ ! -s "$TMP/out" ] && grep -qF "$text" "$TMP/err"
	result "$name" $?
}
sed 's/"interval":0/"interval":1/' "$TMP/b.json" >"$TMP/intervals.json"
sed 's/"kind":"table"/"kind":"rows"/' "$TMP/b.json" >"$TMP/rows.json"
sed 's/"comm"/"name"/' "$TMP/b.json" >"$TMP/keys.json"
cat "$TMP/a.json" "$TMP/a.json" >"$TMP/twice.json"
sed 2p "$TMP/a.json" >"$TMP/again.json"
sed 1d "$TMP/a.json" >"$TMP/headless.json"
: >"$TMP/empty.json"
refuses intervals 'several intervals' "$TMP/a.json" "$TMP/intervals.json"
refuses rows 'rows without keys' "$TMP/a.json" "$TMP/rows.json"
refuses keys 'has other keys' "$TMP/a.json" "$TMP/keys.json"
refuses twice 'more than one run' "$TMP/twice.json" "$TMP/a.json"
refuses same_keys 'two rows of the same keys' "$TMP/again.json" "$TMP/a.json"
refuses headless 'before its columns' "$TMP/headless.json" "$TMP/a.json"
refuses empty 'no table in' "$TMP/empty.json" "$TMP/empty.json"
refuses one_empty 'has the query 0' "$TMP/a.json" "$TMP/empty.json"
refuses zeros 'more than 64 MiB' "$TMP/a.json" /dev/zero
refuses folder 'Is a directory' "$TMP/a.json" "$TMP"
refuses no_json 'not the JSON of culprit' "$TMP/a.json" "$0"
refuses one_file 'needs two files' "$TMP/a.json"
refuses picture 'not a format of a table' --format svg "$TMP/a.json" "$TMP/b.json"
