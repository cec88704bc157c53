#!/bin/sh
# Each fuzz target over its corpus, which holds whatever was found once, under the sanitisers.
for f in tests/fuzz/*.c; do
	name=$(basename "$f" .c)
	if [ ! -x "$B/test/fuzz/$name" ]; then
		echo "not ok $name: it was not built"
	elif "$B/test/fuzz/$name" tests/fuzz/corpus/"$name"/* >"$TMP/out" 2>&1; then
		echo "ok $name"
	else
		sed 's/^/# /' "$TMP/out"
		echo "not ok $name: $(grep '^tests/fuzz/corpus/' "$TMP/out" | tail -n 1)"
	fi
done
