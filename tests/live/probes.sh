#!/bin/sh
# Probes as bcc's trace and argdist take them: the line that the error names asks the same with the
# user's own values, and runs. Needs root.
. tests/live/lib
needs_bpf each_probe each_line_runs values_of_options_are_no_probes

C=${CULPRIT_SAN:-$CULPRIT}
culprit() { "$C" "$@"; }

# A tool with its words, then its line; ARGn: the name or number of a program's parameter.
cat >"$TMP/probes" <<'END'
trace 'sys_read (arg3 > 20000) "read %d bytes", arg3'
culprit trace syscall:read.enter -f 'count > 20000' -s '"read %d bytes", count'
trace -M 2 'r::sys_read (retval < 0) "%d", retval' -p $$
culprit trace syscall:read.return -f 'ret < 0' -s '"%d", ret' -M 2 -p $$
trace 'sys_openat "%s", arg2@user'
culprit trace syscall:openat.enter -s '"%s", str(filename)'
trace '__x64_sys_write (arg1 == 1 && arg3 != 7) "%d, %d", arg3, arg3'
culprit trace syscall:write.enter -f 'fd == 1 && count != 7' -s '"%d, %d", count, c2 = count'
trace 'p::SyS_nanosleep(struct timespec *ts) "sleep for %lld ns", ts->tv_nsec'
culprit trace syscall:nanosleep.enter -s '"sleep for %lld ns", rqtp.tv_nsec'
trace 'sys_connect (((struct sockaddr *)arg2)->sa_family == 2) "%d", arg1'
culprit trace syscall:connect.enter -f '(uservaddr as struct sockaddr).sa_family == 2' -s '"%d", fd'
trace 't:sched:sched_switch (args->prev_pid == 1) "%s %d", args->next_comm, args->next_pid'
culprit trace sched:sched_switch -f 'prev_pid == 1' -s '"%s %d", next_comm, next_pid'
trace "sys_openat (STRCMP(\"a'b\", arg2)) \"%s\", \$comm"
culprit trace syscall:openat.enter -f 'str(filename) == "a'\''b"' -s '"%s", c1 = comm'
trace t:syscalls:sys_enter_getppid
culprit trace syscall:getppid.enter
trace 'r:c:getenv (retval == 0) "%s", retval'
culprit trace 'libc.so:getenv().return' -f 'ret == 0' -s '"%s", str(ret)'
trace 'p:c:getenv "%s", arg1'
culprit trace 'libc.so:getenv().enter' -s '"%s", str(ARG1)'
trace 'no_such_f "%K at %llx", arg1, arg2'
culprit trace 'no_such_f().enter' -s '"%s at %llx", sym(arg0), arg1'
argdist -C 'p::write(int fd, const void *buf, size_t count):int:fd'
culprit argdist syscall:write.enter -C -e fd
argdist -H 'r::sys_read()'
culprit argdist syscall:read.return -e ret
argdist -i 1 -H 'r::sys_read(int fd, void *buf, size_t n):size_t:$entry(n):$latency > 1000#slow, large'
culprit argdist syscall:read -e count -f 'duration > 1000' -i 1
argdist -C 't:syscalls:sys_enter_read():int:args->fd'
culprit argdist syscall:read.enter -C -e fd
argdist -C 'p::sys_write(int fd, char *buf, size_t len):int,size_t:fd,len:fd == 1'
culprit run 'syscall:write.enter | where fd == 1 | n = count by fd, count'
argdist -C 'p:c:getenv()#calls'
culprit funccount 'libc.so:getenv().enter'
argdist -C 'p:c:getenv(char *name):char*:name'
culprit argdist 'libc.so:getenv().enter' -C -e 'str(ARG1)'
argdist -H 'p::no_such_f(int a, int b):int:b'
culprit argdist 'no_such_f().enter' -e arg1
END

told=0 ran=0
while read -r words && read -r line; do
	eval "culprit $words" >"$TMP/out" 2>&1
	[ $? = 2 ] && head -n 1 "$TMP/out" | grep -q "is a probe of bcc's [a-z]*$" || told=1
	got=$(sed -n 's/^help: write //p' "$TMP/out")
	want=$(echo "$line" | sed "s/\\\$\\\$/$$/")
	case $line in *ARG1*) got=$(echo "$got" | sed 's/str([a-z0-9_]*)/str(ARG1)/') ;; esac
	[ "$got" = "$want" ] || { echo "# $words: $got"; sed 's/^/# /' "$TMP/out"; told=1; }
	line=$(sed -n 's/^help: write //p' "$TMP/out")
	case $line in *no_such_f* | *libc*) continue ;; esac
	eval "$line -d 0.01" >"$TMP/out" 2>&1 || { echo "# $line"; sed 's/^/# /' "$TMP/out"; ran=1; }
done <"$TMP/probes"
[ $told = 0 ] && echo 'ok each_probe' || echo 'not ok each_probe'
[ $ran = 0 ] && echo 'ok each_line_runs' || echo 'not ok each_line_runs'

# Values of options look like probes, too: functions and formats.
values=0
while read -r words; do
	eval "culprit $words" >"$TMP/out" 2>&1 || { echo "# $words"; sed 's/^/# /' "$TMP/out"; values=1; }
done <<'END'
trace syscall:openat.enter -s 'str(filename)' -d 0.01
trace syscall:openat.enter --show 'str(filename)' -d 0.01
trace syscall:read -f 'count > 20000' -s '"read %d bytes", count' -d 0.01
argdist syscall:openat.enter -C -e 'str(filename)' -d 0.01
END
[ $values = 0 ] && echo 'ok values_of_options_are_no_probes' || echo 'not ok values_of_options_are_no_probes'
