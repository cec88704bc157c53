#!/bin/sh
# The options that tools of these names have elsewhere (tests/cmd/other_options: a tool and its
# options, a value behind :): each is one here, too, or is answered with what to write. And each row of
# lang/other_option.def answers one of them. Needs no privilege. Under the sanitisers, where ten times
# as much is spent on a program's start, with --all.
C=$CULPRIT
[ -z "${ALL-}" ] || C=${CULPRIT_SAN:-$CULPRIT}
status=0
while read -r tool options; do
	for option in $options; do
		word=${option#"${option%%:*}"}
		# what follows is no option: behind one that is taken it is the mistake
		# shellcheck disable=SC2086
		said=$(timeout 20 "$C" "$tool" "${option%%:*}" ${word:+"${word#:}"} --nosuch 2>&1)
		echo "$said" >>"$TMP/said"
		case $said in *'no option --nosuch
'*) continue ;; esac
		help=${said##*help: }
		[ "$help" != "$said" ] || help=
		case $help in
		'' | '--help shows the options' | 'did you mean '* | *'INTERVAL [COUNT]'*)
			case $option:$said in -n*'for names use --comm'*) continue ;; esac
			echo "# $tool $option: $said"
			status=1 ;;
		esac
	done
done <tests/cmd/other_options
sed -n 's/^help: //p' "$TMP/said" >"$TMP/helps"
[ $status = 0 ] && [ -s "$TMP/helps" ] && echo 'ok each_option_is_answered' || echo 'not ok each_option_is_answered'

status=0
sed -n 's/^OTHER_OPTION("[^"]*", *"[^"]*", *"\(.*\)")$/\1/p' src/lang/other_option.def | sed 's/\\"/"/g' >"$TMP/rows"
while read -r help; do
	grep -qxF -- "$help" "$TMP/helps" || { echo "# not tried: $help"; status=1; }
done <"$TMP/rows"
[ $status = 0 ] && [ -s "$TMP/rows" ] && echo 'ok each_row_is_tried' || echo 'not ok each_row_is_tried'
