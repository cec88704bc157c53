#!/bin/sh
# Every example of README.md and docs/ runs; of docs/tools `make test` has a third. test: serial
#
#	```culprit		a query that works: `check` likes it, and it runs for a moment
#	```culprit-kernel	the same, where the kernel can trace its functions
#	```sh			`$ culprit ...` and `$ printf ...` lines: status 0, and where output is shown, its
#				first line but for digits and widths
#	```sh-error		one such line: status 2 and exactly the output shown
#
# A program that tests/deps only unpacked is taken from there. Without the privilege to trace, queries are only checked. What there is to see may not happen
# in the first moment: an example that does not show its line gets longer ones. Three run at a time,
# as each mostly waits for the kernel. What traces the machine costs thrice beside other tests. Awk takes the documents apart and judges, as each
# process that a shell starts takes milliseconds.
[ -x "$CULPRIT" ] || { echo "not ok examples: nothing is built"; exit 1; }
PATH=$(dirname "$CULPRIT"):$PATH

# What a line says, whatever its numbers and widths.
shape='function shape(line) {
	gsub(/[0-9][0-9.]*/, "N", line); gsub(/[num]secs/, "secs", line)
	gsub(/[ \t]+/, " ", line); sub(/^ /, "", line); sub(/ $/, "", line)
	return line
}'

# For each example $TMP/LANE/NAME.sh (what runs), NAME.want (what it must show), of a query
# NAME.q or, of kernel functions, NAME.kq, and a line of $TMP/LANE/list: NAME KIND FILE... (programs of /usr or /opt that it needs).
# shellcheck disable=SC2016
split=$shape'
BEGIN { while (only && (getline line <only) > 0) wanted[line] = 1 }
FNR == 1 { document = FILENAME; sub(/^docs\//, "", document); sub(/\.md$/, "", document)
	gsub("/", "-", document); taken = 0 }
/^```/ {
	if (kind) finish()
	else if ($0 ~ /^```(culprit|culprit-kernel|sh|sh-error)$/) {
		kind = substr($0, 4); block = document "_" FNR; n = 0; text = ""; command = ""
		if (!taken) lane = (lane + 1) % lanes
		taken = 1
	}
	next
}
!kind { next }
kind ~ /^culprit/ { text = text $0 "\n"; next }
/^\$ / { finish_line(); n++; command = substr($0, 3); text = ""; next }
/^> / && kind == "sh" { command = command "\n" substr($0, 3); next }
{ text = text $0 "\n" }

function finish(	name) {
	if (kind ~ /^culprit/) {
		name = to "/" lane "/" block (kind == "culprit" ? ".q" : ".kq")
		printf "%s", text >name
		close(name)
		example(block, (live ? "culprit run -d " moment " -f " : "culprit check ") name, "", "")
	} else finish_line()
	kind = ""
}

function finish_line(	lines, i, want) {
	if (kind == "sh-error") { if (command) example(block, command, text); command = ""; return }
	if (!live || command !~ /^(culprit|printf)( |$)/) return
	split(text, lines, "\n")
	for (i = 1; i in lines && lines[i] == ""; i++);
	if (i in lines) want = shape(lines[i])
	example(block "." n, bounded(command), want)
}

# Commands that trace until they are ended get an end, process 1234 is this shell.
function bounded(command) {
	if (command !~ / (--|-d|-n) / && command !~ /^(printf|culprit$|culprit (flame|diff|list|explain|check|doctor|demo|help|--help))/)
		command = command " -d 1"
	gsub(/ -d [0-9.a-z]*/, " -d " moment, command); gsub(/ -i [0-9.a-z]*/, " -i " moment, command)
	gsub(/ -n [0-9]+/, " -n 2", command); gsub(/ -p 1234/, " -p " pid, command)
	gsub("/tmp/", to "/" lane "/", command)
	while (match(command, / -o [a-z]/))
		command = substr(command, 1, RSTART + 3) to "/" lane "/" substr(command, RSTART + 4)
	return command
}

function example(name, command, want,	path, words, i, needs) {
	if (only && !(name in wanted)) return
	path = to "/" lane "/" name
	print command >(path ".sh"); close(path ".sh")
	printf "%s", want >(path ".want"); close(path ".want")
	split(command, words, /[ \n]+/)
	for (i = 1; i in words; i++)
		if (words[i] ~ /^\/(usr|opt)\//) { sub(/:.*/, "", words[i]); needs = needs " " words[i] }
	print path, kind needs >(to "/" lane "/list")
}'

# Reads STATUS NAME KIND lines; a line that is not shown goes to `again`, if there is one.
# shellcheck disable=SC2016
judge=$shape'
function slurp(path,	line, text) {
	while ((getline line <path) > 0) text = text line "\n"
	close(path)
	return text
}
function shown(want, text,	lines, i) {
	split(text, lines, "\n")
	for (i = 1; i in lines; i++) if (shape(lines[i]) == want) return 1
	return 0
}
{
	name = $2; sub(/.*\//, "", name)
	out = slurp($2 ".out"); err = slurp($2 ".err"); want = slurp($2 ".want"); why = ""
	if ($3 != "sh-error") sub(/\n$/, "", want)
	if ($1 == "absent") { print "skip " name ": no " $4 " here"; next }
	if (($3 == "sh" && $1 == 3 && err ~ /cannot trace its functions|has no such counter/) ||
	    ($3 == "culprit-kernel" && $1 == 3 && err ~ /cannot trace its functions/)) {
		print "skip " name ": no " (err ~ /counter/ ? "counters" : "kernel functions") " here"; next
	}
	if ($1 != ($3 == "sh-error" ? 2 : 0)) why = "status " $1
	else if ($3 == "sh-error" && out err != want) why = "says something else"
	else if ($3 != "sh-error" && want != "" && out != "" && !shown(want, out)) {
		if (again) { print name >again; next }
		why = "no line \"" want "\""
	}
	if (!why) { print "ok " name; next }
	print "not ok " name ": " why ": " slurp($2 ".sh")
	text = out err; gsub(/\n/, "\n# ", text); print "# " substr(text, 1, 2000)
}'

culprit run -d 0.1 'syscall:* | count' >/dev/null 2>"$TMP/why" && live=1 || live=0
[ "$live" = 1 ] || echo "skip examples_live: $(head -n 1 "$TMP/why")"

# Something to see.
while :; do
	dd if=/dev/zero of="$TMP/written" bs=4k count=20 conv=fsync
	cat /nonexistent
	ls "$TMP"
	sleep 0.1
done >/dev/null 2>&1 &
work=$!
trap 'kill $work' EXIT

run_lane() { # FOLDER: the examples of a document in order
	trap - EXIT
	while read -r name kind needs; do
		for file in $needs; do
			[ ! -e "$file" ] || continue
			[ -e "$B/debian$file" ] || { echo "absent $name $kind $file"; continue 2; }
			sed -i "s|$file|$B/debian$file|g" "$name.sh"
		done
		timeout 120 sh "$name.sh" >"$name.out" 2>"$name.err" </dev/null
		echo "$? $name $kind"
	done <"$1/list" >"$1/done"
}

# Of every third tool, or of all.
tools=$(ls docs/tools/*.md | awk -v all="${ALL-}" 'all != "" || NR % 3 == 1')
lanes="0 1 2"
for lane in $lanes; do mkdir "$TMP/$lane"; done
only=
for moment in 0.1 2 20; do
	for lane in $lanes; do : >"$TMP/$lane/list"; done
	awk -v to="$TMP" -v lanes="$(echo "$lanes" | wc -w)" -v live="$live" -v moment=$moment -v pid=$$ -v only="$only" "$split" \
		README.md docs/*.md $tools
	running=
	for lane in $lanes; do run_lane "$TMP/$lane" & running="$running $!"; done
	# shellcheck disable=SC2086
	wait $running
	again=$TMP/again.$moment
	[ $moment != 20 ] || again=
	awk -v again="$again" "$judge" "$TMP"/[0-9]/done
	[ -s "$again" ] || break
	only=$again
done

# Each way through a query that has parameters, all in one command.
if culprit check "$TMP"/[0-9]/*.q >"$TMP/out" 2>&1 && [ "$(grep -c ': ok$' "$TMP/out")" -gt 20 ]; then
	echo "ok examples_checked"
else
	grep -v ': ok$' "$TMP/out"
	echo "not ok examples_checked"
fi
