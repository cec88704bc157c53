#!/bin/sh
# With CAP_BPF and CAP_PERFMON alone, as a user without any other right: the tools work;
# what the kernel does not give then is said. And what there is without tracefs.
. tests/live/lib
needs_bpf live_privilege live_no_tracefs
chmod 777 "$TMP"
cp "$CULPRIT" "$TMP/culprit"
cp "$W" "$TMP/work"
chmod 755 "$TMP/culprit" "$TMP/work"
root=$CULPRIT

# A program of ours, run as that user.
as_user() { # PROGRAM: CULPRIT
	cat >"$TMP/$1" <<EOT
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=$2 --ambient-caps=$2 \\
	--bounding-set=-sys_admin "$TMP/culprit" "\$@"
EOT
	chmod 755 "$TMP/$1"
}
as_user two +bpf,+perfmon
as_user none -all
W=$TMP/work

if setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+bpf,+perfmon \
	--ambient-caps=+bpf,+perfmon true 2>"$TMP/why"; then
	CULPRIT=$TMP/two
	trace syscount -- "$W" getppid 10000
	is live_privilege_syscount "$status $(sum count event=getppid)" "0 10000"
	trace syscount -L -- "$W" sleep 10 1000000
	is live_privilege_syscount_times "$status $(sum count event=nanosleep)" "0 10"
	between live_privilege_time "$(sum total event=nanosleep)" 10000000 "$(calculate "10 * $(said sleep 3) + 10")"
	trace runqlat -P -d 0.3
	is live_privilege_runqlat "$status" 0
	trace runqlat -- "$W" sleep 30 1000000
	between live_privilege_runqlat_rows "$status$(sed 1d "$OUT" | grep -c .)" 01 0999
	trace execsnoop -- sh -c "$W nop 1; $W nop 1"
	is live_privilege_execsnoop "$status $(rows comm=work)" "0 2"
	trace opensnoop -- "$W" paths 5 /none
	is live_privilege_opensnoop "$status $(cells path | grep -c '^/none')" "0 5"
	trace run 'sched:sched_switch | count by prev_state' -- "$W" sleep 5 1000000
	is live_privilege_tracepoint "$status" 0
	for tool in biolatency biosnoop cpudist hardirqs profile tcpretrans; do
		trace $tool -d 0.1
		is live_privilege_$tool "$status" 0
	done
	trace syscount --cost -d 0.1
	is live_privilege_cost "$status $(grep -c 'run statistics' "$ERR")" "3 1"
	# It is for root only, and the field in the recorded form only.
	trace run -d 0.1 'block:block_rq_issue | count by rwbs'
	between live_privilege_says_what_is_missing "$status$(grep -ci tracefs "$ERR")" 21 39
	"$CULPRIT" doctor >"$TMP/doctor" 2>&1
	status=$?
	is live_privilege_doctor "$status" 0
	CULPRIT=$TMP/none
	trace syscount -d 0.1
	is live_no_privilege "$status $(grep -c 'culprit doctor' "$ERR")" "3 1"
else
	for name in syscount runqlat cost; do
		echo "skip live_privilege_$name: $(head -n 1 "$TMP/why")"
	done
fi

# No tracefs at all, in a mount namespace of its own.
CULPRIT=$TMP/hidden
cat >"$CULPRIT" <<EOT
#!/bin/sh
exec unshare -m sh -c 'umount -a -t tracefs 2>/dev/null; umount -a -t debugfs 2>/dev/null
	[ ! -e /sys/kernel/tracing/events ] || exit 99
	exec "\$0" "\$@"' "$root" "\$@"
EOT
chmod 755 "$CULPRIT"
"$CULPRIT" help >/dev/null 2>&1
if [ $? = 99 ]; then
	echo "skip live_no_tracefs: it cannot be unmounted"
	exit 0
fi
trace syscount -- "$W" getppid 10000
is live_no_tracefs_syscount "$status $(sum count event=getppid)" "0 10000"
trace runqlat -d 0.1
is live_no_tracefs_runqlat "$status" 0
for tool in execsnoop opensnoop biolatency biosnoop cpudist hardirqs profile tcpretrans; do
	trace $tool -d 0.1
	is live_no_tracefs_$tool "$status" 0
done
# Root mounts it, in its own namespace here.
trace run -d 0.1 'sched:sched_process_exec | count by filename' -- "$W" nop 1
is live_no_tracefs_mounted "$status $(sum count)" "0 1"
