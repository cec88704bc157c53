#!/bin/sh
# What users of other tools write, and the help that they get, place and all: the queries of
# tests/lang/golden/habits, each with what is pointed at. Each row of lang/habit.def is tried.
# Needs the kernel's events, and no privilege beyond that.
C=${CULPRIT_SAN:-$CULPRIT}
golden=tests/lang/golden/habits
result() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fi; }

# A query is the line above its carets; a file for each, so that all are one command.
awk -v to="$TMP/q" '
	/^  *\^~*$/ { file = sprintf("%s%03d", to, ++n); print substr(query, 3) >file; close(file) }
	{ query = $0 }' "$golden"
# The message's words are of tests/err.
"$C" check "$TMP"/q[0-9]* 2>&1 | grep -v '^culprit: ' >"$TMP/got"
diff "$golden" "$TMP/got"
result the_help_of_each $?

# A row's help up to what is filled in.
status=0
sed -n 's/^HABIT(\([A-Z]*\), *\("[^"]*"\), *"\(.*\)")$/\1 \2 \3/p' src/lang/habit.def | sed 's/\\"/"/g' >"$TMP/rows"
while read -r place written help; do
	case $place in OPTION|COMMAND) continue ;; esac
	grep -qF -- "${help%%%*}" "$TMP/got" || { echo "not tried: $place $written"; status=1; }
done <"$TMP/rows"
[ -s "$TMP/rows" ] || status=1
result each_row_is_tried $status

status=0
grep -E '^(OPTION|COMMAND)' "$TMP/rows" >"$TMP/options"
while read -r place written help; do
	word=$(echo "$written" | sed 's/"//g; s/\[\(.\).*\]/\1/; s/\*/x/')
	set -- "$word"
	[ "$place" = COMMAND ] || set -- syncsnoop "$word" 1
	"$C" "$@" 2>&1 | grep -qxF "help: $help" || { echo "$word: not $help"; status=1; }
done <"$TMP/options"
[ -s "$TMP/options" ] || status=1
result the_help_of_each_option_and_command $status
"$C" -e 'kprobe:f' 2>&1 | grep -q "^help: the query is an argument"
result the_help_of_an_option_alone $?
