#!/bin/sh
# docs/tools.md is what the tools' files say.
packaging/document >"$TMP/tools.md" || echo "not ok tools_script"
if diff docs/tools.md "$TMP/tools.md"; then
	echo "ok tools_document"
else
	echo "help: packaging/document >docs/tools.md"
	echo "not ok tools_document"
fi
