#!/bin/sh
# Files of one folder that call each other in a circle, taken from what the objects define and
# need: those of docs/design.md's table and no others.
command -v nm >/dev/null || { echo "skip circles: no nm (package binutils)"; exit 0; }

# FILE, then what it defines (D) and needs (U).
for file in src/*/*.c src/*/*/*.c; do echo "$B/obj/${file%.c}.o"; done | xargs nm -A -P 2>/dev/null |
	awk -v root="$B/obj/" '
		{ file = substr($1, length(root) + 1); sub(/\.o:$/, ".c", file) }
		$3 == "U" { print file, "U", $2 }
		$3 ~ /^[TDBRVW]$/ { print file, "D", $2 }' >"$TMP/symbols"
[ -s "$TMP/symbols" ] || { echo "skip circles: nothing is built"; exit 0; }

# "FOLDER FILE ...", a line for each circle.
awk '
	function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
	NR == FNR { if ($2 == "D") of[$3] = $1; next }
	$2 == "U" && $3 in of && of[$3] != $1 && folder(of[$3]) == folder($1) {
		reach[$1, of[$3]] = 1
		files[$1] = files[of[$3]] = folder($1)
	}
	END {
		for (k in files)
			for (a in files)
				if (reach[a, k] && files[a] == files[k])
					for (b in files)
						if (files[b] == files[k] && reach[k, b])
							reach[a, b] = 1
		for (a in files) {
			if (!reach[a, a] || a in done)
				continue
			line = files[a]
			for (b in files)
				if (reach[a, b] && reach[b, a]) {
					done[b] = 1
					line = line " " substr(b, length(files[b]) + 2)
				}
			print line
		}
	}' "$TMP/symbols" "$TMP/symbols" | sort >"$TMP/circles"

# Rows "| `src/bpf` | `cg*.c` | why |"; each circle is within one, each has a circle.
sed -n 's/^| `\(src[a-z\/]*\)` | `\([^`]*\)` | .*/\1 \2/p' docs/design.md | while read -r folder globs; do
	set -f
	awk -v folder="$folder" -v globs="$globs" '
		function fits(name,   i, n, glob, g) {
			n = split(globs, glob, " ")
			for (i = 1; i <= n; i++) {
				g = glob[i]
				gsub(/\./, "\\.", g)
				gsub(/\*/, ".*", g)
				if (name ~ "^" g "$")
					return 1
			}
			return 0
		}
		$1 == folder {
			all = 1
			for (i = 2; i <= NF; i++)
				all = all && fits($i)
			if (all)
				print
		}' "$TMP/circles" >"$TMP/row"
	set +f
	[ -s "$TMP/row" ] || echo "no circle any more: $folder $globs" >>"$TMP/stale"
	cat "$TMP/row" >>"$TMP/known"
done
touch "$TMP/known" "$TMP/stale"
cat "$TMP/stale"
[ ! -s "$TMP/stale" ] && [ -s "$TMP/known" ] && echo "ok circles_of_the_table_are_there" ||
	echo "not ok circles_of_the_table_are_there"
sort -u "$TMP/known" | comm -13 - "$TMP/circles" >"$TMP/new"
cat "$TMP/new"
[ ! -s "$TMP/new" ] && echo "ok circles_by_design_only" || echo "not ok circles_by_design_only"
