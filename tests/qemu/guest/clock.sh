# Inside a virtual machine: the time of day is set while culprit prints rows. Those before
# have the old one, those behind the new one.
day=1700000000
date -s @$day >/dev/null
culprit run --format csv -d 4 'syscall:*nanosleep | print time' -- sh -c "sleep 1; date -s @$((day + 500000)) >/dev/null; sleep 1
	date -s @$((day - 500000)) >/dev/null; sleep 1" >/tmp/rows 2>/tmp/err
got=$(awk -F, -v day=$day 'NR > 1 {
	d = $1 / 1e9 - day
	printf "%s ", (d < -400000 ? "before" : d > 400000 ? "behind" : "same") }' /tmp/rows)
if [ "$got" = 'same behind before ' ]; then
	echo ok time_of_day
else
	cat /tmp/rows /tmp/err
	echo "not ok time_of_day: $got"
fi
