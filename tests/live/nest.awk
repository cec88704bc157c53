# Reads the CSV of `tree`. Says how many rows there are, how many of them are not within the
# row around them in time and on its thread, and how many were lost.
BEGIN { FS = "," }
/^# / { next }		# what was lost
NR == 1 {
	for (i = 1; i <= NF; i++) {
		sub(/_ns$/, "", $i)
		at[$i] = i
	}
	next
}
{
	# the last digits alone: a number of awk is exact to 2^53
	begin = substr($at["begin"], length($at["begin"]) - 13) + 0
	end = begin + $at["duration"]
	depth = $at["depth"]
	if (depth > last + 1 || (depth && (begin < from[depth - 1] || end > to[depth - 1] ||
					   $at["tid"] != tid[depth - 1])))
		bad++
	from[depth] = begin
	to[depth] = end
	tid[depth] = $at["tid"]
	last = depth
	rows++
	lost += $at["missing"]
}
END { printf "%d rows, %d bad, %d lost\n", rows, bad, lost }
