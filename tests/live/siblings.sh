#!/bin/sh
# Tools that list system calls by name have those, too, that do the same by another name.
. tests/live/lib
needs_bpf live_siblings

S=$B/tests/work/siblings
trace killsnoop -- "$S" "$TMP/file"
for call in kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal; do
	is "live_siblings_$call" "$(rows call=$call signal=SIGUSR1 result=0)" 1
done
is live_siblings_of_pidfd "$(rows call=pidfd_send_signal tpid="$(cells pid call=kill)") $(rows call=pidfd_send_signal result=EBADF tpid=)" "1 1"
trace opensnoop --flag 1 -- "$S" "$TMP/file"	# O_WRONLY
is live_siblings_creat "$(rows path="$TMP/file" err=0)" 2
trace statsnoop -c -- "$S" "$TMP/file"
is live_siblings_statfs "$(rows call=statfs path="$TMP/file")" 1
trace syncsnoop -- "$S" "$TMP/file"
is live_siblings_pwritev2 "$(rows call=pwritev2) $(rows)" "1 1"
trace naptime -- "$S" "$TMP/file"
is live_siblings_select "$(rows)" 2
trace iousagetop --files -P -- "$S" "$TMP/file"
is live_siblings_sendfile "$(sum read file="$TMP/file") $(sum written file="$TMP/file")" "1 3"
trace futexctn -- "$S" "$TMP/file"
waits=3
grep -q ' __x64_sys_futex_wait$' /proc/kallsyms || waits=2	# Linux 6.7
is live_siblings_futex "$(sum waits)" "$waits"
trace mountsnoop -- "$S" "$TMP/file"
is live_siblings_fsopen "$(rows call=fsopen kind=tmpfs)" 1
is live_siblings_fsconfig "$(rows call=fsconfig kind=source source=siblings flags=1) $(rows call=fsconfig source= flags=6)" "1 1"
for call in fspick open_tree_attr mount_setattr pivot_root; do
	is "live_siblings_$call" "$(rows call=$call)" 1
done
