# what slow calls were made of
#
# Question: X is slow: what is it doing all the time?
#
# MAIN is what is slow: a system call (syscall:fsync), a function of the kernel
# (vfs_fsync_range) or of a program (libc.so:getaddrinfo), or any other period. Of each of
# its calls that took --over or longer, the time and the count of each PART: the calls and
# periods that began on its thread meanwhile. `other` is the time in none of them, `overlap`
# what several had at once: times - overlap + other is the duration. Without parts, by the
# thread's state. At the end the averages of a quick call and of a slow one, with how
# much more a slow one had of each part: that is where slow calls differ.
#
# Parts that have names here: disk (requests), wait (not on a CPU), lock (contended
# locks of the kernel). Others: a function, a system call, NAME=(from X to Y on KEY).
#
#     $ culprit slow syscall:fsync
#     $ culprit slow syscall:fsync disk ext4_sync_file jbd2_log_wait_commit --over 10ms
#     $ culprit slow vfs_read 'disk=(from block:block_rq_issue to block:block_rq_complete on rq)'
#     $ culprit slow --suggest --follow syscall:fsync
#
# Which functions are worth a PART? --suggest watches MAIN for 5 seconds (-d) and says in
# which callees below MAIN the slow calls were, by the stacks of their threads: on a CPU
# (499 samples a second) and blocked (how long), and with which command they are split.
# Only what can be traced is named. --follow goes down the costliest callee, then its
# costliest, until a leaf; -a splits at once.
#
# Columns: TIME, COMM, PID, DURATION; of each part its time, percent of the duration, count
# and bar; at the end of a part of slow calls how much more than of a quick one.
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
# Of the 28 ms of this fsync 13 were one request of the disk, 8.5 the wait for ext4's journal.
param main:  source "what is slow: syscall:fsync, vfs_read, libc.so:malloc, '(from X to Y on KEY)'"
param parts: parts = "state" "what it may be made of; state: the states of its thread"
param over:  duration = 1ms "what takes so long is slow"
param suggest: flag "watch MAIN, then say which parts are worth it"
param follow:  flag "with --suggest: down the costliest callee until a leaf"
param apply a: flag "with --suggest: split by them at once"

def disk = (from block:block_rq_issue to block:block_rq_complete on rq)
def wait = (from sched:sched_switch where prev_pid != 0 on prev_pid
              to sched:sched_switch on next_pid)
def lock = (from lock:contention_begin to lock:contention_end keep first)
def call = $main | split $parts

call | where duration >= $over | print time, comm, pid, duration, bars;
call | calls = count, avg(duration), avg(parts) by slow = duration >= $over | sort slow;
call | calls = count, slow = count where duration >= $over, longest = max(duration)
| where slow == 0
| print "no call took %s: of %d the longest took %s; a lower --over shows more",
        over = $over, calls, longest
