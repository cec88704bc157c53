#!/bin/sh
# Every relative link of README.md, CHANGES.md and docs/ leads to a file, and to a heading
# of it where it names one.
set -- README.md CHANGES.md docs/*.md docs/tools/*.md

# Of links outside of code: FILE LINK WHERE; of headings that are not there, a sentence to `broken`.
# shellcheck disable=SC2016
awk -v broken="$TMP/broken" '
	function plain(path) {
		while (sub(/(^|\/)[^\/.]+\/\.\.\//, "/", path));
		sub(/^\//, "", path)
		return path
	}
	FNR == 1 { code = 0; folder = FILENAME; sub(/[^\/]*$/, "", folder) }
	/^```/ { code = !code; next }
	code { next }
	/^#+ / {
		slug = tolower($0)
		sub(/^#+ /, "", slug); gsub(/[^a-z0-9_ -]/, "", slug); gsub(/ /, "-", slug)
		heading[FILENAME "#" slug] = 1
	}
	{
		for (rest = $0; match(rest, /\]\([^)]*\)/); rest = substr(rest, RSTART + RLENGTH)) {
			link = substr(rest, RSTART + 2, RLENGTH - 3)
			if (link ~ /^[a-z]*:/) continue
			path = at = link
			sub(/#.*/, "", path); sub(/^[^#]*/, "", at)
			to = path == "" ? FILENAME : plain(folder path)
			if (at != "") wanted[to at] = FILENAME ": no heading for " link
			print FILENAME, link, to
		}
	}
	END {
		printf "" >broken
		for (place in wanted) if (!(place in heading)) print wanted[place] >broken
	}' "$@" >"$TMP/links"
while read -r file link to; do
	[ -e "$to" ] || echo "$file: no $link"
done <"$TMP/links" >>"$TMP/broken"
cat "$TMP/broken"
if [ -s "$TMP/broken" ] || [ ! -s "$TMP/links" ]; then echo "not ok links"; else echo "ok links"; fi
