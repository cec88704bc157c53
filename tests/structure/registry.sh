#!/bin/sh
# What is registered in a table is tested and documented: unique names, help texts, a
# test and a line of documentation for each row.
result() { # NAME TEXT: no text, no trouble
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "$2"
		echo "not ok $1"
	fi
}

# Rows of an x-macro file: MACRO(id, "name", ...): the first string of each.
names() { # FILE MACRO
	sed -n "s/^$2([^\"]*\"\([^\"]*\)\".*/\1/p" "$1"
}

twice() { sort | uniq -d | sed 's/$/: registered twice/'; }

[ -e src/lang/diag.def ] && {
	result errors_are_unique "$(names src/lang/diag.def DIAG | twice)"
	result each_error_has_a_test "$(names src/lang/diag.def DIAG | while read -r tag; do
		[ -e "tests/err/$tag.q" ] || echo "no tests/err/$tag.q"
	done)"
}

# Functions and aggregations: what is written is registered, and has a row in the table of
# its section. A percentile is called p and a number.
documented() { # FOLDER SECTION
	rows=$(sed -n "/^### $2\$/,/^##/s/^| \(\`[^|]*\`\) |.*/\1/p" docs/language.md)
	sed -n 's/^\t\.name = "\([a-z0-9]*\)",$/\1/p' src/$1/*.c | sed 's/^p$/p[0-9]*/' | while read -r name; do
		echo "$rows" | grep -q "\`$name[(\`]" || echo "docs/language.md, $2: no row for $name"
	done
}
for kind in 'func FUNC function' 'agg AGG aggregation'; do
	set -- $kind
	result $3s_are_unique "$(sed -n 's/^\t\.name = \("[a-z0-9]*"\),$/\1/p' src/$1/*.c | twice)"
	sed -n "s/^$2(\(.*\))$/\1/p" "src/$1/$1.def" | sort >"$TMP/rows"
	result each_$3_is_registered "$(sed -n "s/^const struct $1_ops $1_\([a-z0-9_]*\) = {$/\1/p" src/$1/*.c |
		sort | diff - "$TMP/rows")$([ -s "$TMP/rows" ] || echo "src/$1/$1.def has no rows")"
done
result each_function_is_documented "$(documented func Functions)"
result each_aggregation_is_documented "$(documented agg Aggregations)"
result each_tool_answers_a_question "$(for f in tools/*.q; do
	question=$(sed -n 's/^# Question: //p' "$f")
	grep -qxF "QUESTION(\"$question\")" src/question.def ||
		echo "$f: '$question' is not in src/question.def"
done)"
result each_tool_is_documented "$(for f in tools/*.q; do
	[ -e "$f" ] || continue
	name=$(basename "$f" .q)
	head -n 1 "$f" | grep -q '^# *[^ ]' || echo "$f does not begin with its help"
	grep -qs "\b$name\b" README.md docs/tools/*.md || echo "no document tells of $name"
	grep -rqs "\b$name\b" tests/tools tests/live tests/vm || echo "no test runs $name"
done)"
result each_peer_is_a_tool_or_has_a_reason "$(grep -v '^#' packaging/peers | while IFS='	' read -r name why; do
	[ -e "tools/$name.q" ] || [ -n "$why" ] || echo "packaging/peers: no tools/$name.q, and no reason"
done)"
result peers_are_unique "$(cut -f 1 packaging/peers | grep -v '^#' | twice)"

# Rows that `culprit help` teaches from: the texts stand behind the name.
result each_row_has_its_texts "$(for f in lang/stage lang/common table/op lang/word; do
	sed -e ':row' -e '/,$/{' -e 'N' -e 's/,\n\t*/, /' -e 'b row' -e '}' "src/$f.def" |
		grep '^[A-Z]*(.*"' | grep -E ', ""(, "|\))|^[^"]*"[^"]*"\)' | sed "s|^|src/$f.def: no text: |"
done
for f in $(grep -l '^const struct agg_ops agg_.*{$' src/agg/*.c) $(grep -l '^const struct func_ops func_.*{$' src/func/*.c) $(grep -l '^const struct source_ops source_.*{$' src/event/*.c); do
	ops=$(grep -cE '^const struct (agg|func|source)_ops .*\{$' "$f")
	[ "$(grep -c '\.help = "[^"]' "$f")" = "$ops" ] && [ "$(grep -c '\.example = "[^"]' "$f")" = "$ops" ] ||
		echo "$f: no text or no example"
done
grep -n '""' src/table/loss.def)"
