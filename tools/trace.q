# one line for each call or event
#
# Question: how often is this function called, and how slow is it?
#
# A source is one of the language: vfs_read() shows a function when it returns, vfs_read().enter
# when it is called. Others: syscall:openat, sched:sched_process_exec, libc.so:getenv(), wildcards.
# --filter and --show can use its parameters or fields (`culprit help SOURCE` shows them), ret,
# duration, and what every event knows (pid, comm, ...). --show adds columns; if it begins with a
# format, each line is that text. What only some of several sources have, the others show as -; a
# filter of one source alone is '(SOURCE | where CONDITION)'. -K and -U show stacks below each line.
#
#     $ culprit trace 'vfs_read()' --filter 'count > 20000'
#     $ culprit trace syscall:read -f 'count > 20000' -s '"read %d bytes", count'
#     $ culprit trace 'ext4_file_open().enter' -s 'filp.f_flags, inode.i_ino' -M 10
#     $ culprit trace 'libc.so:getenv().enter' -s 'str(arg0)' -d 5
#     $ culprit trace '(syscall:read | where ret < 0)' syscall:openat sched:sched_process_exec -d 5
#     $ culprit trace 'tcp_retransmit_skb().enter' -K -M 3
#
# Columns: TIME, PID, TID, COMM, FUNCTION, the columns of --show; with -K and -U stacks.
#
# Example:
#
#     $ culprit trace 'vfs_read()' -f 'count > 20000' -s 'count, ret' -- dd if=/dev/zero of=/dev/null bs=30000 count=3
#     TIME         PID     TID     COMM             FUNCTION         COUNT(bytes)      RET
#     19:38:10.882 548     548     dd               vfs_read                30000    30000
#     19:38:10.882 548     548     dd               vfs_read                30000    30000
#     19:38:10.882 548     548     dd               vfs_read                30000    30000
#
# Each large read got as many bytes as it asked for (RET equals COUNT).
param what:       sources    "what to watch: 'vfs_read()', 'vfs_read().enter', syscall:read, sched:sched_switch"
param filter f:   expression "only where this is true: 'count > 20000 && ret < 0'"
param show s:     columns    "what to show: 'count, ret', or '\"read %d bytes\", count'"
param max M:      int        "stop after N lines"
param kernel K:   flag       "show the kernel's stack, too"
param user U:     flag       "show the program's stack, too"

$what
| where $filter
| first $max if $max
| print "%-12s %-7s %-7s %-15s %-16s ",
        time, pid, tid, comm, function = event, $show,
        kstack = current.kstack if $kernel, ustack = current.ustack if $user
