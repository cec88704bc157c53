#!/bin/sh
# The options that tools of these names have elsewhere (tests/cmd/other_options: a tool and its
# options, a value behind :): each is one here, too, or is answered with what to write. And each row of
# lang/other_option.def answers one of them. Needs no privilege.
C=${CULPRIT_SAN:-$CULPRIT}
status=0
while read -r tool options; do
	for option in $options; do
		word=${option#"${option%%:*}"}
		# what follows is no option: behind one that is taken it is the mistake
		# shellcheck disable=SC2086
		timeout 20 "$C" "$tool" "${option%%:*}" ${word:+"${word#:}"} --nosuch >"$TMP/out" 2>&1
		help=$(sed -n 's/^help: //p' "$TMP/out")
		echo "$help" >>"$TMP/helps"
		grep -q 'no option --nosuch$' "$TMP/out" && continue
		case $help in
		'' | '--help shows the options' | 'did you mean '* | *'INTERVAL [COUNT]'*)
			grep -q 'for names use --comm' "$TMP/out" && case $option in -n*) continue ;; esac
			echo "# $tool $option: $(head -n 1 "$TMP/out") $help"
			status=1 ;;
		esac
	done
done <tests/cmd/other_options
[ $status = 0 ] && [ -s "$TMP/helps" ] && echo 'ok each_option_is_answered' || echo 'not ok each_option_is_answered'

status=0
sed -n 's/^OTHER_OPTION("[^"]*", *"[^"]*", *"\(.*\)")$/\1/p' src/lang/other_option.def | sed 's/\\"/"/g' >"$TMP/rows"
while read -r help; do
	grep -qxF -- "$help" "$TMP/helps" || { echo "# not tried: $help"; status=1; }
done <"$TMP/rows"
[ $status = 0 ] && [ -s "$TMP/rows" ] && echo 'ok each_row_is_tried' || echo 'not ok each_row_is_tried'
