#!/bin/sh
# Every example of README.md and docs/ runs. test: serial
#
#	```culprit		a query that works: `check` likes it, and it runs for a moment
#	```culprit-kernel	the same, where the kernel can trace its functions
#	```sh			`$ culprit ...` and `$ printf ...` lines: status 0, and where output is shown, its
#				first line but for digits and widths
#	```sh-error		one such line: status 2 and exactly the output shown
#
# Without the privilege to trace only what needs none is done.
[ -x "$CULPRIT" ] || { echo "not ok examples: nothing is built"; exit 1; }
PATH=$(dirname "$CULPRIT"):$PATH
moments='0.1 2 20'

# Blocks become files $TMP/FILE_LINE.KIND
for f in README.md docs/*.md docs/tools/*.md; do
	awk -v to="$TMP/$(echo "${f%.md}" | sed "s:^docs/::" | tr / -)" '
		/^```/ {
			if (out) { close(out); out = "" }
			else if ($0 ~ /^```(culprit|culprit-kernel|sh|sh-error)$/) {
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
	elif [ $live = 0 ] && ! timeout 60 "$CULPRIT" run -d ${moments%% *} -f "$1" >"$TMP/out" 2>"$TMP/err"; then
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

# What a line says, whatever its numbers and widths.
shape() { sed 's/[0-9][0-9.]*/N/g; s/[num]secs/secs/g; s/[ \t][ \t]*/ /g; s/ $//; s/^ //'; }

# Commands that trace until they are ended get an end, process 1234 is this shell.
bounded() { # COMMAND
	case $1 in
	*\ --\ *|*\ -d\ *|*\ -n\ *|printf*|culprit\ flame*|culprit\ list*|culprit\ explain*|culprit\ check*|culprit\ doctor*|culprit\ demo*|culprit\ help*|culprit\ --help|culprit)
		printf '%s' "$1" ;;
	*) printf '%s -d %s' "$1" $moment ;;
	esac | sed "s/ -d [0-9.a-z]*/ -d $moment/; s/ -i [0-9.a-z]*/ -i $moment/; s/ -n [0-9]*/ -n 2/; s/ -p 1234/ -p $$/; s:/tmp/:$TMP/:g; s: -o \([a-z]\): -o $TMP/\1:"
}

# A program below /usr or /opt that the command names and that is not installed.
absent() { # COMMAND
	printf '%s\n' "$1" | tr ' ' '\n' | sed -n 's:^\(/\(usr\|opt\)/[^\:]*\).*:\1:p' |
		while read -r file; do [ -e "$file" ] || echo "$file"; done
}

# Is that line there? What shows nothing at all is right, too.
shown() { # LINE
	[ ! -s "$TMP/out" ] || shape <"$TMP/out" | grep -qxF -e "$1"
}

run_line() { # COMMAND EXPECTED-FILE NAME
	case $1 in
	culprit|culprit\ *|printf\ *) ;;
	*) return ;;
	esac
	missing=$(absent "$1")
	if [ -n "$missing" ]; then
		echo "skip $3: no $missing here"
		return
	fi
	want=$(grep -m 1 . "$2" | shape)
	# what there is to see may not happen in the first moment
	for moment in $moments; do
		timeout 120 sh -c "$(bounded "$1")" >"$TMP/out" 2>"$TMP/err"
		status=$?
		[ $status = 0 ] && [ -n "$want" ] && ! shown "$want" || break
	done
	if [ $status = 3 ] && grep -q 'cannot trace its functions' "$TMP/err"; then
		echo "skip $3: no kernel functions here"
	elif [ $status = 3 ] && grep -q 'has no such counter' "$TMP/err"; then
		echo "skip $3: no counters here"
	elif [ $status != 0 ]; then
		failed "$3" "status $status: $1"
	elif [ -n "$want" ] && ! shown "$want"; then
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
		sleep 0.1
	done >/dev/null 2>&1
) &
work=$!
trap 'kill $work' EXIT

example() { # BLOCK
	name=$(basename "$1" | sed 's/\..*//')
	case $1 in
	*.culprit-kernel)
		if unable "$1"; then
			echo "skip $name: no kernel functions here"
		else
			query "$1" "$name"
		fi ;;
	*.culprit) query "$1" "$name" ;;
	*.sh) [ $live != 0 ] || session "$1" "$name" ;;
	*.sh-error) mistake "$1" "$name" ;;
	esac
}

# Two at a time, as what an example costs is mostly waiting; the sessions of a document in order.
all=$TMP lanes=
for lane in 0 1; do
	(
		trap - EXIT
		TMP=$all/lane$lane n=0 last=
		mkdir "$TMP"
		for block in "$all"/*_*.sh "$all"/*_*.culprit* "$all"/*_*.sh-error; do
			[ -e "$block" ] || continue
			case $block in
			*.sh) document=${block%_*} ;;
			*) document=$block ;;
			esac
			[ "$document" = "$last" ] || n=$((n + 1))
			last=$document
			[ $((n % 2)) = $lane ] || continue
			said=$(example "$block")
			[ -z "$said" ] || printf '%s\n' "$said"
		done
	) &
	lanes="$lanes $!"
done
wait $lanes
