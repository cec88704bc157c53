#!/bin/sh
# A million distinct keys (`make test`: 250,000): nothing crashes, what does not fit is in (other), the totals
# are exact, and explain has said how much memory there will be.
. tests/live/lib
[ -n "${ALL-}" ] || SCALE=$((SCALE * 4))
needs_bpf live_million_keys

n=$(less 1000000)

# The bytes that explain says of all tables.
together() { # TABLE_SIZE
	"$CULPRIT" explain --table-size "$1" "$query" 2>"$ERR" | awk '$1 == "together" {
		printf "%.0f\n", $2 * ($3 == "MiB" ? 1048576 : $3 == "KiB" ? 1024 : 1) * 1.05 }'
}

one() { # NAME TABLE_SIZE
	query='syscall:close.enter | where fd >= 1000000 | count, total = sum(fd) by fd'
	trace run --table-size "$2" "$query" -- "$W" keys "$n"
	is "live_keys_$1_count" "$status $(sum count)" "0 $n"
	# 1,000,000 + 1,000,001 + ...
	is "live_keys_$1_total" "$(sum total)" $((n * 1000000 + n * (n - 1) / 2))
	keys=$(cells fd | grep -vc '(other)')
	fits=$(($2 < n ? $2 : n))
	between "live_keys_$1_rows" "$keys" $((fits * 9 / 10)) "$fits"
	if [ "$fits" -lt "$n" ]; then
		is "live_keys_$1_other" "$(cells count 'fd=(other)')" $((n - keys))
		is "live_keys_$1_dropped" "$(loss dropped)" $((n - keys))
	else
		is "live_keys_$1_other" "$(rows 'fd=(other)')" 0
	fi
	case $(uname -r) in
	5.* | 6.[0-3].*)
		echo "skip live_keys_$1_explained: before 6.4 the kernel does not count the tables' memory"
		return
		;;
	esac
	said=$(together "$2")
	used=$("$CULPRIT" run --table-size "$2" --cost -d 0.1 "$query" 2>&1 | sed -n 's/.*tables \([0-9]*\) bytes.*/\1/p')
	if [ "$used" -gt 0 ] && [ "$used" -le "$said" ] && [ "$used" -ge $((said * 8 / 10)) ]; then
		ok "live_keys_$1_explained"
	else
		bad "live_keys_$1_explained" "explain says $said bytes, the kernel $used"
	fi
}

one default 10240
one larger $((2 * n))

# Buckets with keys, and string keys.
trace run 'syscall:close.enter | where fd >= 1000000 | count, hist(fd) by fd' -- "$W" keys "$(less 200000)"
is live_keys_buckets "$(sum count)" "$(less 200000)"
trace run 'syscall:openat | count by path = str(filename)' -- "$W" paths "$(less 100000)" "$TMP/none"
between live_keys_strings "$(sum count)" "$(less 100000)" $(($(less 100000) + 10))
trace run --table-size 200000 'syscall:openat | count by path = str(filename)' -- \
	"$W" paths "$(less 100000)" "$TMP/none"
is live_keys_strings_all "$(cells path | grep -c "^$TMP/none")" "$(less 100000)"

# Begins that find the table of open periods full are counted: none ends, most do not fit.
trace run 'from syscall:close.enter on fd to syscall:getppid.enter on pid | count' -- "$W" keys 100000
between live_open_dropped "$(loss dropped)" 80000 100000
