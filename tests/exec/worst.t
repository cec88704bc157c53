The rows with the largest value, whole.

=== by_duration
--- query
from x:begin to x:end on id | worst 2
--- events
event x:begin id:u64 n:s64 name:string
event x:end id:u64
1.0 tid=1 comm=a x:begin id=1 n=5 name="one"
1.1 tid=2 comm=b x:begin id=2 n=-7 name="two"
1.2 cpu=1 tid=3 comm=c x:begin id=3 n=9 name="three"
1.3 cpu=2 tid=4 comm=d x:begin id=4 n=-9
2.0 cpu=3 tid=9 x:end id=4
2.2 tid=9 x:end id=1
2.3 tid=9 x:end id=3
2.5 tid=9 x:end id=2
2.5 tid=9 x:begin id=8
2.6 tid=9 x:end id=8
--- expect
time | pid | comm | duration
2500000000 | - | "b" | 1400000000
2200000000 | - | "a" | 1200000000

=== columns
--- query
from x:begin to x:end on id | where duration > 500ms | worst 3 print begin.id, name, d = duration / 1000000
--- expect
begin.id | name | d
2 | "two" | 1400
1 | "one" | 1200
3 | "three" | 1100

=== by_something_else
Negative numbers are smaller than 0; a column may be none.
--- query
from x:begin to x:end on id | worst 4 by n print n, name
--- expect
n | name
9 | "three"
5 | "one"
-7 | "two"
-9 | -

=== unsigned
--- query
x:v | worst 2 by big print big
--- events
event x:v big:u64 small:s64
1.0 x:v big=0xffffffffffffffff small=-1
1.1 x:v big=1 small=1
1.2 x:v big=0x8000000000000000 small=-9223372036854775808
--- expect
big
-1
-9223372036854775808

=== signed
--- query
x:v | worst 2 by small print small
--- expect
small
1
-1

=== less_than_there_are
--- query
x:v | worst 64 by small print small
--- expect
small
1
-1
-9223372036854775808

=== none_is_left_out
--- query
x:a, x:b | worst 9 by v print event, v
--- events
event x:a v:u32
event x:b w:u32
1.0 x:a v=1
1.1 x:b w=2
1.2 x:a v=3
--- expect
event | v
a | 3
a | 1

=== equal_ones
The first that came stay.
--- query
x:a | worst 2 by v print v, time
--- events
event x:a v:u32
1.0 x:a v=1
1.1 x:a v=1
1.2 x:a v=1
1.3 x:a v=0
--- expect
v | time
1 | 1000000000
1 | 1100000000

=== many
The true five of many.
--- query
x:a | worst 5 by v print v
--- events
event x:a v:u32
1.0 x:a v=50
1.0 x:a v=3
1.0 x:a v=77
1.0 x:a v=12
1.0 x:a v=50
1.0 x:a v=91
1.0 x:a v=4
1.0 x:a v=78
1.0 x:a v=92
1.0 x:a v=2
1.0 x:a v=93
1.0 x:a v=1
--- expect
v
93
92
91
78
77

=== intervals
Each begins anew.
--- query
x:a | worst 2 by v print v | every 1s
--- events
event x:a v:u32
1.0 x:a v=50
1.1 x:a v=3
1.2 x:a v=77
2.0 x:a v=12
2.1 x:a v=5
3.5 x:a v=1
--- expect
-- interval 0
v
77
50
-- interval 1
v
12
5
-- interval 2
v
1

=== all_since_the_beginning
--- query
x:a | worst 2 by v print v | every 1s keep
--- expect
-- interval 0
v
77
50
-- interval 1
v
77
50
-- interval 2
v
77
50

=== an_interval_of_the_command_line
--- query
x:a | worst 1 by v print v
--- options
interval_ns=2000000000
--- expect
-- interval 0
v
77
-- interval 1
v
1

=== table_stages
--- query
x:a | worst 3 by v print v | let half = v / 2 | where half < 30 | sort half
--- expect
v | half
12 | 6
50 | 25

=== of_what_is_open
--- query
from x:a to x:b on v | open | worst 2 by duration print v, duration
--- events
event x:a v:u32
event x:b v:u32
1.0 x:a v=1
1.1 x:a v=2
1.2 x:a v=3
1.5 x:b v=1
--- expect
v | duration
2 | 400000000
3 | 300000000

=== too_many
--- query
x:a | worst 65 by v
--- expect
culprit: query:1:7: 'worst' keeps at most 64 rows [out-of-range]
  x:a | worst 65 by v
        ^~~~~~~~~~~~~

=== none
--- query
x:a | worst 0 by v
--- expect
culprit: query:1:7: 'worst' needs a number above 0 [out-of-range]
  x:a | worst 0 by v
        ^~~~~~~~~~~~

=== by_a_text
--- query
x:a | worst 3 by comm
--- expect
culprit: query:1:18: 'worst' needs a number, but this has type string [not-a-number]
  x:a | worst 3 by comm
                   ^~~~

=== an_event_has_no_duration
--- query
x:a | worst 3
--- expect
culprit: worst:1:1: an event has no duration [no-period]
  duration
  ^~~~~~~~
help: a whole call is written without .enter and .return: syscall:read; a period of two events: from X to Y on KEY

=== beside_a_table_that_has_no_row
Which half of the tables is in use is read by each query: the first has no row of the event.
--- query
x:v | where n % 2 == 0 | distinct(n) by n | every 1s; x:v | worst 1 by n print n | every 1s
--- events
event x:v n:u64
1.0 x:v n=2
2.1 x:v n=3
3.1 x:v n=4
4.1 x:v n=5
--- expect
-- interval 0
n | distinct(n)
2 | 1
-- interval 0
n
2
-- interval 1
n | distinct(n)
-- interval 1
n
3
-- interval 2
n | distinct(n)
4 | 1
-- interval 2
n
4
-- interval 3
n | distinct(n)
-- interval 3
n
5
