#!/bin/sh
# test: root
# What Linux 5.15 has is enough for the tools: of helpers those up to number 175
# (include/uapi/linux/bpf.h of v5.15), no load that extends a sign (6.6). What later kernels
# brought is a feature that can be lacking.
. tests/live/lib
needs_bpf live_oldest

n=0
for tool in tools/*.q; do
	tool=$(basename "$tool" .q)
	"$CULPRIT" explain "$tool" -db --without unwind_tables --without uprobe_multi \
		--without uprobe_session >"$TMP/code" 2>/dev/null || continue
	n=$((n + 1))
	awk -v tool="$tool" '
		match($0, /call bpf_[a-z0-9_]*#[0-9]+/) {
			id = substr($0, RSTART, RLENGTH)
			sub(/.*#/, "", id)
			if (id + 0 > 175)
				print tool ": helper " id
		}
		/= \*\(s(8|16|32) / { print tool ": " $0 }' "$TMP/code"
done >"$TMP/later"
is live_oldest_helpers "$(cat "$TMP/later")" ""
between live_oldest_tools "$n" 40 200
