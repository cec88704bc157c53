What slow calls were made of: sources and parts from parameters, all parts at once in an
aggregation, and a table that is printed in words.

=== rows
In each row times - overlap + other is the duration.
--- query
param main: source = "(from x:row to x:end)"
param parts: parts = "own = (from x:a to x:aend), far = (from x:b to x:bend on k)"
param over: duration = 500ms
def call = $main | split $parts
call | where duration >= $over | print n, duration, bars
--- events
event x:row n:u32
event x:end
event x:a
event x:aend
event x:b k:u32
event x:bend k:u32
1.0 tid=1 x:row n=1
1.1 tid=1 x:a
1.2 tid=1 x:b k=7
1.4 tid=1 x:aend
1.7 tid=2 x:bend k=7
1.8 tid=1 x:a
1.9 tid=1 x:aend
2.0 tid=1 x:end
2.1 tid=1 x:row n=2
2.2 tid=1 x:b k=8
2.3 tid=2 x:bend k=8
2.4 tid=1 x:end
3.0 tid=1 x:row n=3
3.1 tid=1 x:a
3.5 tid=1 x:aend
3.6 tid=1 x:end
4.0 tid=1 x:row n=4
4.1 tid=1 x:end
--- expect
1 | 1000000000 | 400000000 | 2 | 500000000 | 1 | 300000000 | 200000000
3 | 600000000 | 400000000 | 1 | 0 | 0 | 200000000 | 0

=== slow_and_quick
The sums of both kinds are those of all; a part's column is named by what it is of.
--- query
param main: source = "(from x:row to x:end)"
param parts: parts = "own = (from x:a to x:aend), far = (from x:b to x:bend on k)"
param over: duration = 500ms
def call = $main | split $parts
call | calls = count, sum(duration), sum(parts) by slow = duration >= $over | sort slow
--- expect
slow | calls | sum(duration) | sum(own.time) | sum(own.count) | sum(far.time) | sum(far.count) | sum(other) | sum(overlap)
0 | 2 | 400000000 | 0 | 0 | 100000000 | 1 | 300000000 | 0
1 | 2 | 1600000000 | 800000000 | 3 | 500000000 | 1 | 500000000 | 200000000

=== averages
Also with a name before them, and of some of the rows.
--- query
from x:row to x:end | split own = (from x:a to x:aend)
| count, of = avg(parts) where duration >= 500ms, max(parts)
--- expect
count | of.own.time | of.own.count | of.other | max(own.time) | max(own.count) | max(other)
4 | 4e+08 | 1.5 | 4e+08 | 400000000 | 2 | 600000000

=== without_parameters_values
--- query
param main: source
$main | count
--- expect
culprit: query:2:1: $main has no value [param-value]
  $main | count
  ^~~~~
help: give it: --main VALUE

=== a_mistake_in_a_value
Told once, where it is, though two queries use it.
--- query
param main: source = "x:row else"
def call = $main
call | count; call | print n
--- expect
culprit: --main:1:11: expected a source, found the end of the query [expected-source]
  x:row else
            ^

=== a_mistake_in_parts
--- query
param parts: parts = "a = (from x:a to x:aend), , x:b"
def call = (from x:row to x:end) | split $parts
call | count; call | print duration
--- expect
culprit: --parts:1:27: expected a source, found ',' [expected-source]
  a = (from x:a to x:aend), , x:b
                            ^

=== a_list_of_sources
As `sources` they are a union, too; the tools take them as several words.
--- query
param what: sources = "(x:a | where tid == 1), x:b"
$what | count by event
--- expect
event | count
a | 3
b | 2

=== a_name_of_a_list_is_a_function
Behind $NAME() also with a colon: a module's.
--- query
param what: sources = "x:a, nothing"
$what() | count
--- expect
culprit: --what:1:1: a recorded trace holds no calls of functions; 'x:a' is an event of it, without a duration: culprit trace shows each, culprit run 'from A to B on KEY' the time between two [unable]
  x:a, nothing
  ^~~
culprit: --what:1:6: a recorded trace holds no calls of kernel functions: this one describes 6 kinds of events, those of 0 system calls among them [unable]
  x:a, nothing
       ^~~~~~~

=== a_union_with_definitions
--- query
param main: source = "one, (x:b | where k == 8)"
def one = x:a
$main | count by event
--- expect
event | count
a | 3
b | 1

=== a_bare_name_is_a_function
--- query
param main: source = "nothing"
$main | count
--- expect
culprit: --main:1:1: a recorded trace holds no calls of kernel functions: this one describes 6 kinds of events, those of 0 system calls among them [unable]
  nothing
  ^~~~~~~

=== printed_in_words
What is printed of a table: some columns, new ones, in this order.
--- query
from x:row to x:end | calls = count, longest = max(duration), slow = count where duration >= 2s
| where slow == 0 | print longest, twice = calls * 2, slow
--- expect
longest | twice | slow
1000000000 | 8 | 0

=== nothing_behind_it
--- query
x:row | count by n | print n | top 1
--- expect
culprit: query:1:32: no stage can follow 'print' [stage-order]
  x:row | count by n | print n | top 1
                                 ^~~~~
help: put it before the print; a column that it needs is made by let: | let r = A / B | sort r | print r

=== parts_of_nothing
--- query
from x:row to x:end | sum(parts)
--- expect
culprit: query:1:27: no field 'parts' in x:row or x:end [no-field]
  from x:row to x:end | sum(parts)
                            ^~~~~
help: fields: n; of each row: duration time cpu pid tid ppid comm uid gid cgroup event kstack ustack stack task
