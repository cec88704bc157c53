#!/bin/sh
# What culprit says about itself, under the sanitisers: status 0, standard output, and
# each tool, option and command in it. Needs no privilege. What a tool costs is told by the
# program itself: with the sanitisers tests/cmd/each_tool.sh compiles each. test: early
C=${CULPRIT_SAN:-$CULPRIT}
result() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fi; }

"$C" >"$TMP/out" 2>"$TMP/err"
status=$?
for f in tools/*.q; do
	grep -qw "$(basename "$f" .q)" "$TMP/out" || { echo "no $f"; status=1; }
done
[ -s "$TMP/err" ] && status=1
result alone_names_every_tool $status
[ "$(wc -l <"$TMP/out")" -le 20 ]
result alone_is_short $?

"$C" --help >"$TMP/out" 2>&1
status=$?
for c in $(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' src/commands.def); do
	grep -q "^culprit $c " "$TMP/out" || { echo "no $c"; status=1; }
	"$C" "$c" --help >"$TMP/help" 2>&1 || status=1
	head -n 1 "$TMP/help" | grep -q "^culprit $c" || { echo "$c --help"; status=1; }
done
result help_has_every_command $status

"$C" --version | grep -qx 'culprit [0-9.]*'
result version $?

status=0
for f in tools/*.q; do
	tool=$(basename "$f" .q)
	"$C" "$tool" --help >"$TMP/a" 2>&1 || { echo "$tool --help"; status=1; }
	"$CULPRIT" "$tool" -h >"$TMP/b" 2>&1 || status=1
	"$CULPRIT" help "$tool" >"$TMP/c" 2>"$TMP/err" || status=1
	head -c "$(wc -c <"$TMP/a")" "$TMP/c" | cmp -s "$TMP/a" - && cmp -s "$TMP/a" "$TMP/b" ||
		{ echo "$tool: they differ"; status=1; }
	[ "$(tail -n 1 "$f")" = "$(tail -n 1 "$TMP/c")" ] || { echo "$tool: no query"; status=1; }
	# nothing can be said of a kernel that cannot be looked at
	[ -s "$TMP/err" ] || grep -qE '^(Cost: (cheap|per event|heavy)\.|Cost and needs are|Needs what is missing)' "$TMP/c" ||
		{ echo "$tool: no cost"; status=1; }
	grep -q '\$ culprit' "$TMP/a" || { echo "$tool: no example"; status=1; }
	grep -qF "$(sed -n '1s/^# *//p' "$f")" "$TMP/a" || { echo "$tool: no summary"; status=1; }
	for p in $(sed -n 's/^param  *\([a-z_0-9]*\).*/\1/p' "$f" | tr _ -); do
		grep -qe "--$p\>" "$TMP/a" || { echo "$tool: no --$p"; status=1; }
	done
done
result help_of_each_tool $status

# What it costs: by how often its events happen and what is done each time.
costs() { # TOOL
	"$C" help "$1" 2>/dev/null | sed -n 's/^Cost: \([a-z ]*\)\..*/\1/p'
}
if [ -s "$TMP/err" ]; then
	echo "skip help_cost: $(head -n 1 "$TMP/err")"
else
	[ "$(costs profile), $(costs syscount), $(costs offcputime)" = 'cheap, per event, heavy' ]
	result help_cost $?
	"$C" help gethostlatency | grep -q '^  functions of programs: uprobe '
	result help_needs $?
fi

"$C" run --help >"$TMP/out" 2>&1
result run_help $?
"$C" help nothing_like_it >"$TMP/out" 2>&1
[ $? = 2 ]
result help_of_nothing $?

ln -s "$C" "$TMP/opensnoop"
"$TMP/opensnoop" --help | grep -q '^culprit opensnoop '
result link_named_after_a_tool $?

for command in '' --help 'help opensnoop' 'list tools'; do
	# shellcheck disable=SC2086
	"$C" $command >/dev/full 2>"$TMP/err"
	[ $? = 1 ] && grep -q 'cannot write' "$TMP/err" || { echo "'$command'"; false; }
	result "full_disk_$(echo "$command" | tr ' -' '__')" $?
done
