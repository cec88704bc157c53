#!/bin/sh
# explain takes each shipped tool, and check all of them in one go, under the sanitisers.
S=${CULPRIT_SAN:-$CULPRIT}
tools=$(ls tools | sed 's/\.q$//')

# What a tool must be told.
given() { sed -n '/^param in:/d; s/^param [a-z]*: *source.*/libc.so.6:getenv/p' "tools/$1.q"; }

explain() { # BINARY NAME TOOL ...
	binary=$1 name=$2 failed=
	shift 2
	for tool; do
		"$binary" explain "$tool" $(given "$tool") >"$TMP/out" 2>"$TMP/err"
		status=$?
		# some kernels have nothing to trace their functions with
		[ $status = 3 ] && grep -q 'cannot trace its functions' "$TMP/err" && continue
		[ $status = 0 ] && [ -s "$TMP/out" ] && continue
		echo "# $tool: status $status"
		head -n 20 "$TMP/err"
		failed=yes
	done
	[ -n "$failed" ] && echo "not ok $name" || echo "ok $name"
}

explain "$CULPRIT" explain_each_tool $tools
# of each kind of source, store and sink
explain "$S" explain_sanitised argdist biolatency chaingraph execsnoop iousagetop memleak offwaketime \
	opensnoop profile runqlat slow syscount tcplife

"$S" check $tools >"$TMP/out" 2>"$TMP/err"
status=$?
for tool in $tools; do
	grep -qx "$tool: ok" "$TMP/out" || grep -q "^culprit: $tool does not work here: " "$TMP/err" ||
		echo "# no word of $tool"
done >"$TMP/missing"
grep -vE '^help: |^culprit: [a-z0-9_]* does not work here: ' "$TMP/err" >>"$TMP/missing"
if [ ! -s "$TMP/missing" ] && { [ $status = 0 ] || [ $status = 3 ]; }; then
	echo "ok check_each_tool"
else
	cat "$TMP/missing"
	echo "not ok check_each_tool: status $status"
fi
exit 0
