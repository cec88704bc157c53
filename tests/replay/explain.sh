#!/bin/sh
# explain --trace tells what a query does with a trace, not with this machine; what lists a trace
# takes no option that it would ignore.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 tests/ctf/writer.py "$TMP/made" || echo "not ok explain_writer"

# NAME TEXT: nor was that said
nor() {
	grep -F -e "$2" "$TMP/out" && echo "not ok explain_$1" || echo "ok explain_$1"
}
q='plain | count by event'
t=$TMP/made/index
says explain_event 0 'plain: recorded event; ' explain --trace "$t" "$q"
nor no_kernel kernel
says explain_rows 0 'each row is printed as it happens' explain 'plain' --trace "$t"
nor no_ring ring
says explain_code 0 'program plain at plain' explain -db "$q" --trace "$t"
says explain_dump 0 'a source         plain' explain -dt "$q" --trace "$TMP/no-such-folder"
says explain_no_event 2 'list events --trace PATH' explain 'syscall:read | count' --trace "$t"
nor no_list_syscalls 'list syscalls'
says explain_lacks 3 'kstack is not in this trace' explain 'plain | count by kstack' --trace "$t"
says explain_no_trace 1 no-such-folder explain "$q" --trace "$TMP/no-such-folder"
says explain_begin 2 'work only with a trace' explain "$q" --begin 5
says list_format 2 'there is no option --format' list events --trace "$t" --format json
says doctor_begin 2 'there is no option --begin' doctor --trace "$t" --begin 5
