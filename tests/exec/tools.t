The examples of the language over made events, beside the naive versions of four of them.

=== runqlat
--- query
from (sched:sched_wakeup on pid, sched:sched_wakeup_new on pid,
      sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid)
  to sched:sched_switch on next_pid
| hist(duration)
--- events
event sched:sched_wakeup comm:comm pid:tid
event sched:sched_wakeup_new comm:comm pid:tid
event sched:sched_switch prev_comm:comm prev_pid:tid prev_state:state next_comm:comm next_pid:tid
1.000000 cpu=0 tid=0 sched:sched_wakeup pid=10
1.000050 cpu=0 tid=0 sched:sched_switch prev_pid=0 prev_state=running next_pid=10
1.000900 cpu=0 tid=10 sched:sched_wakeup_new pid=11
1.001000 cpu=0 tid=10 sched:sched_switch prev_pid=10 prev_state=preempted next_pid=11
1.003000 cpu=0 tid=11 sched:sched_switch prev_pid=11 prev_state=sleeping next_pid=10
1.009000 cpu=0 tid=10 sched:sched_switch prev_pid=10 prev_state=running next_pid=0
1.010000 cpu=1 tid=0 sched:sched_switch prev_pid=0 prev_state=running next_pid=10
--- expect
hist(duration)
[32768..65535]=1 [65536..131071]=1 [524288..1048575]=1 [1048576..2097151]=1

=== runqlat_naive
Threads that are preempted wait, too.
--- query
from (sched:sched_wakeup on pid, sched:sched_wakeup_new on pid) to sched:sched_switch on next_pid
| count
--- expect
count
2
! unmatched 3

=== biosnoop_depth
A driver without room gives a request back: meanwhile it is not in flight, and its latency is from the last issue.
--- query
def issued = ((from block:block_rq_issue to (block:block_rq_complete, block:block_rq_requeue) on rq)
              else (from block:block_rq_issue to block:block_rq_complete on rq)) | where end.event != block_rq_requeue
issued | print begin.sector, in_flight(begin.dev), duration
--- events
event block:block_rq_issue dev:device sector:u64 rq:ptr
event block:block_rq_complete interrupt dev:device sector:u64 rq:ptr
event block:block_rq_requeue interrupt dev:device sector:u64 rq:ptr
1.000 tid=1 block:block_rq_issue dev=8:0 sector=100 rq=0xa
1.001 tid=1 block:block_rq_issue dev=8:0 sector=200 rq=0xb
1.002 tid=0 block:block_rq_requeue dev=8:0 sector=200 rq=0xb
1.003 tid=1 block:block_rq_issue dev=8:0 sector=300 rq=0xc
1.004 tid=0 block:block_rq_complete dev=8:0 sector=100 rq=0xa
1.005 tid=0 block:block_rq_complete dev=8:0 sector=300 rq=0xc
1.006 tid=1 block:block_rq_issue dev=8:0 sector=200 rq=0xb
1.008 tid=0 block:block_rq_complete dev=8:0 sector=200 rq=0xb
--- expect
100 | 1 | 4000000
300 | 2 | 2000000
200 | 1 | 2000000

=== biolatency
--- query
from block:block_rq_issue to block:block_rq_complete on rq | print end.sector, duration
--- events
event block:block_rq_issue dev:device sector:u64 rq:ptr
event block:block_rq_complete interrupt dev:device sector:u64 rq:ptr
1.000 tid=1 block:block_rq_issue dev=8:0 sector=100 rq=0xa
1.001 tid=1 block:block_rq_issue dev=8:0 sector=0 rq=0xb
1.002 tid=0 block:block_rq_complete dev=8:0 sector=100 rq=0xa
1.005 tid=0 block:block_rq_complete dev=8:0 sector=2048 rq=0xb
1.006 tid=1 block:block_rq_issue dev=8:0 sector=0 rq=0xc
1.007 tid=1 block:block_rq_issue dev=8:0 sector=2048 rq=0xd
1.016 tid=0 block:block_rq_complete dev=8:0 sector=2048 rq=0xd
1.026 tid=0 block:block_rq_complete dev=8:0 sector=555 rq=0xc
--- expect
100 | 2000000
2048 | 4000000
2048 | 9000000
555 | 20000000

=== biolatency_naive
Every flush has sector 0 at its issue and another at its completion.
--- query
from block:block_rq_issue to block:block_rq_complete on (dev, sector) | print end.sector, duration
--- expect
100 | 2000000
2048 | 9000000
! restarted 1
! unmatched 2

=== block_by_disk
--- query
from block:block_rq_issue to block:block_rq_complete on rq
| where duration > 3ms | count, max(duration) by begin.dev
--- expect
begin.dev | count | max(duration)
8388608 | 3 | 20000000

=== klockstat
A mutex begins a second time when its waiter goes to sleep, and a spinlock on the way is no end of it.
--- query
from lock:contention_begin to lock:contention_end on (tid, lock_addr) keep first
| print begin.lock_addr, duration
--- events
event lock:contention_begin lock_addr:u64 flags:u32
event lock:contention_end lock_addr:u64 ret:s32
1.0 tid=1 lock:contention_begin lock_addr=16 flags=33
1.1 tid=1 lock:contention_begin lock_addr=16 flags=32
1.2 tid=1 lock:contention_begin lock_addr=32 flags=1
1.3 tid=1 lock:contention_end lock_addr=32 ret=0
1.9 tid=1 lock:contention_end lock_addr=16 ret=0
--- expect
32 | 100000000
16 | 900000000

=== klockstat_naive
--- query
from lock:contention_begin to lock:contention_end | print begin.lock_addr, duration
--- expect
32 | 100000000
! restarted 2
! unmatched 1

=== offcputime
--- query
from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid
| sum(duration) by begin.comm
--- events
event sched:sched_switch prev_comm:comm prev_pid:tid prev_state:state next_comm:comm next_pid:tid
event sched:sched_waking comm:comm pid:tid
1.000 cpu=0 tid=10 comm=a sched:sched_switch prev_pid=10 prev_state=sleeping next_pid=11
1.002 cpu=0 tid=11 comm=b sched:sched_waking pid=10
1.003 cpu=0 tid=11 comm=b sched:sched_switch prev_pid=11 prev_state=preempted next_pid=10
1.004 cpu=0 tid=10 comm=a sched:sched_switch prev_pid=10 prev_state=sleeping next_pid=11
1.014 cpu=1 tid=12 comm=c sched:sched_waking pid=10
1.015 cpu=1 tid=12 comm=c sched:sched_switch prev_pid=12 prev_state=sleeping next_pid=10
--- expect
begin.comm | sum(duration)
"a" | 14000000
"b" | 1000000

=== offcputime_naive
By the running thread the two ends are never on the same one.
--- query
from sched:sched_switch where prev_pid != 0 to sched:sched_switch where next_pid != 0
| sum(duration) by begin.comm
--- expect
begin.comm | sum(duration)
"a" | 4000000

=== wakeuptime
--- query
from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid
  to sched:sched_waking on pid
| sum(duration) by end.current.comm, begin.comm
--- expect
end.current.comm | begin.comm | sum(duration)
"b" | "a" | 2000000
"c" | "a" | 10000000

=== wakeuptime_naive
The preempted thread sleeps for nobody.
--- query
from sched:sched_switch on prev_pid to sched:sched_waking on pid
| count by begin.comm
--- expect
begin.comm | count
"a" | 2

=== execsnoop
--- query
sched:sched_process_exec | print time, pid, ppid, comm, str(filename)
--- events
event sched:sched_process_exec filename:string pid:tid old_pid:tid
1.5 tid=30 pid=30 ppid=1 comm=ls sched:sched_process_exec filename="/bin/ls" pid=30 old_pid=30
--- expect
1500000000 | 30 | 1 | "ls" | "/bin/ls"
