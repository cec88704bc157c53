#!/bin/sh
# A file that a comment or a document names exists. Files of the kernel and of C have the folder
# with which they begin.
git ls-files >"$TMP/files" 2>/dev/null || find . -type f -path './[a-zA-Z]*' | sed 's|^\./||' >"$TMP/files"
find src tests docs packaging -name '*.[ch]' -o -name '*.def' -o -name '*.sh' -o -name '*.md' |
	grep -v '^docs/tools/\|^tests/fuzz/corpus/' | xargs awk -v files="$TMP/files" '
	BEGIN {
		while ((getline path < files) > 0)
			for (known[path] = 1; sub(/^[^\/]*\//, "", path);)
				known[path] = 1
	}
	FNR == 1 { is_comment = 0 }
	{
		text = $0
		if (FILENAME ~ /\.[ch]$|\.def$/) {
			if (!is_comment && !sub(/^.*\/\*/, "", text))
				next
			is_comment = $0 !~ /\*\//
		} else if (FILENAME ~ /\.sh$/ && !sub(/^[ \t]*# /, "", text)) {
			next
		}
		while (match(text, /[A-Za-z0-9_.\/*$-]*[a-z0-9_]\.(c|h|def)($|[^A-Za-z0-9_(])/)) {
			name = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			sub(/[^a-z]$/, "", name)
			if (name !~ /[*$]|\..*\./ && !(name in known) && name !~ /(^|\/)(cmd_)?x\.c$/ &&
			    name !~ /^(linux|kernel|include|fs|asm|sys|net)\//)
				print FILENAME ":" FNR ": there is no " name
		}
	}' >"$TMP/missing"
cat "$TMP/missing"
[ -s "$TMP/files" ] && [ ! -s "$TMP/missing" ] && echo 'ok names_of_files' || echo 'not ok names_of_files'
