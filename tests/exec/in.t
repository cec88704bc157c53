Rows while another period is open.

=== on_the_thread
--- query
x:row | in (from x:begin to x:end) | print n
--- events
event x:begin id:u64 name:string
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:row n=1
1.1 tid=1 comm=a x:begin id=7 name="seven"
1.2 tid=1 x:row n=2
1.3 tid=2 x:row n=3
1.4 tid=1 x:end id=7
1.5 tid=1 x:row n=4
1.6 tid=2 comm=b x:begin id=8 name="eight"
1.7 tid=2 x:row n=5
1.8 tid=2 x:row n=6
1.9 tid=1 x:row n=7
--- expect
2
5
6

=== fields
--- query
def outer = (from x:begin to x:end)
x:row | in outer | print n, outer.id, outer.name, outer.comm, outer.duration, outer.time
--- expect
2 | 7 | "seven" | "a" | 100000000 | 1100000000
5 | 8 | "eight" | "b" | 100000000 | 1600000000
6 | 8 | "eight" | "b" | 200000000 | 1600000000

=== fields_are_keys
--- query
def outer = (from x:begin to x:end)
x:row | in outer | where outer.id == 8 && outer.name ~ "ei*" | count, sum(outer.id + n) by outer.name
--- expect
outer.name | count | sum(outer.id+n)
"eight" | 2 | 27

=== keyed
A keyed period belongs to the thread of its begin.
--- query
def outer = (from x:begin to x:end on id)
x:row | in outer | print n, outer.id
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:begin id=1
1.1 tid=2 x:row n=1
1.2 tid=1 x:row n=2
1.3 tid=2 x:end id=1
1.4 tid=1 x:row n=3
--- expect
2 | 1

=== keyed_row_in_keyed
What finds the other period is kept of the row's begin, though nothing else reads it.
--- query
(from x:begin to x:end on id) | in (from x:open to x:close on id) on begin.home | count by end.id
--- events
event x:begin id:u64 home:u64
event x:end id:u64
event x:open id:u64
event x:close id:u64
1.0 x:begin id=1 home=50
1.1 x:begin id=2 home=51
1.2 x:open id=51
1.3 x:end id=1
1.4 x:end id=2
--- expect
end.id | count
2 | 1

=== keyed_row_in_keyed_by_time
--- query
(from x:begin to x:end on id) | in (from x:open to x:close on id) on duration | count by end.id
--- events
event x:begin id:u64
event x:end id:u64
event x:open id:u64
event x:close id:u64
1.0 x:open id=100000000
1.0 x:begin id=1
1.0 x:begin id=2
1.1 x:end id=1
1.3 x:end id=2
--- expect
end.id | count
1 | 1

=== keyed_and_nested
Of several the latest begun is the innermost; when it ends, the one before is again.
--- query
def outer = (from x:begin to x:end on id)
x:row | in outer | print n, outer.id
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:begin id=1
1.1 tid=1 x:begin id=2
1.2 tid=1 x:row n=1
1.3 tid=9 x:end id=2
1.4 tid=1 x:row n=2
1.5 tid=1 x:begin id=3
1.6 tid=1 x:begin id=4
1.7 tid=9 x:end id=3
1.8 tid=1 x:row n=3
1.9 tid=1 x:end id=1
2.0 tid=1 x:row n=4
2.1 tid=1 x:end id=4
2.2 tid=1 x:row n=5
--- expect
1 | 2
2 | 1
3 | 4
4 | 4

=== keyed_and_begun_again
A key that begins anew leaves what was open before it.
--- query
def outer = (from x:begin to x:end on id)
x:row | in outer | print n, outer.id
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:begin id=1
1.1 tid=1 x:begin id=2
1.2 tid=1 x:begin id=2
1.3 tid=1 x:row n=1
1.4 tid=1 x:end id=2
1.5 tid=1 x:row n=2
1.6 tid=1 x:end id=1
1.7 tid=1 x:row n=3
--- expect
1 | 2
2 | 1
! restarted 1

=== on_a_key
--- query
x:row | in (from x:begin to x:end on id) on n | print n
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:begin id=1
1.1 tid=2 x:row n=1
1.2 tid=1 x:row n=2
1.3 tid=2 x:end id=1
1.4 tid=1 x:row n=1
--- expect
1

=== on_a_key_with_fields
--- query
def outer = (from x:begin to x:end on id)
x:row | in outer on n | print n, outer.name, outer.id, outer.duration
--- events
event x:begin id:u64 name:string
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:begin id=7 name="seven"
1.1 tid=2 x:row n=8
1.2 tid=2 x:row n=7
1.3 tid=1 x:end id=7
1.4 tid=2 x:row n=7
--- expect
7 | "seven" | 7 | 200000000

=== a_text_that_was_absent_at_the_begin
It is none for who asks while the period is open.
--- query
from syscall:close.enter to syscall:close.return
| in syscall:open | print coalesce(str(open.filename), "none");
syscall:open | print str(filename)
--- events
syscall open filename:cstr flags:s32
syscall close fd:u32
1.0 tid=1 syscall:open.enter filename=0x7fff0000
1.1 tid=1 syscall:close.enter fd=1
1.2 tid=1 syscall:close.return ret=0
1.3 tid=1 syscall:open.return ret=-14
--- expect
"none"
"<absent>"
! absent 1

=== periods_in_periods
--- query
from x:b to x:c | in (from x:a to x:d) | print b, c, duration
--- events
event x:a
event x:b b:u32
event x:c c:u32
event x:d
1.0 tid=1 x:b b=1
1.1 tid=1 x:c c=1
1.2 tid=1 x:a
1.3 tid=1 x:b b=2
1.4 tid=1 x:c c=2
1.5 tid=1 x:d
1.6 tid=1 x:b b=3
1.7 tid=1 x:c c=3
--- expect
2 | 2 | 100000000

=== keyed_periods_in_periods
Asked at the begin: the request is its submitter's, whoever completes it.
--- query
def call = (from x:enter to x:exit)
from x:issue to x:done on rq | in call | print begin.rq, call.nr, duration
--- events
event x:enter nr:u32
event x:exit
event x:issue rq:u64
event x:done interrupt rq:u64
1.0 tid=1 x:issue rq=1
1.1 tid=1 x:enter nr=77
1.2 tid=1 x:issue rq=2
1.3 tid=1 x:exit
1.4 tid=2 x:enter nr=78
1.5 tid=2 x:done rq=1
1.6 tid=2 x:done rq=2
--- expect
2 | 77 | 400000000

=== the_row_itself
--- query
def p = (from x:a to x:d)
p | in p | print p.n, duration
--- events
event x:a n:u32
event x:d
1.0 tid=1 x:a n=5
1.1 tid=1 x:d
--- expect
5 | 100000000

=== ends_from_the_inside
The inner period's row comes before the end of the outer one, whichever was written first.
--- query
from x:b to x:end | in (from x:a to x:end) | print n
--- events
event x:a
event x:b n:u32
event x:end
1.0 tid=1 x:a
1.1 tid=1 x:b n=1
1.2 tid=1 x:end
1.3 tid=1 x:b n=2
1.4 tid=1 x:end
--- expect
1
! unmatched 1

=== of_what_is_in_something
--- query
def a = (from x:a to x:aend)
def b = (from x:b to x:bend) | in a | where n > 1
x:row | in b | print n
--- events
event x:a
event x:aend
event x:b n:u32
event x:bend
event x:row n:u32
1.0 tid=1 x:b n=5
1.1 tid=1 x:row n=1
1.2 tid=1 x:bend
1.3 tid=1 x:a
1.4 tid=1 x:b n=1
1.5 tid=1 x:row n=2
1.6 tid=1 x:bend
1.7 tid=1 x:b n=2
1.8 tid=1 x:row n=3
1.9 tid=1 x:aend
2.0 tid=1 x:row n=4
--- expect
3
4

=== any_of_several
--- query
def p = (from x:a to x:aend), (from x:b to x:bend)
x:row | in p | print n, p.k
--- events
event x:a k:u32
event x:aend
event x:b k:u32
event x:bend
event x:row n:u32
1.0 tid=1 x:a k=1
1.1 tid=1 x:row n=1
1.2 tid=1 x:aend
1.3 tid=1 x:row n=2
1.4 tid=1 x:b k=2
1.5 tid=1 x:row n=3
--- expect
1 | 1
3 | 2

=== two_of_them
--- query
x:row | in (from x:a to x:aend) | in (from x:b to x:bend) | count
--- events
event x:a
event x:aend
event x:b
event x:bend
event x:row n:u32
1.0 tid=1 x:a
1.1 tid=1 x:row n=1
1.2 tid=1 x:b
1.3 tid=1 x:row n=2
1.4 tid=1 x:aend
1.5 tid=1 x:row n=3
--- expect
count
1

=== system_calls
A call of which nothing else is used has a begin, too.
--- query
x:row | in syscall:read | print n, read.fd
--- events
syscall read fd:s32 count:u64
syscall write fd:s32
event x:row n:u32
1.0 tid=1 syscall:read.enter fd=3 count=10
1.1 tid=1 x:row n=1
1.2 tid=1 syscall:read.return ret=5
1.3 tid=1 x:row n=2
1.4 tid=1 syscall:write.enter fd=4
1.5 tid=1 x:row n=3
--- expect
1 | 3

=== threads_exit
--- query
x:row | in (from x:begin to x:end on id) | print n
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32
event sched:sched_process_exit
1.0 tid=1 x:begin id=1
1.1 tid=1 x:row n=1
1.2 tid=1 sched:sched_process_exit
1.3 tid=1 x:row n=2
--- expect
1

=== open_in
--- query
def call = (from x:enter to x:exit)
from x:issue to x:done on rq | in call | open | print rq, call.nr
--- events
event x:enter nr:u32
event x:exit
event x:issue rq:u64
event x:done rq:u64
1.0 tid=1 x:issue rq=1
1.1 tid=1 x:enter nr=77
1.2 tid=1 x:issue rq=2
1.3 tid=1 x:exit
--- expect
rq | call.nr
2 | 77

=== of_an_event
--- query
x:issue | in x:done | count
--- expect
culprit: query:1:11: 'in' needs a period: an event is never open [no-period]
  x:issue | in x:done | count
            ^~~~~~~~~

=== in_an_interrupt
--- query
x:irq | in (from x:a to x:b) | count
--- events
event x:irq interrupt
event x:a
event x:b
1.0 tid=1 x:a
--- expect
culprit: query:1:1: x:irq runs in an interrupt: it belongs to no thread [no-owner]
  x:irq | in (from x:a to x:b) | count
  ^~~~~
help: select the period by a key: in SOURCE on KEY

=== a_key_too_many
--- query
x:a | in (from x:a to x:b) on 5 | count
--- expect
culprit: query:1:7: x:a to x:b has 0 keys, but here are 1 [key-count]
  x:a | in (from x:a to x:b) on 5 | count
        ^~~~~~~~~~~~~~~~~~~~~~~~~

=== a_row_of_the_period_itself_where_only_some_are_meant
--- query
def large = (from x:a to x:d) | where n > 3
from x:a to x:d | in large | print begin.n, large.n, large.duration
--- events
event x:a n:u32
event x:d
1.0 tid=1 x:a n=5
1.1 tid=1 x:d
1.2 tid=1 x:a n=2
1.3 tid=1 x:d
--- expect
5 | 5 | 100000000

=== a_row_of_the_same_pairing_where_only_some_are_meant
--- query
def all = (from x:a to x:d)
def large = all | where n > 3
all | in large | print begin.n, large.n
--- events
event x:a n:u32
event x:d
1.0 tid=1 x:a n=5
1.1 tid=1 x:d
1.2 tid=1 x:a n=2
1.3 tid=1 x:d
--- expect
5 | 5

=== depth_of_a_system_call
--- query
def d = syscall:openat, syscall:read
x:row | in d | print n, d.depth
--- events
syscall read fd:s32
syscall openat dfd:s32
event x:row n:u32
1.0 tid=1 syscall:read.enter fd=3
1.1 tid=1 x:row n=1
1.2 tid=1 syscall:read.return ret=1
1.3 tid=1 x:row n=2
1.4 tid=1 syscall:openat.enter dfd=3
1.5 tid=1 x:row n=3
--- expect
1 | 0
3 | 0

=== over
Only rows of periods that took so long, also those that came before that was known.
--- query
x:row | in (from x:begin to x:end) over 1s | count, sum(n), hist(n), p50(n) by n % 2
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:begin id=1
1.1 tid=1 x:row n=1
1.2 tid=2 x:begin id=2
1.3 tid=2 x:row n=2
1.4 tid=1 x:end id=1
1.5 tid=1 x:row n=3
1.6 tid=1 x:begin id=3
1.7 tid=1 x:row n=4
1.8 tid=2 x:row n=5
2.1 tid=2 x:row n=6
2.2 tid=2 x:end id=2
2.7 tid=1 x:end id=3
3.0 tid=1 x:begin id=4
3.1 tid=1 x:row n=100
9.0 tid=1 x:row n=200
--- expect
n%2 | count | sum(n) | hist(n) | p50(n)
0 | 3 | 12 | [2..3]=1 [4..7]=2 | 4
1 | 1 | 5 | [4..7]=1 | 5

=== over_without_a_key
--- query
x:row | in (from x:begin to x:end) over 1s | count, sum(n), max(n)
--- expect
count | sum(n) | max(n)
4 | 17 | 6

=== over_of_none
--- query
x:row | in (from x:begin to x:end) over 1s | where n > 50 | count by n
--- expect
n | count

=== over_a_param
Without a value the stage is left out.
--- query
param inside: source "inside of"
param over: duration "that took"
x:row | in $inside over $over | count, sum(n)
--- expect
count | sum(n)
8 | 321

=== over_keyed_rows
A keyed row belongs to the period in which it began.
--- query
(from x:row on n to x:end on id) | in (from x:begin to x:end) over 500ms | count by begin.n
--- expect
begin.n | count
2 | 1

=== over_needs_a_table
--- query
x:row | in (from x:begin to x:end) over 1s | print n
--- expect
culprit: query:1:46: 'in .. over' needs a table: whether a row counts is known only when its period ends [stage-order]
  x:row | in (from x:begin to x:end) over 1s | print n
                                               ^~~~~~~
help: put an aggregation behind it: | count, sum(duration) by comm

=== over_without_intervals
--- query
x:row | in (from x:begin to x:end) over 1s | count | every 1s
--- expect
culprit: query:1:1: 'in .. over' has no intervals: a period's rows may be in another one than its end; 'every TIME keep' is possible [stage-order]
  x:row | in (from x:begin to x:end) over 1s | count | every 1s
  ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

=== keyed_in_any_order
One that ends between others hides none of them; one that begins anew, on another thread, neither.
--- query
def outer = (from x:begin to x:end on id)
x:row | in outer | print n, outer.id
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32
1.0 tid=1 x:begin id=1
1.1 tid=1 x:begin id=2
1.2 tid=1 x:begin id=3
1.3 tid=9 x:end id=2
1.4 tid=1 x:row n=1
1.5 tid=9 x:end id=3
1.6 tid=1 x:row n=2
1.7 tid=1 x:begin id=4
1.8 tid=1 x:begin id=5
1.9 tid=2 x:begin id=4
2.0 tid=1 x:end id=5
2.1 tid=1 x:row n=3
2.2 tid=2 x:row n=4
2.3 tid=1 x:begin id=1
2.4 tid=1 x:row n=5
2.5 tid=1 x:end id=1
2.6 tid=1 x:row n=6
2.7 tid=1 x:end id=4
2.8 tid=2 x:row n=7
--- expect
1 | 3
2 | 1
3 | 1
4 | 4
5 | 1
! restarted 2

=== fields_beside_the_rows
What is not of the other period alone is the row's: `id`, and how long the other has been open.
--- query
def outer = (from x:begin to x:end)
x:row | in outer | let l = n | print (outer.id + id) as u8, (outer.duration + 1s) as s64, max(outer.id as u8, l)
--- events
event x:begin id:u64
event x:end id:u64
event x:row n:u32 id:u64
1.0 tid=1 x:begin id=7
1.1 tid=1 x:row n=9 id=100
--- expect
107 | 1100000000 | 9

=== fields_beside_the_begins
What is of both begins is evaluated at the row.
--- query
def outer = (from x:begin to x:end)
from x:a to x:b | in outer | print (outer.id + begin.n) as u8, (begin.n > 0 ? outer.id : begin.n) as s64
--- events
event x:begin id:u64
event x:end id:u64
event x:a n:u64
event x:b
1.0 tid=1 x:begin id=7
1.1 tid=1 x:a n=9
1.2 tid=1 x:b
--- expect
16 | 7
