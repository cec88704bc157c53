#!/bin/sh
# Each tests/err/TAG.q through `culprit check`: its mistakes, all of them, by tag and place.
#
# In a file:
#   # expect: TAG LINE:COLUMN     a mistake; one without a place has none: `# expect: TAG`
#   # warning: TAG LINE:COLUMN    a warning
#   # args: OPTIONS               of the command line: culprit explain is asked instead
#   # shell: COMMAND              its output is the query, behind the file's text
# With a mistake the exit status is 2 (3: this machine is unable), with warnings only 0. Other files,
# TAG-MORE.q, are further cases. A place is that of the file, the comments' lines included.
set -u
[ -x "$CULPRIT" ] || { echo "skip err_check: no culprit was built"; exit 0; }

for file in tests/err/*.q; do
	name=$(basename "$file" .q)
	cp "$file" "$TMP/query"
	command=$(sed -n 's/^# shell: //p' "$file")
	[ -z "$command" ] || sh -c "$command" >>"$TMP/query"
	sed -n -e 's/^# expect: //p' -e 's/^# warning: \(.*\)/\1/p' "$file" | sort >"$TMP/want"
	args=$(sed -n 's/^# args: //p' "$file")
	[ -z "$args" ] && how=check || how="explain $args -f"
	# shellcheck disable=SC2086
	timeout 20 "$CULPRIT" $how "$TMP/query" >"$TMP/out" 2>&1
	status=$?
	sed -n -e 's/^culprit: [^ ]*query:\([0-9]*:[0-9]*\): .*\[\([a-z-]*\)\]$/\2 \1/p' \
		-e t -e 's/^culprit: .*\[\([a-z-]*\)\]$/\1/p' "$TMP/out" | sort >"$TMP/got"
	expected=2
	grep -q '^# expect: ' "$file" || expected=0
	! grep -q '^# expect: unable ' "$file" || expected=3
	if cmp -s "$TMP/want" "$TMP/got" && [ $status = $expected ]; then
		echo "ok err_$name"
	else
		echo "not ok err_$name: status $status"
		sed 's/^/# wants: /' "$TMP/want"
		head -20 "$TMP/out" | sed 's/^/# /'
	fi
done
