#!/bin/sh
# Every example of README.md and docs/ runs. test: timeout=600 serial
#
#	```culprit		a query that works: `check` likes it, and it runs for a moment
#	```culprit-kernel	the same, where the kernel can trace its functions
#	```culprit-later	one that a later version brings: status 2 and that sentence
#	```sh			`$ culprit ...` lines: status 0, and where output is shown, its
#				first line but for digits and widths
#	```sh-error		one such line: status 2 and exactly the output shown
#
# Without the privilege to trace only what needs none is done.
[ -x "$CULPRIT" ] || { echo "not ok examples: nothing is built"; exit 1; }
PATH=$(dirname "$CULPRIT"):$PATH
moment=0.2

# Blocks become files $TMP/FILE_LINE.KIND
for f in README.md docs/*.md; do
	awk -v to="$TMP/$(basename "$f" .md)" '
		/^```/ {
			if (out) { close(out); out = "" }
			else if ($0 ~ /^```(culprit|culprit-kernel|culprit-later|sh|sh-error)$/) {
				out = to "_" FNR "." substr($0, 4)
				printf "" >out
			}
			next
		}
		out { print >out }' "$f"
done

culprit run -d 0.1 'syscall:* | count' >/dev/null 2>"$TMP/why"
live=$?
[ $live = 0 ] || echo "skip examples_live: $(head -n 1 "$TMP/why")"

failed() { # NAME WHY
	echo "not ok $1: $2"
	sed 's/^/# /' "$TMP/out" "$TMP/err" 2>/dev/null | head -n 20
}

query() { # BLOCK NAME
	if ! culprit check "$1" >"$TMP/out" 2>"$TMP/err"; then
		failed "$2" "is not right"
	elif [ $live = 0 ] && ! timeout 20 "$CULPRIT" run -d $moment -f "$1" >"$TMP/out" 2>"$TMP/err"; then
		failed "$2" "does not run"
	else
		echo "ok $2"
	fi
}

# This machine's kernel has nothing to trace its functions with: status 3.
unable() { # BLOCK
	culprit check "$1" >"$TMP/out" 2>"$TMP/err"
	[ $? = 3 ] && cat "$TMP/out" "$TMP/err" | grep -q 'cannot trace its functions'
}

later() { # BLOCK NAME
	if unable "$1"; then
		echo "skip $2: no kernel functions here"
		return
	fi
	culprit check "$1" >"$TMP/out" 2>"$TMP/err"
	status=$?
	if [ $status != 2 ]; then
		failed "$2" "status $status, not 2"
	elif ! cat "$TMP/out" "$TMP/err" | grep -q 'later version'; then
		failed "$2" "is not answered by a later version"
	else
		echo "ok $2"
	fi
}

# What a line says, whatever its numbers and widths.
shape() { sed 's/[0-9][0-9.]*/N/g; s/[num]secs/secs/g; s/[ \t][ \t]*/ /g; s/ $//; s/^ //'; }

# Commands that trace until they are ended get an end.
bounded() { # COMMAND
	case $1 in
	*\ --\ *|*\ -d\ *|*\ -n\ *|culprit\ list*|culprit\ explain*|culprit\ check*|culprit\ doctor*|culprit\ demo*|culprit\ help*|culprit\ --help|culprit)
		printf '%s' "$1" ;;
	*) printf '%s -d %s' "$1" $moment ;;
	esac | sed "s/ -d [0-9.a-z]*/ -d $moment/; s/ -i [0-9.a-z]*/ -i $moment/; s/ -n [0-9]*/ -n 2/"
}

run_line() { # COMMAND EXPECTED-FILE NAME
	case $1 in
	culprit|culprit\ *) ;;
	*) return ;;
	esac
	timeout 60 sh -c "$(bounded "$1")" >"$TMP/out" 2>"$TMP/err"
	status=$?
	want=$(grep -m 1 . "$2" | shape)
	if [ $status = 3 ] && grep -q 'cannot trace its functions' "$TMP/err"; then
		echo "skip $3: no kernel functions here"
	elif [ $status != 0 ]; then
		failed "$3" "status $status: $1"
	elif [ -n "$want" ] && [ -s "$TMP/out" ] && ! shape <"$TMP/out" | grep -qxF -e "$want"; then
		failed "$3" "no line '$want': $1"
	else
		echo "ok $3"
	fi
}

session() { # BLOCK NAME
	n=0
	line=
	: >"$TMP/expected"
	while IFS= read -r text || [ -n "$text" ]; do
		case $text in
		'$ '*)
			[ -z "$line" ] || run_line "$line" "$TMP/expected" "$2.$n"
			n=$((n + 1))
			line=${text#'$ '}
			: >"$TMP/expected" ;;
		'> '*) line="$line
${text#'> '}" ;;
		*) printf '%s\n' "$text" >>"$TMP/expected" ;;
		esac
	done <"$1"
	[ -z "$line" ] || run_line "$line" "$TMP/expected" "$2.$n"
}

mistake() { # BLOCK NAME
	sed -n '1s/^\$ //p' "$1" >"$TMP/line"
	sed 1d "$1" >"$TMP/expected"
	sh "$TMP/line" >"$TMP/out" 2>&1
	status=$?
	: >"$TMP/err"
	if [ $status != 2 ]; then
		failed "$2" "status $status, not 2"
	elif ! diff "$TMP/expected" "$TMP/out" >"$TMP/err"; then
		failed "$2" "says something else"
	else
		echo "ok $2"
	fi
}

# Something to see.
(
	while :; do
		dd if=/dev/zero of="$TMP/written" bs=4k count=20 conv=fsync
		cat /nonexistent
		ls "$TMP"
		sleep 0.02
	done >/dev/null 2>&1
) &
work=$!
trap 'kill $work' EXIT

for block in "$TMP"/*_*.culprit "$TMP"/*_*.culprit-kernel "$TMP"/*_*.culprit-later "$TMP"/*_*.sh "$TMP"/*_*.sh-error; do
	[ -e "$block" ] || continue
	name=$(basename "$block" | sed 's/\..*//')
	case $block in
	*.culprit-kernel)
		if unable "$block"; then
			echo "skip $name: no kernel functions here"
		else
			query "$block" "$name"
		fi ;;
	*.culprit) query "$block" "$name" ;;
	*.culprit-later) later "$block" "$name" ;;
	*.sh) [ $live != 0 ] || session "$block" "$name" ;;
	*.sh-error) mistake "$block" "$name" ;;
	esac
done
