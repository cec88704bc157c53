#!/bin/sh
# What culprit refuses: rights of another user, files of stacks that have no end.
C=$CULPRIT
result() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		sed 's/^/# /' "$TMP/out" "$TMP/err"
		echo "not ok $1"
	fi
}

# The same that a setuid or setgid file does: another effective user than the real one.
if setpriv --ruid 65534 true 2>/dev/null; then
	for id in '--ruid 65534' '--rgid 65534 --keep-groups'; do
		# shellcheck disable=SC2086
		setpriv $id "$C" list tools >"$TMP/out" 2>"$TMP/err"
		[ $? = 1 ] && [ ! -s "$TMP/out" ] && grep -q '^culprit: .*(setuid, setgid)' "$TMP/err"
		result "refused_${id%% *}" $?
	done
	setpriv --reuid 65534 --regid 65534 --clear-groups "$C" list tools >"$TMP/out" 2>"$TMP/err" && [ -s "$TMP/out" ]
	result as_another_user $?
else
	echo "skip refused_rights: not root, or no setpriv (package util-linux)"
fi

# no end of a line, of lines that are none, of empty lines
none() { # NAME COMMAND ...: what it prints without an end is no file of stacks
	name=$1
	shift
	"$@" 2>/dev/null | timeout 60 "$C" flame - >"$TMP/out" 2>"$TMP/err"
	[ $? = 1 ] && [ ! -s "$TMP/out" ] && grep -q '^culprit: - is not a file of stacks' "$TMP/err"
	result "flame_of_$name" $?
}
none zeros cat /dev/zero
none words yes words
none empty_lines yes ''
{ yes 'main;work 1' | head -n 1000000; yes words | head -n 6000000; } | "$C" flame --format folded - >"$TMP/out" 2>"$TMP/err"
[ "$(cat "$TMP/out")" = "main;work 1000000" ] && grep -q '^culprit: 6000000 lines are not stacks' "$TMP/err"
result flame_with_many_wrong_lines $?
"$C" flame "$TMP" >"$TMP/out" 2>&1
[ $? = 1 ] && [ "$(cat "$TMP/out")" = "culprit: cannot read $TMP: Is a directory" ]
result flame_of_a_folder $?

# Two runs of one program have other numbers, and the same names.
printf '12;dd;3;main;a 5\n12;dd;main;f1;b 5\n' >"$TMP/one.folded"
printf '77;dd;main;a 8\ndd;78;main;a 2\n' >"$TMP/two.folded"
"$C" flame --diff --format folded "$TMP/one.folded" "$TMP/two.folded" >"$TMP/out"
[ "$(cat "$TMP/out")" = "dd;main;a 5 10
dd;main;f1;b 5 0" ]
result flame_diff_by_names $?
