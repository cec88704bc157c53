#!/bin/sh
# The law of the folders and the sizes, checked on the text: who may include whom, who
# may touch /sys, /proc and bpf(2), how long files and functions may be, and
# words that are never committed.
result() { # NAME TEXT: no text, no trouble
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "$2"
		echo "not ok $1"
	fi
}

# Each folder and what it may include besides itself.
result include_directions "$(awk '
	BEGIN {
		may["base"] = ""
		may["table"] = "base"
		may["lang"] = "base table"
		may["plan"] = "base table lang"
		may["bpf"] = "base table lang plan"
		may["event"] = may["agg"] = may["func"] = "base table lang plan bpf"
		may["ctf"] = "base"
		may["user"] = "base table lang"
		may["kern"] = "base table lang plan bpf event agg func user"
		may["vm"] = "base table lang plan bpf agg"
		may["trace"] = "base table lang event ctf"
		may["replay"] = "base table lang plan bpf vm ctf trace event"
		may["view"] = "base table"
		may["analysis"] = "base table view"
		may["session"] = "base table lang plan bpf event agg func ctf kern vm trace replay view"
		may["cli"] = "base table lang plan bpf event agg func ctf user kern vm trace replay view session analysis"
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split(FILENAME, path, "/")
		from = path[2]
		to = $0
		sub(/^[^"]*"/, "", to)
		sub(/".*/, "", to)
		if (to !~ /\//) {
			print FILENAME ":" FNR ": include \"" to "\" is not relative to src/"
			next
		}
		sub(/\/.*/, "", to)
		if (!(from in may))
			print FILENAME ": folder " from " is not in the law"
		else if (to != from && index(" " may[from] " ", " " to " ") == 0)
			print FILENAME ":" FNR ": " from "/ must not include " to "/"
	}' $(find src -name '*.[ch]' -o -name '*.def'))"

# Only kern/ and user/ touch the kernel. A comment may name it.
result only_kern_and_user_touch_the_kernel "$(awk '
	{
		line = $0
		gsub(/\/\*.*\*\//, "", line)
		if (line ~ /^[ \t]*(\*|\/\*|\/\/)/)
			next
		if (line ~ /#[ \t]*include[ \t]*<(bpf|libelf|gelf)/ ||
		    line ~ /"\/(sys|proc)\// || line ~ /SYS_bpf|__NR_bpf/ ||
		    line ~ /SYS_perf_event_open|__NR_perf_event_open/)
			print FILENAME ":" FNR ": " $0
	}' $(find src -name '*.[ch]' ! -path 'src/kern/*' ! -path 'src/user/*'))"

result file_sizes "$(find src tests -name '*.[ch]' -o -name '*.def' | xargs wc -l |
	awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines, 600 at most" }')"

# A function is from a line that ends with `)` to the lone `}`, with `{` in between.
result function_sizes "$(awk '
	/^{$/ && head ~ /\)$/ { start = FNR; name = head }
	/^}/ {
		if (start && FNR - start - 1 > 60)
			print FILENAME ":" start ": " FNR - start - 1 " lines, 60 at most: " name
		start = 0
	}
	FNR == 1 { start = 0 }
	{ head = $0 }' $(find src tests -name '*.c'))"

# The patterns are written so that this file does not match itself.
result no_unfinished_words "$(grep -rnwE 'TO''DO|FIX''ME|X''XX|HA''CK' src tests tools docs packaging \
	Makefile README.md 2>/dev/null)"
result no_paths_of_a_machine "$(grep -rnE '/ho''me/[a-z]|/wo''rk/(main|shared)|/us''r/src/|/tm''p/b_|deb''ian\.org' \
	src tests tools docs packaging Makefile README.md CHANGES.md 2>/dev/null)"

# No mutable state outside cli/main.c: nothing in .data or .bss of the objects.
objects=$(find src -name '*.c' ! -path src/cli/main.c | sed "s|^|$B/obj/|; s|c\$|o|" |
	while read -r o; do [ ! -e "$o" ] || echo "$o"; done)
if [ -n "$objects" ]; then
	result no_mutable_globals "$(objdump -t $objects | awk '
		/file format/ { file = $1 }
		/ O \.(data|bss)/ && !/ O \.data\.rel\.ro/ { print file " " $NF }')"
else
	echo "skip no_mutable_globals: nothing is built"
fi

if [ -x "$CULPRIT" ]; then
	strip -o "$TMP/culprit" "$CULPRIT"
	size=$(stat -c %s "$TMP/culprit")
	result binary_size "$([ "$size" -le 1500000 ] || echo "$size bytes stripped, 1500000 at most")"
	result binary_needs_only_libc "$(readelf -d "$CULPRIT" | grep NEEDED | grep -vE 'libc\.so|libm\.so|ld-linux')"
else
	echo "skip binary_size: no binary"
fi
