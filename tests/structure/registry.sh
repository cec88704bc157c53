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
	awk -v section="$2" '
		FNR == 1 { part++ }
		part == 1 && /^##/ { inside = $0 == "### " section }
		part == 1 && inside && /^\| `[^|]*` \|/ { rows = rows $0 "\n" }
		part > 1 && /^\t\.name = "[a-z0-9]*",$/ {
			name = $3; gsub(/[",]/, "", name); n++
			if (rows !~ "`" (name == "p" ? "p[0-9]*" : name) "[(`]")
				print "docs/language.md, " section ": no row for " name
		}
		END { if (!n || !rows) print section ": no rows" }' docs/language.md src/"$1"/*.c
}
for kind in 'func FUNC function' 'agg AGG aggregation' 'view VIEW view'; do
	set -- $kind
	result $3s_are_unique "$(sed -n 's/^\t\.name = \("[a-z0-9]*"\),$/\1/p' src/$1/*.c | twice)"
	sed -n "s/^$2(\(.*\))$/\1/p" "src/$1/$1.def" | sort >"$TMP/rows"
	result each_$3_is_registered "$(sed -n "s/^const struct $1_ops $1_\([a-z0-9_]*\) = {$/\1/p" src/$1/*.c |
		sort | diff - "$TMP/rows")$([ -s "$TMP/rows" ] || echo "src/$1/$1.def has no rows")"
done
result each_function_is_documented "$(documented func Functions)"
result each_aggregation_is_documented "$(documented agg Aggregations)"
# The words of a folder's files, for names to be looked up in.
words() { cat "$@" 2>/dev/null | grep -o '[A-Za-z0-9_]*' | sort -u; }
words README.md docs/tools/*.md >"$TMP/documented"
find tests/live tests/qemu -type f -exec cat {} + | words - >"$TMP/tested"
ls tools | sed -n 's/\.q$//p' >"$TMP/tools"
result each_tool_answers_a_question "$(awk '
	FILENAME ~ /question.def$/ { if (/^QUESTION\("/) { sub(/^QUESTION\("/, ""); sub(/"\).*/, ""); known[$0] = 1 }; next }
	FNR == 1 { n++ }
	sub(/^# Question: /, "") { if (!($0 in known)) print FILENAME ": \"" $0 "\" is not in src/cli/question.def"; told++ }
	END { if (told != n) print n - told " tools without a question" }' src/cli/question.def tools/*.q)"
result each_tool_is_documented "$(
	awk 'FNR == 1 && !/^# *[^ ]/ { print FILENAME " does not begin with its help" }' tools/*.q
	grep -vxFf "$TMP/documented" "$TMP/tools" | sed 's/^/no document tells of /'
	grep -vxFf "$TMP/tested" "$TMP/tools" | sed 's/^/no test runs /')"
result each_peer_is_a_tool_or_has_a_reason "$(grep -v '^#' packaging/peers | while IFS='	' read -r name why; do
	case $([ -e "tools/$name.q" ] && echo tool)+${why:+reason} in
	tool+ | +reason) ;;
	*) echo "packaging/peers: $name is a tool, or has a reason why there is none: one of both" ;;
	esac
done)"
result peers_are_unique "$(cut -f 1 packaging/peers | grep -v '^#' | twice)"

# Rows that `culprit help` teaches from: the texts stand behind the name.
result each_row_has_its_texts "$(for f in lang/stage lang/common table/op lang/word; do
	sed -e ':row' -e '/,$/{' -e 'N' -e 's/,\n\t*/, /' -e 'b row' -e '}' "src/$f.def" |
		grep '^[A-Z]*(.*"' | grep -E ', ""(, "|\))|^[^"]*"[^"]*"\)' | sed "s|^|src/$f.def: no text: |"
done
awk '
	function end() { if (ops && (helps != ops || examples != ops)) print file ": no text or no example" }
	FNR == 1 { end(); file = FILENAME; ops = helps = examples = 0 }
	/^const struct (agg|func|source)_ops (agg|func|source)_.*\{$/ { ops++; all++ }
	/\.help = "[^"]/ { helps++ }
	/\.example = "[^"]/ { examples++ }
	END { end(); if (!all) print "no rows were found" }' src/agg/*.c src/func/*.c src/event/*.c
grep -n '""' src/table/loss.def)"
