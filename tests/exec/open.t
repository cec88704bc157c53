Periods that have not ended.

=== print
--- query
from x:begin to x:end on id | open | print id, n, begin.time, duration, time
--- events
event x:begin id:u64 n:s32 name:string
event x:end id:u64
1.0 tid=1 comm=one x:begin id=1 n=-1 name="a"
1.1 tid=2 comm=two x:begin id=2 n=2 name="b"
1.2 tid=3 comm=three x:begin id=3 n=3 name="c"
1.5 tid=1 x:end id=2
2.0 tid=1 x:end id=9
--- expect
id | n | begin.time | duration | time
1 | -1 | 1000000000 | 1000000000 | 2000000000
3 | 3 | 1200000000 | 800000000 | 2000000000
! unmatched 1

=== older
--- query
from x:begin to x:end on id | open older 900ms | print id, name, comm, tid
--- expect
id | name | comm | tid
1 | "a" | "one" | 1
! unmatched 1

=== older_by_a_parameter
--- query
param age: duration = 300ms
from x:begin to x:end on id | open older $age | count
--- expect
count
2
! unmatched 1

=== usual_columns
--- query
from x:begin to x:end on id | open
--- expect
time | pid | comm | duration
2000000000 | - | "one" | 1000000000
2000000000 | - | "three" | 800000000
! unmatched 1

=== aggregations
--- query
from x:begin to x:end on id | where n != 3 || id == 3 | open | count, max(duration), sum(n) by comm | sort comm
--- expect
comm | count | max(duration) | sum(n)
"one" | 1 | 1000000000 | -1
"three" | 1 | 800000000 | 3
! unmatched 1

=== buckets
--- query
from x:begin to x:end on id | open | hist(duration), p50(duration)
--- expect
hist(duration) | p50(duration)
[536870912..1073741823]=2 | 800000000
! unmatched 1

=== rows_can_be_sorted
--- query
from x:begin to x:end on id | open | print id, duration | sort -id | top 1 by duration
--- expect
id | duration
1 | 1000000000
! unmatched 1

=== a_format
--- query
from x:begin to x:end on id | open | print "%d", id
--- expect
1
3
! unmatched 1

=== lets_and_samples
--- query
from x:begin to x:end on id | open | let twice = id * 2 | where twice > 2 | print twice
--- expect
twice
6
! unmatched 1

=== again_and_again
--- query
from x:begin to x:end on id | open | print id, duration | every 400ms
--- expect
-- interval 0
id | duration
1 | 400000000
2 | 300000000
3 | 200000000
-- interval 1
id | duration
1 | 800000000
3 | 600000000
-- interval 2
id | duration
1 | 1000000000
3 | 800000000
! unmatched 1

=== again_and_again_counted
--- query
from x:begin to x:end on id | open older 300ms | count | every 400ms
--- expect
-- interval 0
count
2
-- interval 1
count
2
-- interval 2
count
2
! unmatched 1

=== finished_and_open_of_one_definition
--- query
def p = (from x:begin to x:end on id)
p | count; p | open | count
--- expect
count
1
count
2
! unmatched 1

=== on_a_thread
A thread that has exited closes what it had open.
--- query
from x:begin to x:end | open | print tid, comm, k, duration
--- events
event x:begin k:u32
event x:end
event sched:sched_process_exit
1.0 tid=1 comm=a x:begin k=1
1.1 tid=2 comm=b x:begin k=2
1.2 tid=3 comm=c x:begin k=3
1.3 tid=2 comm=b sched:sched_process_exit
1.4 tid=3 x:end
1.5 tid=1 x:end
1.6 tid=1 x:begin k=9
1.7 tid=2 comm=new x:begin k=5
--- expect
tid | comm | k | duration
1 | "a" | 9 | 100000000
2 | "new" | 5 | 0

=== exec_by_another_thread
A thread that execs gets the number of its process: what it has open goes with it.
--- query
from x:begin to x:end | open | print tid, k
--- events
event x:begin k:u32
event x:end
event sched:sched_process_exec old_pid:tid
event sched:sched_process_exit
1.0 tid=7 x:begin k=7
1.1 tid=1 x:begin k=1
1.2 tid=3 x:begin k=3
1.3 tid=1 sched:sched_process_exit
1.4 tid=1 sched:sched_process_exec old_pid=3
1.5 tid=1 x:end
--- expect
tid | k
7 | 7

=== system_calls
The parameters, strings too, and which call: of the entry.
--- query
syscall:* | open | print tid, event, fd, str(filename)
--- events
syscall read fd:s32 count:u64
syscall openat fd:s32 filename:ptr
syscall exit
1.0 tid=1 syscall:read.enter fd=3 count=10
1.1 tid=2 syscall:openat.enter fd=-100 filename=0
1.2 tid=3 syscall:read.enter fd=4 count=20
1.3 tid=3 syscall:read.return ret=20
--- expect
tid | event | fd | str(filename)
1 | read | 3 | -
2 | openat | -100 | -

=== one_call
--- query
syscall:read | open | print tid, fd, `count`, event
--- expect
tid | fd | count | event
1 | 3 | 10 | read

=== usual_columns_of_a_call
--- query
syscall:read | open
--- expect
time | pid | comm | duration | fd | count
1300000000 | - | - | 300000000 | 3 | 10

=== kinds_of_begins
--- query
from (x:a on id, x:b on nr) to x:end on id | open | print event, begin.id, begin.nr
--- events
event x:a id:u32
event x:b nr:u32
event x:end id:u32
1.0 x:a id=1
1.1 x:b nr=2
1.2 x:a id=3
1.3 x:end id=3
--- expect
event | begin.id | begin.nr
a | 1 | -
b | - | 2

=== several_ends
Each period is one row.
--- query
from x:a on id to (x:end on id, x:b on nr) | open | print begin.id
--- expect
begin.id
1
! unmatched 1

=== union
--- query
(from x:a to x:end on id), (from x:b on nr to x:end on id) | open | print event, id, nr, duration
--- expect
event | id | nr | duration
a | 1 | - | 300000000
b | - | 2 | 200000000
! unmatched 1

=== with_a_via
--- query
from x:a via x:b on nr to x:end on id | open | print begin.id, time - via.time
--- events
event x:a id:u32
event x:b nr:u32
event x:end id:u32
1.0 x:a id=1
1.1 x:a id=2
1.2 x:b nr=2
1.5 x:end id=3
--- expect
begin.id | time-via.time
1 | -
2 | 300000000
! unmatched 1

=== memleak
--- query
from (k:malloc, k:calloc) on at to (k:free where at != 0) on at
| open older 1s | bytes = sum(begin.n), count by begin.comm | top 10 by bytes
--- events
event k:malloc at:u64 n:u64
event k:calloc at:u64 n:u64
event k:free at:u64
1.0 tid=1 comm=a k:malloc at=1 n=100
1.1 tid=2 comm=b k:calloc at=2 n=200
1.2 tid=1 comm=a k:malloc at=3 n=300
1.3 tid=2 comm=b k:free at=3
1.4 tid=2 comm=b k:malloc at=3 n=7
2.0 tid=2 comm=b k:malloc at=4 n=1000
2.4 tid=2 comm=b k:free at=0
--- expect
begin.comm | bytes | count
"b" | 207 | 2
"a" | 100 | 1

=== the_end_is_not_known
--- query
from x:a to x:end on id | open | print end.id
--- events
event x:a id:u32
event x:end id:u32
1.0 x:a id=1
--- expect
culprit: query:1:40: an open period has no end yet: use its begin's fields [no-end]
  from x:a to x:end on id | open | print end.id
                                         ^~~~~~

=== of_an_event
--- query
x:a | open
--- expect
culprit: query:1:7: 'open' needs periods: an event is never open [no-period]
  x:a | open
        ^~~~
help: make a period of two events: from X to Y on KEY

=== with_first
--- query
from x:a to x:end on id | first 3 | open
--- expect
culprit: query:1:37: 'first' cannot be used with 'open', whose rows come at the end of the run [stage-order]
  from x:a to x:end on id | first 3 | open
                                      ^~~~
