#!/bin/sh
# Each tests/err/TAG.q through `culprit check`: its mistakes, all of them, by tag and place.
#
# In a file's head:
#   # expect: TAG LINE:COLUMN     a mistake; one without a place has none: `# expect: TAG`
#   # warning: TAG LINE:COLUMN    a warning
#   # args: OPTIONS               of the command line: culprit explain is asked instead
#   # shell: COMMAND              its output is the query, behind the file's text
# With a mistake the exit status is 2 (3: this machine is unable), with warnings only 0. Other files,
# TAG-MORE.q, are further cases. A place is that of the file, the comments' lines included.
set -u
[ -x "$CULPRIT" ] || { echo "skip err_check: no culprit was built"; exit 0; }

for file in tests/err/*.q; do
	name=${file#tests/err/} name=${name%.q}
	command= args= expected=0
	while read -r line; do
		case $line in
		'# shell: '*) command=${line#'# shell: '} ;;
		'# args: '*) args=${line#'# args: '} ;;
		'# expect: unable '*) expected=3 ;;
		'# expect: '*) [ $expected != 0 ] || expected=2 ;;
		esac
	done <"$file"
	query=$file
	if [ -n "$command" ]; then
		query=$TMP/$name.q
		{ cat "$file"; sh -c "$command"; } >"$query"
	fi
	[ -z "$args" ] && how=check || how="explain -f"
	# shellcheck disable=SC2086
	timeout 200 "$CULPRIT" $how "$query" $args >"$TMP/$name.out" 2>&1
	echo "# status: $? $expected" >>"$TMP/$name.out"
done

# Of a file NAME.q what it wants, of NAME.out what culprit said.
awk '
	FNR == 1 {
		name = FILENAME
		gsub(/.*\/|\.[a-z]*$/, "", name)
		if (!(name in seen)) {
			seen[name] = 1
			order[++n] = name
		}
	}
	FILENAME ~ /\.q$/ {
		if (/^# (expect|warning): /) {
			sub(/^# [a-z]*: /, "")
			want[name, $0]++
			wants[name] = wants[name] "# wants: " $0 "\n"
		}
		next
	}
	/^# status: / {
		if ($3 != $4)
			bad[name] = bad[name] " status " $3
		next
	}
	{ said[name] = said[name] "# " $0 "\n" }
	/^culprit: .*\[[a-z-]*\]$/ {
		tag = place = $0
		sub(/.*\[/, "", tag)
		sub(/\]$/, "", tag)
		if (match(place, /\.q:[0-9]+:[0-9]+: /))
			tag = tag " " substr(place, RSTART + 3, RLENGTH - 5)
		if (--want[name, tag] < 0)
			bad[name] = bad[name] " says " tag
	}
	END {
		for (k in want)
			if (want[k] > 0) {
				split(k, part, SUBSEP)
				bad[part[1]] = bad[part[1]] " lacks " part[2]
			}
		for (i = 1; i <= n; i++)
			if (order[i] in bad)
				printf "not ok err_%s:%s\n%s%s", order[i], bad[order[i]], wants[order[i]], said[order[i]]
			else
				print "ok err_" order[i]
	}' tests/err/*.q "$TMP"/*.out

# What is said, where it does not depend on the machine; of what the kernel has the beginning.
for file in tests/err/*.q; do
	name=$(basename "$file" .q)
	case $name in
	no-event-user | no-event-usdt | unable* | no-field-types | too-large) ;;
	*) sed -n "s/^\(help: .*\<\(fields\|members\|names\|aggregations\|functions\): \).*/\1.../
		s/^culprit: [^ ]*:[0-9]*:[0-9]*: /$name: /p
		s/^help: /$name:   help: /p" "$TMP/$name.out" ;;
	esac
done >"$TMP/messages"
diff tests/err/messages "$TMP/messages" && echo "ok err_messages" || echo "not ok err_messages"
