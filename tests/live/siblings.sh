#!/bin/sh
# Tools that list system calls by name have those, too, that do the same by another name.
. tests/live/lib
needs_bpf live_siblings

S=$B/tests/work/siblings
trace killsnoop -- "$S" "$TMP/file"
for call in kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal; do
	is "live_siblings_$call" "$(rows call=$call signal=SIGUSR1 result=0)" 1
done
trace opensnoop -- "$S" "$TMP/file"
is live_siblings_creat "$(rows path="$TMP/file" err=0)" 1
trace statsnoop -c -- "$S" "$TMP/file"
is live_siblings_statfs "$(rows call=statfs path="$TMP/file")" 1
trace syncsnoop -- "$S" "$TMP/file"
is live_siblings_pwritev2 "$(rows call=pwritev2) $(rows)" "1 1"
trace mountsnoop -- "$S" "$TMP/file"
is live_siblings_fsopen "$(rows call=fsopen kind=tmpfs)" 1
