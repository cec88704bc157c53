#!/bin/sh
# docs/language.md has every row of the language's tables, in code marks where it is text
# of a query.
doc=docs/language.md

names() { sed -n "s/^$2([^\"]*\"\([^\"]*\)\".*/\1/p" "$1"; } # FILE MACRO: the first strings

# An empty list is a mistake of this script.
some() { sort -u | awk '{ print } END { if (!NR) print "no rows were found" }'; }

# Lines of texts, each of which must stand in a code span, alone or before more.
coded() { # WHAT
	missing=$(some | while read -r text; do
		grep -qF -e "\`$text" -e " $text\`" -e " $text " $doc || echo "$doc has no \`$text\`"
	done)
	report "$1"
}

plain() { # WHAT: the words must stand somewhere
	missing=$(some | while read -r text; do
		grep -qwF -e "$text" $doc || echo "$doc does not tell of $text"
	done)
	report "$1"
}

report() { # WHAT
	if [ -z "$missing" ]; then
		echo "ok each_$1_is_documented"
	else
		echo "$missing"
		echo "not ok each_$1_is_documented"
	fi
}

sed -n 's/^\t\.name = "\([a-z]*\)",$/\1(/p' src/func/*.c | coded function
names src/lang/stage.def STAGE | grep . | coded stage
names src/lang/common.def COMMON | coded common_field
names src/table/op.def OP | grep -v '|' | coded operator
names src/table/type.def TYPE | grep -vxE 'error|none' | plain type
sed -n '/^const struct param_type param_types/,/^}/s/.*\.name = "\([a-z]*\)".*/\1/p' src/plan/param.c |
	coded parameter_type
sed -n 's/^\t\.name = "\([a-z]*\)",$/\1/p' src/agg/*.c | grep -vx p | coded aggregation
sed -n '/^static const struct unit/,/^}/s/{ "/\n&/gp' src/base/units.c |
	sed -n 's/^{ "\([A-Za-z]*\)".*/\1/p' | plain unit
sed -n 's/^\t{ "\([a-z-]*\)", PERF_TYPE.*/\1/p' src/event/sample.c | plain sample
names src/table/loss.def LOSS | coded counter
sed -n 's/^\t\[STATE_[A-Z]*\] = { "\([a-z]*\)".*/\1/p' src/table/type.c | plain state
