A via: what happens between the two ends of a period, perhaps.

=== by_key
--- query
from x:begin to x:end on id | print begin.id, duration
--- events
event x:begin id:u64 n:u32
event x:mid id:u64 by:u32
event x:end id:u64
1.000 tid=1 comm=one x:begin id=5 n=1
1.001 tid=2 x:begin id=6 n=2
1.002 tid=9 comm=waker x:mid id=5 by=70
1.003 tid=3 x:end id=5
1.010 tid=1 x:end id=6
--- expect
5 | 3000000
6 | 9000000

=== fields
--- query
from x:begin via x:mid to x:end on id
| print begin.id, via.by, via.time, via.current.comm, begin.comm, duration
--- expect
5 | 70 | 1002000000 | "waker" | "one" | 3000000
6 | - | - | - | - | 9000000

=== none_is_false
--- query
from x:begin via x:mid to x:end on id | where via.by == 70 || via.by != 70 | count by via.by
--- expect
via.by | count
70 | 1

=== arithmetic_with_none
The time from the via to the end.
--- query
from x:begin via x:mid to x:end on id | print begin.id, time - via.time, via.time - begin.time
--- expect
5 | 1000000 | 2000000
6 | - | -

=== the_last_one_counts
--- query
from x:begin via x:mid to x:end on id | print via.by, via.name
--- events
event x:begin id:u64
event x:mid id:u64 by:u32 name:string
event x:end id:u64
1.0 x:begin id=1
1.1 x:mid id=1 by=1 name="first"
1.2 x:mid id=1 by=2 name="second"
1.25 x:mid id=2 by=4 name="of another"
1.3 x:end id=1
1.4 x:mid id=1 by=3 name="too late"
1.5 x:begin id=1
1.6 x:end id=1
--- expect
2 | "second"
- | -

=== several_vias_in_a_list
--- query
from x:begin via (x:mid, x:other on o) to x:end on id | print begin.id, via.by, via.what
--- events
event x:begin id:u64
event x:mid id:u64 by:u32
event x:other o:u64 what:string
event x:odd id:u64
event x:end id:u64
1.0 x:begin id=1
1.0 x:begin id=2
1.1 x:mid id=1 by=1
1.2 x:other o=2 what="other"
1.3 x:other o=1 what="one"
1.3 x:mid id=2 by=4
1.4 x:end id=1
1.5 x:end id=2
--- expect
1 | - | "one"
2 | 4 | -

=== several_vias_one_by_one
--- query
from x:begin via x:mid via x:other on o to x:end on id | print begin.id, via.by, via.what
--- expect
1 | - | "one"
2 | 4 | -

=== by_where
--- query
from x:begin via x:mid where id == begin.id && who > begin.n to x:end where id == begin.id
| print begin.id, via.who
--- events
event x:begin id:u64 n:u32
event x:mid id:u64 who:u32
event x:end id:u64
1.0 x:begin id=1 n=5
1.1 x:mid id=1 who=6
1.2 x:mid id=1 who=5
1.3 x:end id=1
--- expect
1 | 6

=== the_end_tests_the_via
A period whose via does not please the end stays open.
--- query
from x:begin via x:mid to x:end where via.by == 2 on id | print begin.id, via.by, duration
--- events
event x:begin id:u64
event x:mid id:u64 by:u32
event x:end id:u64
1.0 x:begin id=1
1.1 x:mid id=1 by=1
1.2 x:end id=1
1.3 x:mid id=1 by=2
1.4 x:end id=1
--- expect
1 | 2 | 400000000

=== order_at_one_event
At one event ends come first, then vias, then begins: the tick that ends a period is no
via of it, and the tick that begins one neither.
--- query
from x:tick via x:tick to x:end on k keep first | print via.n, begin.n
--- events
event x:tick k:u32 n:u32
event x:end k:u32
1.0 x:tick k=1 n=1
1.1 x:end k=1
1.2 x:tick k=1 n=2
1.3 x:tick k=1 n=3
1.4 x:end k=1
--- expect
- | 1
3 | 2

=== an_end_that_is_a_via_too
--- query
from x:begin via x:tick to x:tick where n > 5 on k | print via.n, end.n
--- events
event x:begin k:u32
event x:tick k:u32 n:u32
1.0 x:begin k=1
1.1 x:tick k=1 n=1
1.2 x:tick k=1 n=9
--- expect
1 | 9

=== on_a_thread
--- query
from x:begin via x:mid to x:end | print tid, via.n, via.current.comm
--- events
event x:begin
event x:mid n:u32
event x:end
1.0 tid=1 comm=a x:begin
1.1 tid=2 comm=b x:begin
1.2 tid=2 comm=c x:mid n=7
1.3 tid=1 x:end
1.4 tid=2 x:end
--- expect
1 | - | -
2 | 7 | "c"

=== offwaketime
The waker runs on another thread: the key is the task's number.
--- query
from sched:sched_switch where prev_pid != 0 on prev_pid
  via sched:sched_waking on pid to sched:sched_switch on next_pid
| sum(duration) by via.current.comm, begin.comm
--- events
event sched:sched_switch prev_pid:tid next_pid:tid
event sched:sched_waking pid:tid
1.0 cpu=0 tid=10 comm=sleeper sched:sched_switch prev_pid=10 next_pid=0
1.2 cpu=1 tid=20 comm=waker sched:sched_waking pid=10
1.3 cpu=0 tid=0 comm=swapper sched:sched_switch prev_pid=0 next_pid=10
1.4 cpu=0 tid=10 comm=sleeper sched:sched_switch prev_pid=10 next_pid=0
1.5 cpu=0 tid=0 comm=swapper sched:sched_switch prev_pid=0 next_pid=10
--- expect
via.current.comm | begin.comm | sum(duration)
- | "sleeper" | 100000000
"waker" | "sleeper" | 300000000

=== without_a_via
--- query
from x:begin to x:end | print via.time
--- events
event x:begin
event x:end
1.0 tid=1 x:begin
--- expect
culprit: query:1:31: this period has no via: from X via Y to Z [no-via]
  from x:begin to x:end | print via.time
                                ^~~~~~~~

=== a_field_that_no_via_has
--- query
from x:begin via x:end to x:end | print via.nothing
--- expect
culprit: query:1:41: no field 'nothing' in x:end [no-field]
  from x:begin via x:end to x:end | print via.nothing
                                          ^~~~~~~~~~~
help: of each row: time cpu pid tid ppid comm uid gid cgroup event kstack ustack stack task
