#!/bin/sh
# What documents list of the formats is what the rows of the views say.
result() { # NAME: $TMP/ours is $TMP/theirs
	if [ -s "$TMP/ours" ] && diff "$TMP/theirs" "$TMP/ours"; then
		echo "ok $1"
	else
		echo "not ok $1"
	fi
}

# SHAPE NAME ENDING ...; a row without a shape is one of lines.
awk '
	/^const struct view_ops view_[a-z]* = \{$/ { inside = 1; name = ending = ""; shape = "VIEW_LINES" }
	!inside { next }
	/^\t\.(name|endings) = "/ { text = $0; sub(/^[^"]*"/, "", text); sub(/".*/, "", text) }
	/^\t\.name = / { name = text }
	/^\t\.endings = / { endings = text }
	/^\t\.shape = / { shape = $3; sub(/,/, "", shape) }
	/^\};$/ { inside = 0; print shape, name, endings }' src/view/*.c | sort >"$TMP/views"

# Rows "| `.json` `.jsonl` | `json` | ... |".
rows() { # DOCUMENT
	sed -n 's/^| \(`\.[^|]*\) | `\([a-z]*\)` | .* |$/\2 \1/p' "$1" | tr -d '`.' | sort
}
rows docs/output.md >"$TMP/theirs"
sed -n '/^VIEW_PICTURE/!s/^[A-Z_]* //p' "$TMP/views" | sort >"$TMP/ours"
result formats_in_output
rows docs/pictures.md >"$TMP/theirs"
sed -n 's/^VIEW_PICTURE //p' "$TMP/views" | sort >"$TMP/ours"
result formats_in_pictures

# One sentence of README.md has all but text.
sed -n '/`--format json` and$/,/stacks\.$/p' README.md | sed 's/.*`--format/`--format/' | grep -o '`[a-z-]* *[a-z]*`' | tr -d '`' | sed 's/--format //' |
	sort >"$TMP/theirs"
awk '$2 != "text" { print $2 }' "$TMP/views" | sort >"$TMP/ours"
result formats_in_readme
