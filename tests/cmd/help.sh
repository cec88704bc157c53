#!/bin/sh
# What culprit says about itself, under the sanitisers: status 0, standard output, and
# each tool, option and command in it. Needs no privilege. What a tool costs is told by the
# program itself: with the sanitisers tests/cmd/each_tool.sh compiles each. test: early
C=${CULPRIT_SAN:-$CULPRIT}
result() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fi; }

"$C" >"$TMP/out" 2>"$TMP/err"
status=$?
grep -o '[a-z0-9_]*' "$TMP/out" >"$TMP/words"
ls tools | sed -n 's/\.q$//p' | grep -vxFf "$TMP/words" && status=1
[ -s "$TMP/err" ] && status=1
result alone_names_every_tool $status
[ "$(wc -l <"$TMP/out")" -le 40 ] && ! grep -E ".{81}" "$TMP/out"
result alone_is_short $?

"$C" --help >"$TMP/out" 2>&1
status=$?
for c in $(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' src/cli/commands.def); do
	grep -q "^culprit $c\\( \\|$\\)" "$TMP/out" || { echo "no $c"; status=1; }
	"$C" "$c" --help >"$TMP/help" 2>&1 || status=1
	head -n 1 "$TMP/help" | grep -q "^culprit $c" || { echo "$c --help"; status=1; }
done
result help_has_every_command $status

"$C" --version | grep -qx 'culprit [0-9.]*'
result version $?

# Of each tool: --help is how `help` begins, -h the same; then its cost and its query. Without --all
# -h of one of eight, and these under the sanitisers, which take 0.1 s to start.
says() { # WHAT TEXT PIECE: the text has this piece
	case $2 in *"$3"*) ;; *) echo "$tool: no $1"; status=1 ;; esac
}
status=0 n=0
for f in tools/*.q; do
	tool=${f#tools/} tool=${tool%.q} n=$((n + 1)) binary=$CULPRIT
	[ -z "${ALL-}" ] && [ $((n % 8)) != 0 ] || binary=$C
	help=$("$binary" "$tool" --help 2>&1) || { echo "$tool --help"; status=1; }
	[ "$binary" = "$CULPRIT" ] || [ "$help" = "$("$CULPRIT" "$tool" -h 2>&1)" ] || { echo "$tool -h"; status=1; }
	whole=$("$CULPRIT" help "$tool" 2>"$TMP/err") || { echo "help $tool"; status=1; }
	case $whole in "$help"*) ;; *) echo "$tool: they differ"; status=1 ;; esac
	# nothing can be said of a kernel that cannot be looked at
	[ -s "$TMP/err" ] || case $whole in
	*'
Cost: cheap.'*|*'
Cost: per event.'*|*'
Cost: heavy.'*|*'
Cost and needs are'*|*'
Needs what is missing'*) ;;
	*) echo "$tool: no cost"; status=1 ;;
	esac
	says example "$help" '$ culprit'
	title=
	while IFS= read -r line; do
		case $line in
		'# '*) [ -n "$title" ] || title=${line#'# '} ;;
		param\ *)
			name=${line#param } name=${name%%[!a-z_0-9]*}
			while :; do case $name in *_*) name=${name%%_*}-${name#*_} ;; *) break ;; esac; done
			says "--$name" "$help" "--$name" ;;
		esac
		query=$line
	done <"$f"
	says query "$whole" "
$query"
	says summary "$help" "$title"
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

for command in '' --help 'list tools'; do
	# shellcheck disable=SC2086
	! "$C" $command | grep -E '.{81}'
	result "fits_a_narrow_terminal_$(echo "$command" | tr ' -' '__')" $?
done
missing=0
"$C" biolatency --help >"$TMP/out"
for option in $(sed -n "s/^OPTION([a-z_]*, *0, *\"\([^\"]*\)\".*/--\1/p; s/^OPTION([a-z_]*, *'\(.\)'.*/-\1/p" src/cli/options.def); do
	grep -qe " $option\( \|$\)" "$TMP/out" || { echo "no $option"; missing=1; }
done
result tool_help_names_each_common_option $missing

"$C" help heatmap | grep -q '^  --format html  .* heatmap '
result help_of_a_picture $?

ln -s "$C" "$TMP/opensnoop"
"$TMP/opensnoop" --help | grep -q '^culprit opensnoop '
result link_named_after_a_tool $?

for command in '' --help 'help opensnoop' 'list tools'; do
	# shellcheck disable=SC2086
	"$C" $command >/dev/full 2>"$TMP/err"
	[ $? = 1 ] && grep -q 'cannot write' "$TMP/err" || { echo "'$command'"; false; }
	result "full_disk_$(echo "$command" | tr ' -' '__')" $?
done
