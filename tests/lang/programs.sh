#!/bin/sh
# Programs of bpftrace as articles have them: the help is the query that asks the same, with the user's
# own values, and it has no mistake. Needs the kernel's events, and no privilege beyond that.
C=${CULPRIT_SAN:-$CULPRIT}
cat >"$TMP/programs" <<'END'
tracepoint:syscalls:sys_enter_openat { printf("%s %s\n", comm, str(args->filename)); }
syscall:openat.enter | print "%s %s", comm, str(filename)
t:syscalls:sys_enter_openat, t:syscalls:sys_enter_open { printf("%s\n", str(args.filename)) }
syscall:openat.enter, syscall:open.enter | print "%s", str(filename)
tracepoint:raw_syscalls:sys_enter { @[comm, pid] = count(); }
syscall:*.enter | count by comm, pid
tracepoint:syscalls:sys_exit_read /args->ret > 0/ { @[comm] = sum(args->ret); }
syscall:read.return | where ret > 0 | sum(ret) by comm
tracepoint:syscalls:sys_exit_read /pid == 18644/ { @bytes = hist(args->ret); }
syscall:read.return | where pid == 18644 | hist(ret)
tracepoint:syscalls:sys_enter_openat /str(args->filename) == "/etc/passwd"/ { printf("%s opened it\n", comm); }
syscall:openat.enter | where str(filename) == "/etc/passwd" | print "%s opened it", comm
tracepoint:sched:sched_w* { @[probe] = count(); } interval:s:5 { exit(); }
sched:sched_w* | count by event and the option -d 5s
BEGIN { printf("Ctrl-C\n"); } tracepoint:sched:sched_switch { @[kstack] = count(); } interval:s:2 { print(@); clear(@); }
sched:sched_switch | count by kstack | every 2s
tracepoint:syscalls:sys_enter_read { @s[tid] = nsecs; } tracepoint:syscalls:sys_exit_read /@s[tid]/ { @us[comm] = hist((nsecs - @s[tid]) / 1000); delete(@s[tid]); }
syscall:read | hist(duration) by comm
profile:hz:99 /pid == 1/ { @[ustack] = count(); }
cpu@99hz | where pid == 1 | count by ustack
software:page-faults:100 { @[comm] = count(); }
page-faults@100 | count by comm
uprobe:libc:malloc { @bytes = lhist(arg0, 0, 2000, 200); }
libc.so:malloc().enter | lhist(arg0, 0, 2000, 200)
kprobe:vfs_* { @[func]++ }
vfs_*().enter | count by event
kprobe:vfs_read { @start[tid] = nsecs; } kretprobe:vfs_read /@start[tid]/ { @ns = hist(nsecs - @start[tid]); delete(@start[tid]); }
vfs_read() | hist(duration)
uretprobe:/bin/bash:readline { printf("read: %s\n", str(retval)); }
/bin/bash:readline().return | print "read: %s", str(ret)
END
told=0 right=0
while read -r program && read -r query; do
	"$C" check "$program" >"$TMP/out" 2>&1
	[ "$(sed -n 's/^help: write //p' "$TMP/out" | head -n 1)" = "$query" ] || { sed 's/^/# /' "$TMP/out"; told=1; }
	case $query in vfs_* | /bin/bash*) continue ;; esac
	"$C" check "${query% and the option*}" >"$TMP/out" 2>&1 || { echo "# $query"; sed 's/^/# /' "$TMP/out"; right=1; }
done <"$TMP/programs"
[ $told = 0 ] && echo 'ok each_program' || echo 'not ok each_program'
[ $right = 0 ] && echo 'ok each_query_is_right' || echo 'not ok each_query_is_right'

# What is more than a query says gets the form alone.
"$C" check 'kprobe:f { if (pid == 1) { @ = count(); } }' 2>&1 | grep -q '^help: EVENT /FILTER/' &&
	echo 'ok unknown_program' || echo 'not ok unknown_program'
