What a row's duration was made of: times - overlap + other = duration, in every row.

=== one_after_the_other
--- query
from x:row to x:end | split one = (from x:a to x:aend), two = (from x:b to x:bend)
| print n, duration, parts
--- events
event x:row n:u32
event x:end
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 x:row n=1
1.1 tid=1 x:a
1.3 tid=1 x:aend
1.4 tid=1 x:b
1.8 tid=1 x:bend
1.9 tid=1 x:a
2.0 tid=1 x:aend
2.5 tid=1 x:end
2.6 tid=1 x:a
2.7 tid=1 x:aend
2.8 tid=1 x:row n=2
2.9 tid=1 x:end
--- expect
1 | 1500000000 | 300000000 | 2 | 400000000 | 1 | 800000000
2 | 100000000 | 0 | 0 | 0 | 0 | 100000000

=== columns_by_name
--- query
from x:row to x:end | split one = (from x:a to x:aend), two = (from x:b to x:bend)
| where one.count > 0 | let share = one.time * 100 / duration | sum(one.time), sum(two.time), sum(other), max(share) by n
--- expect
n | sum(one.time) | sum(two.time) | sum(other) | max(share)
1 | 300000000 | 400000000 | 800000000 | 20

=== without_a_sink
--- query
from x:row to x:end | split one = (from x:a to x:aend)
--- expect
2500000000 | - | - | 1500000000 | 300000000 | 2 | 1200000000
2900000000 | - | - | 100000000 | 0 | 0 | 100000000

=== nested
The innermost has the time.
--- query
from x:row to x:end | split outer = (from x:a to x:aend), inner = (from x:b to x:bend)
| print duration, parts
--- events
event x:row
event x:end
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 x:row
1.1 tid=1 x:a
1.2 tid=1 x:b
1.5 tid=1 x:bend
1.7 tid=1 x:aend
2.0 tid=1 x:end
--- expect
1000000000 | 300000000 | 1 | 300000000 | 1 | 400000000

=== crossed
Ends that are not in the order of the begins: the latest begun of those open is innermost.
--- query
from x:row to x:end | split a = (from x:a to x:aend), b = (from x:b to x:bend), c = (from x:c to x:cend)
| print duration, a.time, b.time, c.time, other
--- events
event x:row
event x:end
event x:a
event x:aend
event x:b
event x:bend
event x:c
event x:cend
1.0 tid=1 x:row
1.1 tid=1 x:a
1.2 tid=1 x:b
1.3 tid=1 x:c
1.4 tid=1 x:bend
1.5 tid=1 x:cend
1.7 tid=1 x:aend
2.0 tid=1 x:end
--- expect
1000000000 | 300000000 | 100000000 | 200000000 | 400000000

=== crossed_in_a_union
What ends is not the latest begun of its part.
--- query
from x:row to x:end | split both = ((from x:a to x:aend), (from x:c to x:cend)), b = (from x:b to x:bend)
| print duration, both.time, both.count, b.time, other
--- events
event x:row
event x:end
event x:a
event x:aend
event x:b
event x:bend
event x:c
event x:cend
1.0 tid=1 x:row
1.1 tid=1 x:a
1.2 tid=1 x:b
1.3 tid=1 x:c
1.4 tid=1 x:aend
1.5 tid=1 x:cend
1.7 tid=1 x:bend
2.0 tid=1 x:end
--- expect
1000000000 | 300000000 | 2 | 300000000 | 400000000

=== parts_that_are_cut_or_began_before
--- query
from x:row to x:end | split a = (from x:a to x:aend), b = (from x:b to x:bend)
| print duration, parts
--- events
event x:row
event x:end
event x:a
event x:aend
event x:b
event x:bend
0.5 tid=1 x:a
1.0 tid=1 x:row
1.1 tid=1 x:b
1.2 tid=1 x:bend
1.3 tid=1 x:aend
1.4 tid=1 x:a
2.0 tid=1 x:end
2.1 tid=1 x:aend
2.2 tid=1 x:row
2.3 tid=1 x:a
2.4 tid=1 x:b
2.5 tid=1 x:end
2.6 tid=1 x:row
2.7 tid=1 x:aend
2.8 tid=1 x:bend
2.9 tid=1 x:end
--- expect
1000000000 | 600000000 | 1 | 100000000 | 1 | 300000000
300000000 | 100000000 | 1 | 100000000 | 1 | 100000000
300000000 | 0 | 0 | 0 | 0 | 300000000
! parts cut 1
! parts cut 1

=== restarted
A part that begins anew while it is open: the old one ends there.
--- query
from x:row to x:end | split a = (from x:a to x:aend) | print duration, parts
--- events
event x:row
event x:end
event x:a
event x:aend
1.0 tid=1 x:row
1.1 tid=1 x:a
1.3 tid=1 x:a
1.4 tid=1 x:aend
1.5 tid=1 x:aend
2.0 tid=1 x:end
--- expect
1000000000 | 300000000 | 2 | 700000000
! restarted 1
! unmatched 1

=== restarted_in_turn
Two parts that begin anew in turn: only two are open at any time, however often.
--- query
from x:row to x:end
| split one = (from x:a to x:aend), two = (from x:b to x:bend)
| print duration, one.time, one.count, two.time, two.count, other
--- events
event x:row n:u32
event x:end
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 x:row n=1
1.01 tid=1 x:b
1.02 tid=1 x:a
1.03 tid=1 x:b
1.04 tid=1 x:a
1.05 tid=1 x:b
1.06 tid=1 x:a
1.07 tid=1 x:b
1.08 tid=1 x:a
1.09 tid=1 x:b
1.10 tid=1 x:a
1.11 tid=1 x:b
1.12 tid=1 x:a
1.13 tid=1 x:b
1.14 tid=1 x:a
1.15 tid=1 x:b
1.16 tid=1 x:a
1.17 tid=1 x:b
1.18 tid=1 x:a
1.19 tid=1 x:b
1.20 tid=1 x:a
1.21 tid=1 x:b
1.22 tid=1 x:a
1.23 tid=1 x:b
1.24 tid=1 x:a
1.25 tid=1 x:b
1.26 tid=1 x:a
1.27 tid=1 x:b
1.28 tid=1 x:a
1.29 tid=1 x:b
1.30 tid=1 x:a
1.31 tid=1 x:b
1.32 tid=1 x:a
1.33 tid=1 x:b
1.34 tid=1 x:a
1.35 tid=1 x:b
1.36 tid=1 x:a
1.37 tid=1 x:b
1.38 tid=1 x:a
1.39 tid=1 x:b
1.40 tid=1 x:a
1.50 tid=1 x:bend
1.60 tid=1 x:aend
1.70 tid=1 x:end
--- expect
700000000 | 390000000 | 20 | 200000000 | 20 | 110000000
! restarted 19
! restarted 19

=== of_other_threads
--- query
from x:row to x:end | split a = (from x:a to x:aend) | print tid, duration, a.time, a.count, other
--- events
event x:row
event x:end
event x:a
event x:aend
1.0 tid=1 x:row
1.0 tid=2 x:row
1.1 tid=2 x:a
1.2 tid=3 x:a
1.3 tid=1 x:a
1.5 tid=1 x:aend
1.6 tid=1 x:end
1.7 tid=2 x:aend
1.8 tid=3 x:aend
2.0 tid=2 x:end
--- expect
1 | 600000000 | 200000000 | 1 | 400000000
2 | 1000000000 | 600000000 | 1 | 400000000

=== ends_elsewhere
The request is its submitter's, also when an interrupt on another CPU completes it.
--- query
from x:row to x:end | split disk = (from x:issue to x:done on rq) | print tid, duration, parts
--- events
event x:row
event x:end
event x:issue rq:u64
event x:done interrupt rq:u64
1.0 tid=1 x:row
1.1 tid=1 x:issue rq=1
1.2 tid=1 x:issue rq=2
1.3 cpu=1 tid=2 x:done rq=2
1.4 cpu=1 tid=2 x:done rq=1
1.5 tid=1 x:issue rq=3
1.7 tid=2 x:issue rq=4
2.0 tid=1 x:end
2.1 cpu=2 tid=1 x:done rq=3
2.2 cpu=2 tid=1 x:done rq=4
2.3 tid=1 x:row
2.4 tid=1 x:end
--- expect
1 | 1000000000 | 800000000 | 3 | 200000000
1 | 100000000 | 0 | 0 | 100000000
! parts cut 1

=== overlap
While two are open, both have the time.
--- query
from x:row to x:end
| split disk = (from x:issue to x:done on rq), net = (from x:send to x:ack on seq), csum = (from x:c to x:cend)
| print duration, disk.time, net.time, csum.time, other, overlap, ok = disk.time + net.time + csum.time - overlap + other == duration
--- events
event x:row
event x:end
event x:issue rq:u64
event x:done interrupt rq:u64
event x:send seq:u64
event x:ack interrupt seq:u64
event x:c
event x:cend
1.0 tid=1 x:row
1.1 tid=1 x:issue rq=1
1.2 tid=1 x:send seq=1
1.3 tid=1 x:c
1.4 tid=1 x:cend
1.5 tid=7 x:done rq=1
1.7 tid=7 x:ack seq=1
1.8 tid=1 x:c
1.9 tid=1 x:send seq=2
2.0 tid=1 x:end
2.1 tid=1 x:ack seq=2
--- expect
1000000000 | 400000000 | 600000000 | 300000000 | 200000000 | 500000000 | 1
! parts cut 1
! parts cut 1

=== keyed_rows
A keyed row belongs to the thread of its begin; parts there are its own, whoever ends it.
--- query
from x:row to x:end on id | split a = (from x:a to x:aend), disk = (from x:issue to x:done on rq)
| print begin.id, duration, parts
--- events
event x:row id:u64
event x:end id:u64
event x:a
event x:aend
event x:issue rq:u64
event x:done interrupt rq:u64
1.0 tid=1 x:row id=1
1.1 tid=1 x:a
1.2 tid=1 x:aend
1.3 tid=2 x:a
1.4 tid=1 x:row id=2
1.5 tid=1 x:a
1.6 tid=1 x:aend
1.7 tid=1 x:issue rq=1
1.8 tid=9 x:end id=2
1.9 tid=1 x:issue rq=2
2.0 tid=9 x:end id=1
2.1 tid=9 x:done rq=1
2.2 tid=9 x:done rq=2
--- expect
2 | 400000000 | 100000000 | 1 | 100000000 | 1 | 200000000 | 0
1 | 1000000000 | 100000000 | 1 | 100000000 | 1 | 800000000 | 0
! parts cut 2

=== at_one_event
The event that begins a row begins its part inside it, the one that ends both ends the
part in it.
--- query
from x:go to x:stop | split all = (from x:go to x:stop), b = (from x:b to x:stop) | print duration, parts
--- events
event x:go
event x:stop
event x:b
1.0 tid=1 x:go
1.5 tid=1 x:b
2.0 tid=1 x:stop
--- expect
1000000000 | 500000000 | 1 | 500000000 | 1 | 0

=== several_sources_in_a_part
--- query
def slow = (from x:a to x:aend), (from x:b to x:bend)
from x:row to x:end | split slow | print parts
--- events
event x:row
event x:end
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 x:row
1.1 tid=1 x:a
1.2 tid=1 x:b
1.4 tid=1 x:bend
1.5 tid=1 x:aend
2.0 tid=1 x:end
--- expect
400000000 | 2 | 600000000

=== conditions_of_a_part
They are asked at its begin.
--- query
def big = (from x:a to x:aend) | where n > 10
from x:row to x:end | split big, all = (from x:a to x:aend) | print parts
--- events
event x:row
event x:end
event x:a n:u32
event x:aend
1.0 tid=1 x:row
1.1 tid=1 x:a n=5
1.2 tid=1 x:aend
1.3 tid=1 x:a n=50
1.5 tid=1 x:aend
2.0 tid=1 x:end
--- expect
0 | 1 | 300000000 | 2 | 700000000

=== parts_of_parts
The Apache request: phases that are in a request themselves.
--- query
def request = (from x:accept on fd to x:close on fd)
def lookup = (from x:stat to x:statend) | in request
request | where duration > 100ms | split lookup | print begin.fd, duration, parts
--- events
event x:accept fd:u32
event x:close fd:u32
event x:stat
event x:statend
1.0 tid=1 x:accept fd=5
1.1 tid=1 x:stat
1.2 tid=1 x:statend
1.3 tid=2 x:stat
1.4 tid=2 x:statend
1.5 tid=1 x:close fd=5
1.6 tid=1 x:accept fd=5
1.61 tid=1 x:close fd=5
--- expect
5 | 500000000 | 100000000 | 1 | 400000000

=== system_calls
--- query
syscall:read | split page = (from x:fault to x:filled) | print fd, duration, page.time, other
--- events
syscall read fd:s32 count:u64
event x:fault
event x:filled
1.0 tid=1 syscall:read.enter fd=3 count=10
1.1 tid=1 x:fault
1.4 tid=1 x:filled
1.5 tid=1 syscall:read.return ret=5
--- expect
3 | 500000000 | 300000000 | 200000000

=== instances_of_one_part
The time in which at least one is open.
--- query
from x:row to x:end | split k = (from x:k to x:kend on k), a = (from x:a to x:aend) | print parts
--- events
event x:row
event x:end
event x:k k:u32
event x:kend k:u32
event x:a
event x:aend
1.0 tid=1 x:row
1.1 tid=1 x:k k=1
1.2 tid=1 x:k k=2
1.3 tid=1 x:kend k=1
1.4 tid=1 x:kend k=2
2.0 tid=1 x:end
--- expect
300000000 | 2 | 0 | 0 | 700000000 | 0

=== threads_exit
What the thread had open goes with it; its number comes again.
--- query
from x:row to x:end | split a = (from x:a to x:aend) | print duration, parts
--- events
event x:row
event x:end
event x:a
event x:aend
event sched:sched_process_exit
1.0 tid=1 x:row
1.1 tid=1 x:a
1.2 tid=1 sched:sched_process_exit
1.3 tid=1 x:a
1.4 tid=1 x:aend
1.5 tid=1 x:end
1.6 tid=1 x:row
1.7 tid=1 x:a
1.8 tid=1 x:aend
1.9 tid=1 x:end
--- expect
300000000 | 100000000 | 1 | 200000000
! unmatched 1

=== state
--- query
from x:row to x:end | split state | print duration, running.time, runnable.time, disk.time, sleeping.time, running.count
--- events
event x:row
event x:end
event sched:sched_switch prev_pid:tid prev_state:state next_pid:tid
event sched:sched_waking pid:tid
1.0 tid=1 x:row
1.1 tid=1 sched:sched_switch prev_pid=1 prev_state=sleeping next_pid=0
1.3 tid=0 sched:sched_waking pid=1
1.4 tid=0 sched:sched_switch prev_pid=0 prev_state=running next_pid=1
1.5 tid=1 sched:sched_switch prev_pid=1 prev_state=preempted next_pid=2
1.7 cpu=1 tid=2 sched:sched_switch prev_pid=2 prev_state=disk next_pid=1
1.75 tid=1 sched:sched_switch prev_pid=1 prev_state=disk next_pid=2
1.8 cpu=1 tid=3 sched:sched_waking pid=1
1.9 tid=2 sched:sched_switch prev_pid=2 prev_state=running next_pid=1
1.95 tid=2 sched:sched_waking pid=1
2.0 tid=1 x:end
--- expect
1000000000 | 350000000 | 400000000 | 50000000 | 200000000 | 4

=== state_of_a_key_that_is_the_thread
--- query
from x:row to x:end on tid | split state | print duration, running.time, runnable.time, disk.time, sleeping.time, running.count
--- expect
1000000000 | 350000000 | 400000000 | 50000000 | 200000000 | 4

=== state_has_all_columns
--- query
from x:row to x:end | split state | print parts
--- expect
350000000 | 4 | 400000000 | 3 | 50000000 | 1 | 0 | 0 | 200000000 | 1 | 0 | 0

=== state_lock
Whatever the thread is in while it waits for a lock; a lock inside of that wait ends nothing.
--- query
from x:row to x:end | split state | print duration, running.time, runnable.time, sleeping.time, lock.time, lock.count
--- events
event x:row
event x:end
event sched:sched_switch prev_pid:tid prev_state:state next_pid:tid
event sched:sched_waking pid:tid
event lock:contention_begin lock_addr:u64 flags:u32
event lock:contention_end lock_addr:u64 ret:s32
1.0 tid=1 x:row
1.1 tid=1 lock:contention_begin lock_addr=16 flags=2
1.2 tid=1 lock:contention_begin lock_addr=32 flags=1
1.25 tid=1 lock:contention_end lock_addr=32 ret=0
1.3 tid=1 sched:sched_switch prev_pid=1 prev_state=disk next_pid=2
1.4 tid=2 sched:sched_waking pid=1
1.5 tid=2 sched:sched_switch prev_pid=2 prev_state=running next_pid=1
1.6 tid=1 lock:contention_end lock_addr=16 ret=0
1.7 tid=1 sched:sched_switch prev_pid=1 prev_state=sleeping next_pid=2
1.75 tid=2 lock:contention_begin lock_addr=16 flags=2
1.8 tid=2 lock:contention_end lock_addr=16 ret=0
1.85 tid=2 sched:sched_waking pid=1
1.9 tid=2 sched:sched_switch prev_pid=2 prev_state=running next_pid=1
1.95 tid=1 lock:contention_begin lock_addr=16 flags=2
2.0 tid=1 x:end
--- expect
1000000000 | 250000000 | 50000000 | 150000000 | 550000000 | 2

=== state_spinning
Spinning on a mutex while its owner runs, then asleep for the same; a spinlock; who is switched from does not spin.
--- query
from x:row to x:end | split state | print duration, running.time, lock.time, lock.count, spinning.time, spinning.count
--- events
event x:row
event x:end
event sched:sched_switch prev_pid:tid prev_state:state next_pid:tid
event sched:sched_waking pid:tid
event lock:contention_begin lock_addr:u64 flags:u32
event lock:contention_end lock_addr:u64 ret:s32
1.0 tid=1 x:row
1.1 tid=1 lock:contention_begin lock_addr=16 flags=33
1.15 tid=1 lock:contention_begin lock_addr=32 flags=1
1.2 tid=1 lock:contention_end lock_addr=32 ret=0
1.3 tid=1 lock:contention_begin lock_addr=16 flags=32
1.35 tid=1 sched:sched_switch prev_pid=1 prev_state=disk next_pid=2
1.4 tid=2 sched:sched_waking pid=1
1.5 tid=2 sched:sched_switch prev_pid=2 prev_state=running next_pid=1
1.55 tid=1 lock:contention_begin lock_addr=16 flags=33
1.6 tid=1 sched:sched_switch prev_pid=1 prev_state=running next_pid=2
1.65 tid=2 sched:sched_switch prev_pid=2 prev_state=running next_pid=1
1.7 tid=1 lock:contention_end lock_addr=16 ret=0
1.8 tid=1 lock:contention_begin lock_addr=32 flags=1
1.81 tid=1 lock:contention_end lock_addr=32 ret=0
2.0 tid=1 x:end
--- expect
1000000000 | 390000000 | 350000000 | 2 | 260000000 | 3

=== state_interrupts
On top of what the thread is in, each on top of the other, also of spinning; what they do with locks and wake is not
the thread's. An end alone is none, a switch ends what has lost its end.
--- query
from x:row to x:end | split state
| print duration, running.time, running.count, sleeping.time, spinning.time, spinning.count, softirq.time, softirq.count, irq.time, irq.count
--- events
event x:row
event x:end
event sched:sched_switch prev_pid:tid prev_state:state next_pid:tid
event sched:sched_waking pid:tid
event lock:contention_begin lock_addr:u64 flags:u32
event lock:contention_end lock_addr:u64 ret:s32
event irq:softirq_entry vec:u32
event irq:softirq_exit vec:u32
event irq:irq_handler_entry irq:s32
event irq:irq_handler_exit irq:s32 ret:s32
event irq_vectors:local_timer_entry vector:s32
event irq_vectors:local_timer_exit vector:s32
0.9 tid=1 irq:softirq_entry vec=3
1.0 tid=1 x:row
1.05 tid=1 irq:softirq_exit vec=3
1.1 tid=1 irq:softirq_entry vec=3
1.12 tid=1 lock:contention_begin lock_addr=16 flags=1
1.14 tid=1 sched:sched_waking pid=1
1.15 tid=1 irq:irq_handler_entry irq=5
1.17 tid=1 irq:irq_handler_exit irq=5 ret=1
1.18 tid=1 lock:contention_end lock_addr=16 ret=0
1.2 tid=1 irq:softirq_exit vec=3
1.3 tid=1 lock:contention_begin lock_addr=16 flags=1
1.35 tid=1 irq_vectors:local_timer_entry vector=236
1.36 tid=1 irq_vectors:local_timer_exit vector=236
1.36 tid=1 irq:softirq_entry vec=1
1.4 tid=1 irq:softirq_exit vec=1
1.45 tid=1 lock:contention_end lock_addr=16 ret=0
1.5 tid=1 irq:irq_handler_entry irq=5
1.6 tid=1 sched:sched_switch prev_pid=1 prev_state=sleeping next_pid=2
1.65 tid=2 irq:irq_handler_entry irq=5
1.7 tid=2 irq:irq_handler_exit irq=5 ret=1
1.8 tid=2 sched:sched_switch prev_pid=2 prev_state=running next_pid=1
1.85 tid=1 irq:irq_handler_exit irq=5 ret=1
2.0 tid=1 x:end
--- expect
1000000000 | 450000000 | 3 | 200000000 | 100000000 | 1 | 120000000 | 2 | 130000000 | 3

=== state_beside_parts
The states split the duration a second time: a + far - overlap + other, and all states, are 1 s.
--- query
from x:row to x:end | split state, a = (from x:a to x:aend), far = (from x:b to x:bend on k)
| print duration, a.time, a.count, far.time, other, overlap, running.time, runnable.time, sleeping.time, disk.time
--- events
event x:row
event x:end
event x:a
event x:aend
event x:b k:u32
event x:bend k:u32
event sched:sched_switch prev_pid:tid prev_state:state next_pid:tid
event sched:sched_waking pid:tid
1.0 tid=1 x:row
1.1 tid=1 x:a
1.2 tid=1 x:b k=1
1.3 tid=1 sched:sched_switch prev_pid=1 prev_state=sleeping next_pid=0
1.6 tid=0 sched:sched_waking pid=1
1.7 tid=2 x:bend k=1
1.8 tid=0 sched:sched_switch prev_pid=0 prev_state=running next_pid=1
1.9 tid=1 x:aend
1.95 tid=1 x:a
2.0 tid=1 x:end
--- expect
1000000000 | 850000000 | 2 | 500000000 | 150000000 | 500000000 | 500000000 | 200000000 | 300000000 | 0
! parts cut 1

=== state_beside_parts_has_all_columns
Parts first, with what they leave and share, then the states.
--- query
from x:row to x:end | split a = (from x:a to x:aend), state, far = (from x:b to x:bend on k) | print parts
--- expect
850000000 | 2 | 500000000 | 1 | 150000000 | 500000000 | 500000000 | 2 | 200000000 | 1 | 0 | 0 | 0 | 0 | 300000000 | 1 | 0 | 0
! parts cut 1

=== state_beside_a_part_of_its_name
--- query
from x:row to x:end | split disk = (from x:a to x:aend), state | print parts
--- expect
culprit: query:1:29: a part and a state have the name 'disk' [duplicate-column]
  from x:row to x:end | split disk = (from x:a to x:aend), state | print parts
                              ^~~~~~~~~~~~~~~~~~~~~~~~~~~
help: give the part another name, as io=disk

=== an_event
--- query
x:row | split a = (from x:row to x:end)
--- expect
culprit: query:1:9: an event has no duration to split [no-period]
  x:row | split a = (from x:row to x:end)
          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

=== a_part_that_is_an_event
--- query
from x:row to x:end | split a = x:row
--- expect
culprit: query:1:29: a part must be a period: an event takes no time [no-period]
  from x:row to x:end | split a = x:row
                              ^~~~~~~~~

=== a_part_without_a_name
--- query
from x:row to x:end | split (from x:row to x:end)
--- expect
culprit: query:1:29: this part needs a name [expected-token]
  from x:row to x:end | split (from x:row to x:end)
                              ^~~~~~~~~~~~~~~~~~~~~
help: write split NAME = (...)

=== state_of_no_thread
--- query
from x:row to x:end on 5 | split state
--- expect
culprit: query:1:28: 'split state' needs a thread, but this period may end on another than it began [no-owner]
  from x:row to x:end on 5 | split state
                             ^~~~~~~~~~~
help: if it never does: without a key, or on tid at each end

=== parts_that_a_parameter_brings
--- query
param b: flag
from x:row to x:end | split a = (from x:a to x:aend), b = (from x:a to x:aend) if $b | print parts
--- events
event x:row
event x:end
event x:a
event x:aend
1.0 tid=1 x:row
1.1 tid=1 x:a
1.2 tid=1 x:aend
1.3 tid=1 x:end
--- expect
100000000 | 1 | 200000000

=== worst_of_them
Rows with their parts are kept whole.
--- query
from x:row to x:end | split a = (from x:a to x:aend) | worst 1 by a.time
--- expect
time | pid | comm | duration | a.time | a.count | other
1300000000 | - | - | 300000000 | 100000000 | 1 | 200000000

=== by_a_definition
--- query
def slow = (from x:row to x:end) | split a = (from x:a to x:aend)
slow | where a.time > 0 | print duration, parts
--- expect
300000000 | 100000000 | 1 | 200000000

=== two_ways
--- query
def p = (from x:row to x:end)
p | split a = (from x:a to x:aend) | count; p | split b = (from x:a to x:aend) | count
--- expect
culprit: query:2:49: this definition is already split in another way [stage-order]
  p | split a = (from x:a to x:aend) | count; p | split b = (from x:a to x:aend) | count
                                                  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
help: write the source itself here, not its name

=== a_part_whose_end_never_comes
It lasts to the end of its row, and is counted: on the row's thread, and where it may end anywhere. What
ends in its row, and what begins in none, is not.
--- query
from x:row to x:end | split one = (from x:a to x:never), two = (from x:b on id to x:never on id), three = (from x:c to x:cend)
| print one.time, two.time, three.time, other
--- events
event x:row
event x:end
event x:a
event x:b id:u32
event x:c
event x:cend
event x:never id:u32
1.0 tid=1 x:row
1.1 tid=1 x:c
1.2 tid=1 x:cend
1.3 tid=1 x:a
1.4 tid=1 x:b id=1
1.5 tid=1 x:end
2.0 tid=1 x:row
2.1 tid=1 x:c
2.2 tid=1 x:cend
2.3 tid=1 x:b id=2
2.5 tid=1 x:end
--- expect
200000000 | 100000000 | 100000000 | 200000000
0 | 200000000 | 100000000 | 200000000
! parts cut 1
! parts cut 2

=== one_period_is_several_parts
The first of them is the innermost; each counts the begins that it is asked for.
--- query
def all = from x:a to x:aend
def small = all | where n < 5
def big = all | where n >= 5
def both = small, big
from x:row to x:end | split small, big | print duration, parts;
from x:row to x:end | split small, all | print duration, parts;
from x:row to x:end | split all, small | print duration, parts;
from x:row to x:end | split both | print duration, parts
--- events
event x:row
event x:end
event x:a n:u32
event x:aend
1.0 tid=1 x:row
1.1 tid=1 x:a n=1
1.3 tid=1 x:aend
1.4 tid=1 x:a n=7
2.0 tid=1 x:aend
2.5 tid=1 x:end
--- expect
1500000000 | 200000000 | 1 | 600000000 | 1 | 700000000
1500000000 | 200000000 | 1 | 600000000 | 2 | 700000000
1500000000 | 800000000 | 2 | 0 | 1 | 700000000
1500000000 | 800000000 | 2 | 700000000

=== one_period_is_several_parts_that_end_elsewhere
--- query
def all = from x:a to x:aend on k
def small = all | where n < 5
from x:row to x:end | split all, small | print duration, parts
--- events
event x:row
event x:end
event x:a n:u32 k:u32
event x:aend k:u32
1.0 tid=1 x:row
1.1 tid=1 x:a n=1 k=1
1.2 tid=1 x:a n=7 k=2
1.3 tid=2 x:aend k=1
2.0 tid=2 x:aend k=2
2.5 tid=1 x:end
--- expect
1500000000 | 900000000 | 2 | 200000000 | 1 | 600000000 | 200000000
