#!/bin/sh
# docs/tools/ is what the tools' files say, and tests/truths knows no tool that is gone.
packaging/document "$TMP/tools" || echo "not ok tools_script"
if diff -r docs/tools "$TMP/tools"; then
	echo "ok tools_document"
else
	echo "help: rm -r docs/tools; packaging/document docs/tools"
	echo "not ok tools_document"
fi

gone=$(sed -n '2,$s/^\([a-z0-9]*\): .*/\1/p' tests/truths | while read -r tool; do
	[ -e "tools/$tool.q" ] || echo "$tool"
done)
if [ -n "$gone" ]; then
	echo "tests/truths: no tool $gone"
	echo "not ok tools_truths"
else
	echo "ok tools_truths"
fi
