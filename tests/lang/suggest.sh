#!/bin/sh
# What is offered for a name that nothing has: the nearest of all that may stand there.
C=${CULPRIT_SAN:-$CULPRIT}

# NAME, the help, a query
offers() {
	if "$C" explain "$3" 2>&1 | grep "^help: " | grep -qF -- "$2"; then
		echo "ok suggest_$1"
	else
		"$C" explain "$3" 2>&1 | sed 's/^/# /'
		echo "not ok suggest_$1"
	fi
}

offers duration "did you mean 'duration'?" 'syscall:read | print comm, durration'
offers in_an_aggregation "did you mean 'duration'?" 'syscall:read | p50(durration)'
offers in_a_key "did you mean 'comm'?" 'syscall:read | count by comn'
offers let "did you mean 'took'?" 'syscall:read | let took = duration | print tooke'
offers nearest_not_first "did you mean 'comm'?" 'syscall:read.enter | count by comn'
offers parameter "did you mean '\$least'?" 'param least: int = 3; syscall:read | where ret > leest'
offers field "did you mean 'next_pid'? fields: prev_" 'sched:sched_switch | count by nxt_pid'
offers all "fields: fd buf count ret; of each row: duration depth time cpu pid tid ppid comm " 'syscall:read | print xyzzy'
offers all_but_duration "fields: fd buf count; of each row: time cpu pid " 'syscall:read.enter | print xyzzy'
offers depth "did you mean 'depth'?" 'libc.so.6:malloc() | count by deepth'
offers aggregation "did you mean 'count'?" 'syscall:read | coun by comm'
offers all_aggregations "aggregations: count sum " 'syscall:read | nosuchthing(pid)'
offers stage "did you mean 'top'?" 'syscall:read | count by comm | toop'
offers stage_as_aggregation "did you mean 'where'?" 'syscall:read | whrere(pid)'
offers program_or_library "of a program write its path, /PATH/truth:work(), of a library LIB.so:work(); of a module: load it: modprobe truth" 'truth:work() | count'
offers library "write libc.so:malloc()" 'libc:malloc() | count'
offers library_without_lib "write libc.so:malloc()" 'c:malloc() | count'
offers bare "write libc.so:malloc()" 'malloc() | count'

# A program that is there is found, and the kernel is not blamed for what it does not have.
cp "$B/tests/work/work" "$TMP/truth"
cd "$TMP" || exit 1
offers program "write ./truth:main()" 'truth:main() | count'
offers program_without_parentheses "write ./truth:main(), or its .enter or .return" './truth:main | count'
offers program_slip "did you mean 'main'?" './truth:mian() | count'
offers program_slip_without_parentheses "did you mean 'main'?" './truth:mian | count'
printf '%s\n' '#include <stdint.h>' 'int main(void) { __asm__("990: nop\n.pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, 0, 0\n.asciz \"shop\"\n.asciz \"order__end\"\n.asciz \"\"\n994: .balign 4\n.popsection"); return 0; }' >shop.c
if cc -o shop shop.c 2>/dev/null; then
	offers probe_slip "did you mean 'order__end'?" 'usdt:./shop:order__edn | count'
else
	echo 'skip suggest_probe_slip: no cc'
fi
"$C" explain 'malloc() | count' >"$TMP/out" 2>&1
[ $? = 2 ] && grep -q "the kernel has no function 'malloc' " "$TMP/out" && echo "ok suggest_blames_nobody" ||
	echo "not ok suggest_blames_nobody"
