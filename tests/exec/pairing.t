How the two ends of a period find each other.

=== by_key
--- query
from x:begin to x:end on id | print begin.id, duration
--- events
event x:begin id:u64 n:u32
event x:end id:u64 err:s32
1.000 tid=1 x:begin id=5 n=1
1.001 tid=2 x:begin id=6 n=2
1.003 tid=3 x:end id=5 err=0
1.010 tid=1 x:end id=6 err=-5
--- expect
5 | 3000000
6 | 9000000

=== by_where
--- query
from x:begin to x:end where id == begin.id && err < 0 | print begin.id, n, err, duration
--- expect
6 | 2 | -5 | 9000000

=== by_thread
A thread's first end may have begun before the start: it is not counted.
--- query
from x:begin to x:end | print tid, n, duration
--- expect
1 | 1 | 10000000

=== key_under_or_is_an_error
--- query
from x:begin to x:end where id == begin.id || err < 0 | count
--- expect
culprit: query:1:29: a comparison with 'begin.' under || or ! cannot be a key [key-under-or]
  from x:begin to x:end where id == begin.id || err < 0 | count
                              ^~~~~~~~~~~~~~~~~~~~~~~~~
help: write the key after 'on', or join the comparison with &&

=== different_keys_of_the_ends
--- query
from x:begin on n to x:end on id - 4 | print begin.id, end.id, duration
--- expect
5 | 5 | 3000000
6 | 6 | 9000000

=== two_keys
--- query
from x:begin to x:end on (id, cpu) | print begin.id, duration
--- events
event x:begin id:u64
event x:end id:u64 err:s32
1.0 cpu=0 tid=1 x:begin id=5
1.1 cpu=1 tid=1 x:begin id=5
1.2 cpu=1 tid=1 x:end id=5
1.4 cpu=0 tid=1 x:end id=5
--- expect
5 | 100000000
5 | 400000000

=== string_key
--- query
from x:begin to x:end on name | print begin.name, duration
--- events
event x:begin name:string
event x:end name:string
1.0 tid=1 x:begin name="one"
1.1 tid=1 x:begin name="one more"
1.2 tid=1 x:end name="one"
1.5 tid=1 x:end name="one more"
1.6 tid=1 x:end name="one mor"
--- expect
"one" | 200000000
"one more" | 400000000
! unmatched 1

=== keep_last
--- query
from x:begin to x:end on id | print n, duration
--- events
event x:begin id:u64 n:u32
event x:end id:u64
1.0 tid=1 x:begin id=5 n=1
1.1 tid=1 x:begin id=5 n=2
1.3 tid=1 x:end id=5
1.4 tid=1 x:end id=5
--- expect
2 | 200000000
! restarted 1
! unmatched 1

=== keep_first
--- query
from x:begin to x:end on id keep first | print n, duration
--- expect
1 | 300000000
! unmatched 1

=== ends_before_begins
One event that is end and begin: it ends the old period before it begins the new one.
--- query
from x:tick to x:tick on 1 | print begin.n, end.n, duration
--- events
event x:tick n:u32
1.0 tid=1 x:tick n=1
1.5 tid=2 x:tick n=2
1.7 tid=1 x:tick n=3
--- expect
1 | 2 | 500000000
2 | 3 | 200000000
! unmatched 1

=== several_begins_and_ends
--- query
from (x:a where n > 0 on id, x:b on other) to (x:c on id, x:d on -neg)
| print duration
--- events
event x:a id:u32 n:s32
event x:b other:u32
event x:c id:u32
event x:d neg:s32
1.0 tid=1 x:a id=1 n=1
1.1 tid=1 x:a id=2 n=0
1.2 tid=1 x:b other=3
1.3 tid=1 x:c id=3
1.4 tid=1 x:d neg=-1
1.5 tid=1 x:c id=2
--- expect
100000000
400000000

=== idle_threads_are_one_per_cpu
--- query
from x:begin to x:end | print cpu, duration
--- events
event x:begin
event x:end
1.0 cpu=0 tid=0 x:begin
1.1 cpu=1 tid=0 x:begin
1.2 cpu=1 tid=0 x:end
1.5 cpu=0 tid=0 x:end
--- expect
1 | 100000000
0 | 500000000

=== a_thread_that_exits_closes_what_it_had_open
--- query
from x:begin to x:end | print duration
--- events
event x:begin
event x:end
event sched:sched_process_exit pid:tid
1.0 tid=7 x:begin
1.1 tid=7 sched:sched_process_exit pid=7
1.2 tid=7 x:end
1.3 tid=7 x:begin
1.7 tid=7 x:end
--- expect
400000000

=== begin_is_read_at_the_begin
--- query
from x:begin to x:end on id | print begin.n, end.n, begin.comm, end.current.comm, duration
--- events
event x:begin id:u32 n:u32
event x:end id:u32 n:u32
1.0 tid=1 comm=first x:begin id=1 n=10
1.1 tid=2 comm=second x:end id=1 n=20
--- expect
10 | 20 | "first" | "second" | 100000000

=== what_every_event_knows_is_the_begins
Also where both ends have a field of that name; other fields of both need their end.
--- query
from x:begin to x:end on id | print pid, comm, cpu
--- events
event x:begin id:u32 pid:u32 cpu:u32
event x:end id:u32 pid:u32 cpu:u32
1.0 cpu=1 tid=1 comm=first x:begin id=1 pid=10 cpu=30
1.1 cpu=2 tid=2 comm=second x:end id=1 pid=20 cpu=40
--- expect
10 | "first" | 30

=== a_field_of_both_needs_its_end
--- query
from x:begin to x:end on id | print id
--- expect
culprit: query:1:37: both x:begin and x:end have a field 'id' [ambiguous-name]
  from x:begin to x:end on id | print id
                                      ^~
help: write begin.id or end.id

=== what_a_begin_lacks_is_none
--- query
from x:begin to x:end on id | print n, begin.comm, duration
--- events
event x:begin id:u32 n:u32
event x:end id:u32
1.0 tid=1 x:begin id=1
1.1 tid=2 comm=second x:end id=1
--- expect
- | - | 100000000

=== more_open_than_there_is_room
--- query
from x:begin to x:end on id | count
--- options
limits max_open=2
--- events
event x:begin id:u32
event x:end id:u32
1.0 tid=1 x:begin id=1
1.1 tid=1 x:begin id=2
1.2 tid=1 x:begin id=3
1.3 tid=1 x:end id=1
1.4 tid=1 x:end id=2
1.5 tid=1 x:end id=3
--- expect
count
2
! dropped 1
! unmatched 1

=== an_end_with_a_condition_leaves_the_period_open
--- query
from x:begin to x:end where err == 0 on id | print duration
--- events
event x:begin id:u32
event x:end id:u32 err:s32
1.0 tid=1 x:begin id=1
1.1 tid=1 x:end id=1 err=-1
1.2 tid=1 x:end id=1 err=0
--- expect
200000000

=== by_thread_an_end_too_many
--- query
from x:begin to x:end | print tid, duration
--- events
event x:begin
event x:end
1.0 tid=1 x:begin
1.1 tid=1 x:end
1.2 tid=1 x:end
1.3 tid=1 x:begin
1.4 tid=1 x:begin
1.6 tid=1 x:end
--- expect
1 | 100000000
1 | 200000000
! restarted 1
! unmatched 1

=== event_of_either_end
Of a period `event` is what began it; the ends of calls are the calls themselves.
--- query
from (x:begin, x:other) to x:end on id | print begin.event, event, end.event
--- events
event x:begin id:u64
event x:other id:u64
event x:end id:u64
1.0 tid=1 x:begin id=5
1.1 tid=1 x:other id=6
1.2 tid=1 x:end id=5
1.3 tid=1 x:end id=6
--- expect
begin | begin | end
other | other | end

=== selected_begins_leave_ends_alone
Where begins are kept by key, the end of one that the command line left out is no anomaly.
--- query
from x:begin to x:end on id | print begin.id
--- options
limits cpu=0
--- events
event x:begin id:u64
event x:end id:u64
1.0 cpu=0 tid=1 x:begin id=5
1.1 cpu=1 tid=1 x:begin id=6
1.2 cpu=0 tid=1 x:end id=5
1.3 cpu=0 tid=1 x:end id=6
--- expect
5

=== a_gap_abandons_what_is_open
Events of CPU 1 were lost: what is open may have ended among them, by thread or by key.
--- query
syscall:read | print tid, duration;
from x:begin to x:end on id | print begin.id
--- events
syscall read fd:s32
event x:begin id:u64
event x:end id:u64
1.0 cpu=0 tid=1 syscall:read.enter fd=1
1.1 cpu=1 tid=2 syscall:read.enter fd=2
1.2 cpu=0 tid=3 x:begin id=5
1.3 cpu=1 gap 12
1.4 cpu=1 tid=2 syscall:read.return ret=0
1.5 cpu=0 tid=1 syscall:read.return ret=0
1.6 cpu=0 tid=3 x:end id=5
--- expect
2 | -
1 | -
! abandoned 2
! abandoned 1
! unmatched 1
! lost 12

=== a_gap_abandons_what_the_return_tells
`fd` of one call is kept at its begin, here of the union it comes with the return: after a gap both are none, and so
is what a second return would have from the first.
--- query
syscall:read | count by event, fd;
syscall:poll, syscall:read | count by event, fd
--- events
syscall read fd:s32
syscall poll
1.0 tid=1 syscall:read.enter fd=1
1.1 tid=1 syscall:read.return ret=0
1.2 tid=1 syscall:read.enter fd=1
1.3 cpu=1 gap 12
1.4 tid=1 syscall:read.return ret=0
1.5 tid=1 syscall:read.enter fd=1
1.6 tid=1 syscall:read.return ret=0
1.7 tid=1 syscall:read.return ret=0
--- expect
event | fd | count
read | - | 2
read | 1 | 2
event | fd | count
read | - | 2
read | 1 | 2
! abandoned 1
! unmatched 1
! lost 12

=== ends_differ_in_what_they_ask_of_the_begin
`flags` is another argument in each of the calls that end it.
--- query
from syscall:read.enter to syscall:open*.enter where flags > begin.count | print duration
--- events
syscall read fd:s32 buf:ptr count:u64
syscall open filename:cstr flags:s32
syscall openat dfd:s32 filename:cstr flags:s32
1.000 tid=1 syscall:read.enter fd=3 count=10
1.001 tid=1 syscall:open.enter filename="/etc/x" flags=5
1.002 tid=1 syscall:openat.enter dfd=30 filename="/etc/x" flags=5
1.003 tid=1 syscall:openat.enter dfd=-100 filename="/etc/x" flags=15
1.010 tid=1 syscall:read.enter fd=3 count=10
1.011 tid=1 syscall:open.enter filename="/etc/x" flags=15
--- expect
3000000
1000000

=== in_flight
--- query
from e:b to e:e on k | print k = begin.k, n = in_flight(begin.d)
--- events
event e:b k:u32 d:u32
event e:e k:u32
1.0 tid=1 e:b k=1 d=7
1.1 tid=1 e:b k=2 d=7
1.2 tid=1 e:b k=3 d=8
1.3 tid=1 e:e k=9
1.4 tid=1 e:e k=1
1.5 tid=1 e:b k=4 d=7
1.6 tid=1 e:e k=4
1.7 tid=1 e:e k=2
1.8 tid=1 e:b k=3 d=7
1.9 tid=1 e:e k=3
2.0 tid=1 e:b k=5 d=8
2.1 tid=1 e:e k=5
--- expect
1 | 1
4 | 2
2 | 2
3 | 1
5 | 1
! restarted 1
! unmatched 1

=== in_flight_once
One that begins anew is one, and in flight where it began last.
--- query
from e:b to e:e on k | print k = begin.k, n = in_flight(begin.d)
--- events
event e:b k:u32 d:u32
event e:e k:u32
1.0 tid=1 e:b k=1 d=7
1.1 tid=1 e:b k=1 d=7
1.2 tid=1 e:b k=2 d=7
1.3 tid=1 e:e k=1
1.4 tid=1 e:e k=2
1.5 tid=1 e:b k=3 d=7
1.6 tid=1 e:e k=3
--- expect
1 | 1
2 | 2
3 | 1
! restarted 1

=== only_one_end_has_a_key_in_its_where
--- query
from x:v to (x:w where n == begin.n, x:z) | count
--- events
event x:v n:u64
event x:w n:u64
event x:z n:u64
1.0 tid=1 x:v n=1
--- expect
culprit: query:1:38: this end has no key, but another has one [needs-key]
  from x:v to (x:w where n == begin.n, x:z) | count
                                       ^~~
help: write on KEY here; after the last end it is the key of all without their own
