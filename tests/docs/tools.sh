#!/bin/sh
# docs/tools/ is what the tools' files say, and tests/truths knows each tool, and none that is gone.
packaging/document "$TMP/tools" || echo "not ok tools_script"
if diff -r docs/tools "$TMP/tools"; then
	echo "ok tools_document"
else
	echo "help: rm -r docs/tools; packaging/document docs/tools"
	echo "not ok tools_document"
fi

sed -n '2,$s/: .*//p' tests/truths | sort >"$TMP/told"
ls tools | sed -n 's/\.q$//p' | sort >"$TMP/there"
awk '/^## What they were compared with/ { in_it = 1; next } /^## / { in_it = 0 }
	in_it && /^\| \[/ { sub(/^\| \[/, ""); sub(/\].*/, ""); print }' docs/tools/README.md | sort >"$TMP/shown"
if ! diff "$TMP/told" "$TMP/there" || ! diff "$TMP/shown" "$TMP/there"; then
	echo "not ok tools_truths"
else
	echo "ok tools_truths"
fi
