#!/bin/sh
# explain --trace tells what a query does with a trace, not with this machine; what lists a trace
# takes no option that it would ignore.
. tests/replay/lib
if ! command -v python3 >/dev/null; then
	echo "skip explain: no python3"
	exit
fi
python3 tests/ctf/writer.py "$TMP/made" || echo "not ok explain_writer"

# NAME STATUS TEXT NOT ARGUMENTS...: how it ends, a part of what is said, and what is not
says() {
	name=$1
	status=$2
	text=$3
	not=$4
	shift 4
	"$C" "$@" >"$TMP/out" 2>&1
	echo $? >"$TMP/ours"
	echo "$status" >"$TMP/theirs"
	grep -qF -e "$text" "$TMP/out" || cat "$TMP/out" >>"$TMP/ours"
	[ -z "$not" ] || ! grep -F -e "$not" "$TMP/out" >>"$TMP/ours"
	check "explain_$name"
}
q='plain | count by event'
says event 0 'plain: recorded event; ' 'kernel' explain --trace "$TMP/made/index" "$q"
says rows 0 'each row is printed as it happens' 'ring' explain 'plain' --trace "$TMP/made/index"
says code 0 'program plain at plain' '' explain -db "$q" --trace "$TMP/made/index"
says dump 0 'a source         plain' '' explain -dt "$q" --trace "$TMP/no-such-folder"
says no_event 2 'list events --trace PATH' 'list syscalls' explain 'syscall:read | count' \
	--trace "$TMP/made/index"
says lacks 3 'kstack is not in this trace' '' explain 'plain | count by kstack' \
	--trace "$TMP/made/index"
says no_trace 1 no-such-folder '' explain "$q" --trace "$TMP/no-such-folder"
says begin 2 'work only with a trace' '' explain "$q" --begin 5
says list 2 'there is no option --format' '' list events --trace "$TMP/made/index" --format json
says doctor 2 'there is no option --begin' '' doctor --trace "$TMP/made/index" --begin 5
