#!/bin/sh
# explain and check take each shipped tool, under the sanitisers. test: early
S=${CULPRIT_SAN:-$CULPRIT}
# Some kernels have nothing to trace their functions with.
unable() { [ "$1" = 3 ] && grep -q 'cannot trace its functions' "$TMP/err"; }

failed=
for f in tools/*.q; do
	of=$(sed -n 's/^param [a-z]*: *source.*/libc.so.6:getenv/p' "$f")
	"$S" explain "$(basename "$f" .q)" $of >"$TMP/out" 2>"$TMP/err" || unable $? ||
		{ echo "# $f"; head -n 20 "$TMP/err"; failed=yes; }
done
[ -n "$failed" ] && echo "not ok explain_each_tool" || echo "ok explain_each_tool"

failed=
for f in tools/*.q; do
	"$S" check "$f" >"$TMP/out" 2>"$TMP/err"
	unable $? && continue
	[ -s "$TMP/out" ] || { echo "# $f"; failed=yes; }
	[ -s "$TMP/err" ] && { sed 's/^/# /' "$TMP/err"; failed=yes; }
done
[ -n "$failed" ] && echo "not ok check_each_tool" || echo "ok check_each_tool"
exit 0
