# what slow calls spent their time on
#
# Question: X is slow: what is it doing all the time?
#
# MAIN is what is slow: a system call (syscall:fsync), a function of the kernel
# (vfs_fsync_range) or of a program (libc.so:getaddrinfo), or any other period. For each of
# its calls that took --over or longer, `slow` shows the time and the count of each PART: calls
# and periods that began on its thread during the call. `other` is the time outside all parts;
# `overlap` is the time that several parts share: times - overlap + other is the duration.
# Without parts, the call is split by the thread's state. The end shows the sums of all quick
# and of all slow calls, each call's mean, and how much more of each part a slow call had.
# States: `spinning` computes to no purpose, on a spinlock or on a mutex whose owner runs (the kernel tells
# this from 5.19 on, not of rwsems: that is `running`); `lock` waits for a lock in any other way. --locks adds
# a table of the slow calls' locks, and where they were taken. `irq` and `softirq` ran on top of the call, whoever
# they worked for (which ones do: culprit hardirqs, culprit softirqs). `throttled` would run, but its cgroup's cpu.max
# does not let it.
#
# Named parts: disk (requests), wait (not on a CPU), lock (contended locks of the kernel), and
# state: the thread's states, which add up to the duration by themselves, beside the other parts.
# One of the states is called disk, too: beside it the requests need another name, io=disk.
# Other parts: a function, a system call, NAME=(from X to Y on KEY).
#
#     $ culprit slow syscall:fsync
#     $ culprit slow syscall:fsync disk ext4_sync_file jbd2_log_wait_commit --over 10ms
#     $ culprit slow syscall:fsync state io=disk jbd2_log_wait_commit
#     $ culprit slow vfs_read 'disk=(from block:block_rq_issue to block:block_rq_complete on rq)'
#     $ culprit slow --follow syscall:fsync
#
# Which functions are worth a PART? --suggest watches MAIN for 5 seconds (-d), then shows in which
# callees of MAIN slow calls spent their time: on a CPU (499 samples a second) and blocked. It
# prints the command that splits by these callees. Where the kernel's functions can't be traced,
# they are shown, but can't be parts.
# --follow also continues with the costliest callee, and its costliest, down to a leaf; -a also
# splits by them at once.
#
# Columns: TIME, COMM, PID, DURATION; for each part: time, percent of the duration, count and bar; at
# the end sums, each call's mean, and how much more of the part slow calls had than quick calls.
#
# Example:
#
#     $ culprit slow syscall:fsync disk jbd2_log_wait_commit -- dd if=/dev/zero of=/mnt/s1 bs=4k count=9 conv=fsync
#     TIME         COMM             PID     DURATION(us)
#     19:38:12.083 dd               552        27708.831
#         disk                    13.0 ms  46.8%       1x |*******************                     |
#         jbd2_log_wait_commit     8.5 ms  30.6%       1x |************                            |
#         other                    6.3 ms  22.6%          |*********                               |
#         overlap                    0 ns   0.0%          |                                        |
#
# Of the 28 ms of this fsync, one disk request took 13 ms and the wait for ext4's journal 8.5 ms.
param main:  source "what is slow: syscall:fsync, vfs_read, libc.so:malloc, '(from X to Y on KEY)'"
param parts: parts = "state" "what a call may be made of; state: the states of its thread"
param over:  duration = 1ms "calls of at least this are slow"
param suggest: flag "watch MAIN, then say which parts are worth a split"
param follow:  flag "the same, and follow the costliest callee down to a leaf"
param apply a: flag "the same, and split by these parts at once"
param locks:   flag "also which locks of the kernel slow calls wait for, and where"

def disk = (from block:block_rq_issue to block:block_rq_complete on rq)
def wait = (from sched:sched_switch where prev_pid != 0 on prev_pid
              to sched:sched_switch on next_pid)
def lock = (from lock:contention_begin to lock:contention_end on (tid, lock_addr) keep first)
def call = $main | split $parts

call | where duration >= $over | print time, comm, pid, duration, bars;
call | calls = count, sum(duration), avg(duration), sum(parts) by slow = duration >= $over | sort slow;
call | calls = count, slow = count where duration >= $over, longest = max(duration)
| where slow == 0
| print "no call took %s: of %d the longest took %s; a lower --over shows more",
        over = $over, calls, longest;
lock if $locks
| in $main over $over
| time = sum(duration), count by lock = begin.lock_addr, at = begin.kstack
| sort time | top 10
