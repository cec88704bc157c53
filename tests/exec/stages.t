Row stages and table stages, intervals, joins, options.

=== let_and_where
--- query
e:v | let twice = v * 2 | where twice > 10 | let more = twice + 1 | print v, twice, more
--- events
event e:v v:s64 name:comm
1.0 tid=1 comm=cat e:v v=5 name="one"
1.1 tid=1 comm=bash e:v v=6 name="two"
1.2 tid=2 comm=cat e:v v=7 name="three"
--- expect
6 | 12 | 13
7 | 14 | 15

=== first
--- query
e:v | first 2 | print v
--- expect
5
6

=== first_of_a_table
--- query
e:v | where v > 5 | first 1 | count by v
--- expect
v | count
6 | 1

=== sample
--- query
e:n | sample 3 | count
--- events
event e:n v:u32
1 e:n v=1
1 e:n v=2
1 e:n v=3
1 e:n v=4
1 e:n v=5
1 e:n v=6
1 e:n v=7
--- expect
count
3

=== sample_takes_both_ends_alike
All ends of the keys that are taken find their begins.
--- query
from s:a to s:b on k | sample 1 by begin.k | count
--- events
event s:a k:u64
event s:b k:u64
1 s:a k=1
1 s:a k=2
2 s:b k=1
2 s:b k=2
--- expect
count
2

=== limit
--- query
e:v | print v limit 2/s
--- events
event e:v v:u32
1.0 e:v v=1
1.1 e:v v=2
1.2 e:v v=3
2.3 e:v v=4
--- expect
1
2
4
! kept back 1

=== top
--- query
e:v | count, sum(v) by k | top 2 by sum(v)
--- events
event e:v k:u32 v:u32
1 e:v k=1 v=5
1 e:v k=2 v=50
1 e:v k=3 v=7
1 e:v k=1 v=1
--- expect
k | count | sum(v)
2 | 1 | 50
3 | 1 | 7

=== top_smallest
--- query
e:v | count, sum(v) by k | top 2 by -sum(v)
--- events
event e:v k:u32 v:u32
1 e:v k=1 v=5
1 e:v k=2 v=50
1 e:v k=3 v=7
1 e:v k=1 v=1
--- expect
k | count | sum(v)
1 | 2 | 6
3 | 1 | 7

=== sort_where_let
--- query
e:v | n = count, s = sum(v) by k | let mean = s / n | where mean > 3 | sort -mean
--- expect
k | n | s | mean
2 | 1 | 50 | 50
3 | 1 | 7 | 7

=== share
--- query
e:v | count by k | let part = share(count) | sort k
--- expect
k | count | part
1 | 2 | 0.5
2 | 1 | 0.25
3 | 1 | 0.25

=== every
--- query
e:v | count, sum(v) by k | every 1s
--- events
event e:v k:u32 v:u32
1.0 e:v k=1 v=5
1.9 e:v k=2 v=1
2.0 e:v k=1 v=7
4.5 e:v k=3 v=1
--- expect
-- interval 0
k | count | sum(v)
1 | 1 | 5
2 | 1 | 1
-- interval 1
k | count | sum(v)
1 | 1 | 7
-- interval 2
k | count | sum(v)
-- interval 3
k | count | sum(v)
3 | 1 | 1

=== every_keep
--- query
e:v | count by k | every 1s keep
--- expect
-- interval 0
k | count
1 | 1
2 | 1
-- interval 1
k | count
1 | 2
2 | 1
-- interval 2
k | count
1 | 2
2 | 1
-- interval 3
k | count
1 | 2
2 | 1
3 | 1

=== every_keep_rate_since_the_beginning
--- query
e:v | count, rate by k | every 1s keep
--- expect
-- interval 0
k | count | rate
1 | 1 | 1
2 | 1 | 1
-- interval 1
k | count | rate
1 | 2 | 1
2 | 1 | 0.5
-- interval 2
k | count | rate
1 | 2 | 0.666667
2 | 1 | 0.333333
-- interval 3
k | count | rate
1 | 2 | 0.571429
2 | 1 | 0.285714
3 | 1 | 0.285714

=== delta
--- query
e:v | c = count | let d = delta(c) | every 1s
--- expect
-- interval 0
c | d
2 | 2
-- interval 1
c | d
1 | -1
-- interval 2
c | d
0 | -1
-- interval 3
c | d
1 | 1

=== the_option_i_replaces_every
--- query
e:v | count | every 1s
--- options
interval_ns=2000000000
--- expect
-- interval 0
count
3
-- interval 1
count
1

=== periods_go_on_over_intervals
--- query
from s:a to s:b on k | count, sum(duration) | every 1s
--- events
event s:a k:u64
event s:b k:u64
1.0 s:a k=1
2.5 s:b k=1
--- expect
-- interval 0
count | sum(duration)
0 | 0
-- interval 1
count | sum(duration)
1 | 1500000000

=== join
--- query
table hits = (j:hit | count by k), misses = (j:miss | count by k)
| let ratio = hits / (hits + misses) | sort k
--- events
event j:hit k:u32
event j:miss k:u32
1 j:hit k=1
1 j:hit k=1
1 j:hit k=2
1 j:miss k=1
1 j:miss k=3
--- expect
k | hits | misses | ratio
1 | 2 | 1 | 0.666667
2 | 1 | 0 | 1
3 | 0 | 1 | 0

=== two_queries
--- query
j:hit | count; j:miss | count by k
--- expect
count
3
k | count
1 | 1
3 | 1

=== timer
--- query
every 500ms | count
--- events
event e:v
1.0 e:v
3.2 e:v
--- expect
count
4

=== only_a_process
--- query
e:v | count by v
--- options
pid=10
--- events
event e:v v:u32
1.0 tid=10 pid=10 comm=cat uid=0 e:v v=1
1.0 cpu=1 tid=11 pid=10 comm=dog uid=0 e:v v=2
1.0 tid=12 pid=12 comm=cat uid=5 e:v v=3
1.0 tid=13 e:v v=4
--- expect
v | count
1 | 1
2 | 1

=== only_a_comm
--- query
e:v | count by v
--- options
comm=c*t
--- expect
v | count
1 | 1
3 | 1

=== only_a_user
--- query
e:v | count by v
--- options
uid=5
--- expect
v | count
3 | 1

=== only_root
--- query
e:v | count by v
--- options
uid=0
--- expect
v | count
1 | 1
2 | 1

=== only_processes
--- query
e:v | count by v
--- options
pid=10,12
--- expect
v | count
1 | 1
2 | 1
3 | 1

=== only_cpus
--- query
e:v | count by v
--- options
cpu=0,1
--- expect
v | count
1 | 1
2 | 1
3 | 1
4 | 1

=== only_a_cpu
--- query
e:v | count by v
--- options
cpu=1
--- expect
v | count
2 | 1

=== a_parameter
--- query
param least: int
param by_comm c: flag
e:v | where v >= $least | count by v if !$by_comm, comm if $by_comm
--- options
$least=2 $c
--- expect
comm | count
- | 1
"cat" | 1
"dog" | 1

=== a_parameter_not_given
--- query
param least: int
param by_comm c: flag
e:v | where v >= $least | count by v if !$by_comm, comm if $by_comm
--- expect
v | count
1 | 1
2 | 1
3 | 1
4 | 1

=== lost_events
--- query
e:v | count
--- events
event e:v
1.0 e:v
1.1 lost 12
1.2 e:v
--- expect
count
2
! lost 12

=== a_whole_number_beside_a_real_one
--- query
x:a | c = count, m = avg(n) | let s = c + m, t = m + c, o = c > 5 ? c : m, p = c < 5 ? m : c | print s, t, o, p
--- events
event x:a n:s64
1.0 tid=1 x:a n=1
1.1 tid=1 x:a n=2
--- expect
s | t | o | p
3.5 | 3.5 | 1.5 | 1.5
