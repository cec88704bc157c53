#!/bin/sh
# Every relative link of README.md, CHANGES.md and docs/ leads to a file, and to a heading
# of it where it names one.
slugs() { # FILE: the anchors of its headings
	awk '/^```/ { code = !code } !code && /^#+ / {
		sub(/^#+ /, "")
		$0 = tolower($0)
		gsub(/[^a-z0-9_ -]/, "")
		gsub(/ /, "-")
		print
	}' "$1"
}

links() { # FILE: what its links name, code left out
	awk '/^```/ { code = !code } !code' "$1" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' |
		grep -v '^[a-z]*:'
}

for f in README.md CHANGES.md docs/*.md docs/tools/*.md; do
	links "$f" | while read -r link; do
		path=${link%%#*}
		to=$f
		[ -z "$path" ] || to=$(dirname "$f")/$path
		[ -e "$to" ] || { echo "$f: no $link"; continue; }
		case $link in
		*#*) slugs "$to" | grep -qxF "${link#*#}" || echo "$f: no heading for $link" ;;
		esac
	done
done >"$TMP/broken"
cat "$TMP/broken"
if [ -s "$TMP/broken" ]; then echo "not ok links"; else echo "ok links"; fi
