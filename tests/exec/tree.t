Calls as they nest: begin, duration, thread, its name, CPU of the begin and the end, depth,
name, rows that are missing. A tree comes when its outermost has ended.

=== nested
--- query
(from x:a to x:aend), (from x:b to x:bend), syscall:read | tree
--- events
event x:a
event x:aend
event x:b n:u32
event x:bend
syscall read fd:s32 buf:ptr count:u64
1.0 tid=1 comm=one x:a
1.1 tid=1 syscall:read.enter fd=1 count=1
1.2 tid=1 x:b n=1
1.3 tid=1 x:bend
1.4 tid=1 x:b n=2
1.5 tid=1 x:bend
1.6 tid=1 syscall:read.return ret=1
1.7 tid=1 x:b n=3
1.8 tid=1 x:bend
1.9 tid=1 x:aend
2.0 tid=1 x:b n=4
2.1 tid=1 x:bend
--- expect
1000000000 | 900000000 | 1 | "one" | 0 | 0 | 0 | a | 0
1100000000 | 500000000 | 1 | "one" | 0 | 0 | 1 | read | 0
1200000000 | 100000000 | 1 | "one" | 0 | 0 | 2 | b | 0
1400000000 | 100000000 | 1 | "one" | 0 | 0 | 2 | b | 0
1700000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
2000000000 | 100000000 | 1 | "one" | 0 | 0 | 0 | b | 0

=== outermost_left_out
What was inside of it is a tree by itself as soon as it has ended.
--- query
(from x:a to x:aend), (from x:b to x:bend), syscall:read | where duration < 600ms | tree
--- expect
1100000000 | 500000000 | 1 | "one" | 0 | 0 | 0 | read | 0
1200000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
1400000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
1700000000 | 100000000 | 1 | "one" | 0 | 0 | 0 | b | 0
2000000000 | 100000000 | 1 | "one" | 0 | 0 | 0 | b | 0

=== middle_left_out
--- query
(from x:a to x:aend), (from x:b to x:bend), syscall:read | where !(duration == 500ms) | tree
--- expect
1000000000 | 900000000 | 1 | "one" | 0 | 0 | 0 | a | 0
1200000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
1400000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
1700000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
2000000000 | 100000000 | 1 | "one" | 0 | 0 | 0 | b | 0

=== levels
--- query
(from x:a to x:aend), (from x:b to x:bend), syscall:read | tree 2
--- expect
1000000000 | 900000000 | 1 | "one" | 0 | 0 | 0 | a | 0
1100000000 | 500000000 | 1 | "one" | 0 | 0 | 1 | read | 0
1700000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
2000000000 | 100000000 | 1 | "one" | 0 | 0 | 0 | b | 0

=== inside
--- query
def inner = (from x:b to x:bend)
syscall:read, inner | in syscall:read | tree
--- expect
1100000000 | 500000000 | 1 | "one" | 0 | 0 | 0 | read | 0
1200000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
1400000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0

=== threads_and_cpus
Two threads at once, and one that moves between CPUs inside a call.
--- query
(from x:a to x:aend), (from x:b to x:bend) | tree
--- events
event x:a
event x:aend
event x:b
event x:bend
1.0 cpu=0 tid=1 comm=one x:a
1.1 cpu=1 tid=2 comm=two x:a
1.2 cpu=1 tid=2 x:b
1.3 cpu=0 tid=1 x:b
1.4 cpu=3 tid=2 x:bend
1.5 cpu=2 tid=1 x:bend
1.6 cpu=3 tid=2 x:aend
1.7 cpu=1 tid=1 x:aend
--- expect
1100000000 | 500000000 | 2 | "two" | 1 | 3 | 0 | a | 0
1200000000 | 200000000 | 2 | "two" | 1 | 3 | 1 | b | 0
1000000000 | 700000000 | 1 | "one" | 0 | 1 | 0 | a | 0
1300000000 | 200000000 | 1 | "one" | 0 | 2 | 1 | b | 0

=== left_in_some_other_way
The second `b` was never ended: the next one's depth is as if it had not been.
--- query
(from x:a to x:aend), (from x:b to x:bend) | tree
--- events
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 comm=one x:a
1.1 tid=1 x:b
1.2 tid=1 x:b
1.3 tid=1 x:bend
1.4 tid=1 x:b
1.5 tid=1 x:aend
1.6 tid=1 x:a
1.7 tid=1 x:b
1.8 tid=1 x:bend
1.9 tid=1 x:aend
--- expect
1000000000 | 500000000 | 1 | "one" | 0 | 0 | 0 | a | 0
1200000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
1600000000 | 300000000 | 1 | "one" | 0 | 0 | 0 | a | 0
1700000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0
! restarted 2

=== not_nested
What ends after the call that it began in is beside it.
--- query
(from x:a to x:aend), (from x:b to x:bend) | tree
--- events
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 comm=one x:a
1.1 tid=1 x:b
1.2 tid=1 x:aend
1.3 tid=1 x:bend
1.4 tid=1 x:b
1.5 tid=1 x:bend
--- expect
1000000000 | 200000000 | 1 | "one" | 0 | 0 | 0 | a | 0
1100000000 | 200000000 | 1 | "one" | 0 | 0 | 0 | b | 0
1400000000 | 100000000 | 1 | "one" | 0 | 0 | 0 | b | 0

=== not_ended
What it is inside of has not ended: none, for nobody knows what is missing.
--- query
(from x:a to x:aend), (from x:b to x:bend) | tree
--- events
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 comm=one x:a
1.1 tid=1 x:b
1.2 tid=1 x:bend
--- expect
1100000000 | 100000000 | 1 | "one" | 0 | 0 | 0 | b | -

=== over_switches
A thread that sleeps in a call is not the thread that runs meanwhile.
--- query
syscall:read, (from x:b to x:bend) | tree
--- events
event x:b
event x:bend
syscall read fd:s32 buf:ptr count:u64
1.0 cpu=0 tid=1 comm=one syscall:read.enter fd=1 count=1
1.1 cpu=0 tid=2 comm=two syscall:read.enter fd=1 count=1
1.2 cpu=0 tid=2 x:b
1.3 cpu=0 tid=2 x:bend
1.4 cpu=1 tid=1 x:b
1.5 cpu=0 tid=2 syscall:read.return ret=1
1.6 cpu=1 tid=1 x:bend
1.7 cpu=1 tid=1 syscall:read.return ret=1
--- expect
1100000000 | 400000000 | 2 | "two" | 0 | 0 | 0 | read | 0
1200000000 | 100000000 | 2 | "two" | 0 | 0 | 1 | b | 0
1000000000 | 700000000 | 1 | "one" | 0 | 1 | 0 | read | 0
1400000000 | 200000000 | 1 | "one" | 1 | 1 | 1 | b | 0

=== keyed
--- query
from x:k to x:kend on k | tree
--- events
event x:k k:u32
event x:kend k:u32
--- expect
culprit: query:1:1: 'tree' needs periods of one thread: x:k to x:kend has a key and may end on another [no-period]
  from x:k to x:kend on k | tree
  ^~~~~~~~~~~~~~~~~~~~~~~
help: 'print' shows such periods one by one

=== events
--- query
x:k | tree
--- events
event x:k k:u32
--- expect
culprit: query:1:1: 'tree' needs calls or periods: an event has nothing inside of it [no-period]
  x:k | tree
  ^~~
help: make a period of two events: from X to Y

=== two
--- query
syscall:read | tree; syscall:read | tree
--- events
syscall read fd:s32 buf:ptr count:u64
--- expect
culprit: query:1:37: there is already a 'tree': only one is possible [sink-twice]
  syscall:read | tree; syscall:read | tree
                                      ^~~~
help: put all sources into one: A, B | tree

=== of_open
--- query
syscall:read | open | tree
--- events
syscall read fd:s32 buf:ptr count:u64
--- expect
culprit: query:1:23: 'tree' needs finished calls: leave out 'open' [stage-order]
  syscall:read | open | tree
                        ^~~~

=== keyed_by_thread
A period whose key is the thread's number at each end nests as one without a key.
--- query
(from x:a to x:aend on tid), (from x:b to x:bend on tid) | tree
--- events
event x:a
event x:aend
event x:b n:u32
event x:bend
1.0 tid=1 comm=one x:a
1.1 tid=2 comm=two x:b n=1
1.2 tid=1 x:b n=1
1.3 tid=1 x:bend
1.4 tid=2 x:a
1.5 tid=2 x:aend
1.8 tid=2 x:bend
1.9 tid=1 x:aend
--- expect
1100000000 | 700000000 | 2 | "two" | 0 | 0 | 0 | b | 0
1400000000 | 100000000 | 2 | "two" | 0 | 0 | 1 | a | 0
1000000000 | 900000000 | 1 | "one" | 0 | 0 | 0 | a | 0
1200000000 | 100000000 | 1 | "one" | 0 | 0 | 1 | b | 0

=== begins_anew_in_a_table
A begin that replaces one is as deep as that one was, also where the begins are in a table.
--- query
(from x:a to x:aend on tid), (from x:b to x:bend) | tree
--- events
event x:a
event x:aend
event x:b
event x:bend
1.0 tid=1 x:a
1.1 tid=1 x:a
1.2 tid=1 x:b
1.3 tid=1 x:bend
1.4 tid=1 x:aend
--- expect
1100000000 | 300000000 | 1 | - | 0 | 0 | 0 | a | 0
1200000000 | 100000000 | 1 | - | 0 | 0 | 1 | b | 0
! restarted 1

=== keeps_the_first_in_a_table
--- query
(from x:a to x:aend on tid keep first), (from x:b to x:bend) | tree
--- expect
1000000000 | 400000000 | 1 | - | 0 | 0 | 0 | a | 0
1200000000 | 100000000 | 1 | - | 0 | 0 | 1 | b | 0
