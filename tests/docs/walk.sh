#!/bin/sh
# The walk of docs/design.md is true: its calls are in the files that it names, and culprit, traced
# by culprit, makes them in this order.
. tests/live/lib
sed -n 's/^[0-9]*\. `\(src[^ ]*\): \([a-z_]*\)()`.*/\1 \2/p' docs/design.md >"$TMP/walk"
wrong=
while read -r file function; do
	grep -qE "^[a-z].*[ *]$function\(" "$file" || wrong="$wrong $file:$function"
done <"$TMP/walk"
is walk_files "$(grep -c . "$TMP/walk") calls$wrong" "10 calls"
needs_bpf walk_order
calls=$(sed "s,.* \(.*\),$CULPRIT:\1().enter," "$TMP/walk" | paste -sd, -)
trace run "$calls | print event" -- "$CULPRIT" run -d 100ms 'syscall:read | hist(duration) by comm'
is walk_order "$(sed 1d "$OUT" | awk '!seen[$0]++' | sed 's/().*//; s/.*://')" "$(sed 's/.* //' "$TMP/walk")"
