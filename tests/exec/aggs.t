Every aggregation, keys and tables.

=== each_aggregation
--- query
y:v | count, sum(v), avg(v), min(v), max(v), last(v), distinct(v) by k
--- events
event y:v k:u32 v:s64
1.0 tid=1 y:v k=1 v=1
1.1 tid=1 y:v k=1 v=2
1.2 tid=1 y:v k=2 v=-5
1.3 tid=1 y:v k=1 v=4
1.4 tid=1 y:v k=1 v=100
1.5 tid=1 y:v k=1 v=3
1.6 tid=1 y:v k=1 v=3
2.0 tid=1 y:v k=2 v=-7
--- expect
k | count | sum(v) | avg(v) | min(v) | max(v) | last(v) | distinct(v)
1 | 6 | 113 | 18.8333 | 1 | 100 | 3 | 5
2 | 2 | -12 | -6 | -7 | -5 | -7 | 2

=== without_keys
--- query
y:v | count, sum(v), min(v), max(v), last(v), distinct(v)
--- expect
count | sum(v) | min(v) | max(v) | last(v) | distinct(v)
8 | 101 | -7 | 100 | -7 | 7

=== any_is_read_once_and_sequential_sees_the_row_before_of_its_key
--- query
y:r | count, sequential(at, at + n), any(comm), last(comm) by k
--- events
event y:r k:u32 at:s64 n:u32
1.0 tid=1 comm=one cpu=0 y:r k=1 at=0 n=8
1.1 tid=1 comm=two cpu=1 y:r k=1 at=8 n=8
1.2 tid=1 comm=two cpu=1 y:r k=2 at=16 n=8
1.3 tid=1 comm=two cpu=0 y:r k=1 at=16 n=8
1.4 tid=1 comm=two cpu=0 y:r k=1 at=0 n=8
1.5 tid=1 comm=two cpu=1 y:r k=2 at=24 n=8
1.6 tid=1 comm=six cpu=0 y:r k=1 at=8 n=8
1.7 tid=1 comm=six cpu=0 y:r k=3 at=0 n=8
1.8 tid=1 comm=six cpu=0 y:r k=4 at=-1 n=1
1.9 tid=1 comm=six cpu=0 y:r k=4 at=0 n=1
--- expect
k | count | sequential(at,at+n) | any(comm) | last(comm)
1 | 5 | 3 | "one" | "six"
2 | 2 | 1 | "two" | "two"
3 | 1 | 0 | "six" | "six"
4 | 2 | 1 | "six" | "six"

=== sequential_of_all_in_intervals
--- query
y:r | sequential(at, at + n) | every 1s
--- events
event y:r k:u32 at:s64 n:u32
0.1 tid=1 cpu=0 y:r k=1 at=0 n=8
0.2 tid=1 cpu=1 y:r k=2 at=8 n=8
0.3 tid=1 cpu=0 y:r k=2 at=16 n=8
1.2 tid=1 cpu=0 y:r k=2 at=24 n=8
1.3 tid=1 cpu=1 y:r k=2 at=32 n=8
--- expect
-- interval 0
sequential(at,at+n)
2
-- interval 1
sequential(at,at+n)
1

=== stddev
--- query
z:v | stddev(v), avg(v)
--- events
event z:v v:s64
1 z:v v=2
1 z:v v=4
1 z:v v=4
1 z:v v=4
1 z:v v=5
1 z:v v=5
1 z:v v=7
1 z:v v=9
--- expect
stddev(v) | avg(v)
2 | 5

=== stddev_of_large_values
Squares of seconds in ns overflow 64 bits.
--- query
z:v | stddev(v), avg(v)
--- events
event z:v v:s64
1 z:v v=20000000000
1 z:v v=40000000000
1 z:v v=60000000000
1 z:v v=80000000000
--- expect
stddev(v) | avg(v)
2.23607e+10 | 5e+10

=== sums_beyond_64_bits
--- query
w:v | sum(s), sum(u), avg(s), avg(u), stddev(s), stddev(u) by k
--- events
event w:v k:string s:s64 u:u64
1 w:v k="a" s=0x7fffffffffffffff u=0xffffffffffffffff
1 w:v k="a" s=0x7fffffffffffffff u=0xffffffffffffffff
1 w:v k="b" s=-9223372036854775808 u=1
1 w:v k="b" s=-9223372036854775808 u=1
1 w:v k="c" s=-5 u=0xffffffffffffffff
1 w:v k="c" s=3 u=0
1 w:v k="c" s=2 u=0
--- expect
k | sum(s) | sum(u) | avg(s) | avg(u) | stddev(s) | stddev(u)
"a" | 1.84467e+19 | 3.68935e+19 | 9.22337e+18 | 1.84467e+19 | 0 | 0
"b" | -1.84467e+19 | 2 | -9.22337e+18 | 1 | 0 | 0
"c" | 0 | -1 | 0 | 6.14891e+18 | 3.55903 | 8.69588e+18

=== hist
--- query
z:v | hist(v)
--- events
event z:v v:s64
1 z:v v=0
1 z:v v=1
1 z:v v=2
1 z:v v=3
1 z:v v=4
1 z:v v=1000000
1 z:v v=-3
--- expect
hist(v)
[-9223372036854775808..-1]=1 [0..1]=2 [2..3]=2 [4..7]=1 [524288..1048575]=1

=== hist_of_the_largest
--- query
w:v | hist(v)
--- events
event w:v v:u64
1 w:v v=0x7fffffffffffffff
1 w:v v=0x8000000000000000
1 w:v v=0xffffffffffffffff
--- expect
hist(v)
[4611686018427387904..9223372036854775807]=1 [9223372036854775808..18446744073709551615]=2

=== hist_by_key
--- query
w:v | hist(v), count by k
--- events
event w:v k:string v:u64
1 w:v k="b" v=8
1 w:v k="a" v=9
1 w:v k="b" v=8
1 w:v k="b" v=100
--- expect
k | hist(v) | count
"a" | [8..15]=1 | 1
"b" | [8..15]=2 [64..127]=1 | 3

=== a table is sorted by how much a histogram has
--- query
w:h | hist(v) by k | sort hist(v);
w:h | hist(v) by k | top 3 by hist(v)
--- events
event w:h k:u32 v:u64
1.0 tid=1 w:h k=1 v=1
1.1 tid=1 w:h k=2 v=1
1.2 tid=1 w:h k=3 v=1
1.3 tid=1 w:h k=2 v=1
1.4 tid=1 w:h k=4 v=1
--- expect
k | hist(v)
1 | [0..1]=1
3 | [0..1]=1
4 | [0..1]=1
2 | [0..1]=2
k | hist(v)
2 | [0..1]=2
1 | [0..1]=1
3 | [0..1]=1

=== lhist
--- query
w:v | lhist(v, 0, 40, 10)
--- events
event w:v v:s64
1 w:v v=-1
1 w:v v=0
1 w:v v=9
1 w:v v=10
1 w:v v=39
1 w:v v=40
1 w:v v=1000
--- expect
lhist(v,0,40,10)
[-9223372036854775808..-1]=1 [0..9]=2 [10..19]=1 [30..39]=1 [40..18446744073709551615]=2

=== percentiles
--- query
w:v | p50(v), p90(v), p100(v)
--- events
event w:v v:u64
1 w:v v=1
1 w:v v=2
1 w:v v=3
1 w:v v=4
1 w:v v=5
1 w:v v=6
1 w:v v=7
1 w:v v=8
1 w:v v=9
1 w:v v=10
--- expect
p50(v) | p90(v) | p100(v)
5 | 9 | 10

=== percentiles are no more than the largest value, no less than the smallest
--- query
w:v | where v < 2000 | p50(v), p99(v), max(v), min(v);
w:v | where v > 2000 && v < 5000 | p50(v), min(v);
w:v | where v > 5000 | p1(v) by k
--- events
event w:v v:s64 k:u64
1 w:v v=993 k=1
1 w:v v=993 k=1
1 w:v v=-5 k=1
1 w:v v=3070 k=1
1 w:v v=3071 k=1
1 w:v v=6000 k=1
1 w:v v=7000 k=2
--- expect
p50(v) | p99(v) | max(v) | min(v)
993 | 993 | 993 | -5
p50(v) | min(v)
3070 | 3070
k | p1(v)
1 | 6000
2 | 7000

=== rate
--- query
w:v | rate
--- events
event w:v v:u64
1.0 w:v v=1
1.5 w:v v=1
3.0 w:v v=1
--- expect
rate
1.5

=== where_of_one_aggregation
--- query
w:v | count, big = count where v > 5, sum(v) where v > 5 by k
--- events
event w:v k:u32 v:u64
1 w:v k=1 v=10
1 w:v k=1 v=1
1 w:v k=2 v=5
--- expect
k | count | big | sum(v)
1 | 2 | 1 | 10
2 | 1 | 0 | 0

=== nothing_happened
--- query
w:v | count, sum(v), max(v)
--- events
event w:v v:u64
event w:other
1 w:other
--- expect
count | sum(v) | max(v)
0 | 0 | -

=== nothing_happened_by_key
--- query
w:v | count by v
--- expect
v | count

=== unsigned_and_signed
--- query
w:v | max(u), min(u), max(s), min(s)
--- events
event w:v u:u64 s:s64
1 w:v u=18446744073709551615 s=-1
1 w:v u=1 s=1
--- expect
max(u) | min(u) | max(s) | min(s)
-1 | 1 | 1 | -1

=== keys_of_several_types
--- query
w:v | count by a, s, st
--- events
event w:v a:s32 s:string st:state
1 w:v a=-1 s="x" st=running
1 w:v a=-1 s="x" st=disk
1 w:v a=2 s="" st=disk
1 w:v a=-1 s="x" st=running
--- expect
a | s | st | count
-1 | "x" | running | 2
-1 | "x" | disk | 1
2 | "" | disk | 1

=== a_table_that_is_full
What finds the table full is in (other): totals stay exact.
--- query
w:v | count, sum(v) by k
--- options
limits table_rows=2
--- events
event w:v k:u64 v:u64
1 w:v k=100000 v=1
1 w:v k=200000 v=2
1 w:v k=300000 v=4
1 w:v k=100000 v=8
1 w:v k=400000 v=16
--- expect
k | count | sum(v)
100000 | 2 | 9
200000 | 1 | 2
(other) - | 2 | 20
! dropped 2

=== distinct_texts
Alike in the low bits of two words.
--- query
w:v | distinct(k)
--- events
event w:v k:string
1 w:v k="/var/bap/log/xxp"
1 w:v k="/var/ba0/log/xx0"
1 w:v k="/var/bap/log/xxp"
--- expect
distinct(k)
2

=== distinct_short_texts
Of words that are not whole, and of one that differs behind the first.
--- query
w:v | a = distinct(k > 1 ? "abc" : "ab"), b = distinct(k > 2 ? "abcdefgh-x" : k > 1 ? "abcdefgh-y" : "abcdefgh")
--- events
event w:v k:u64 v:u64
1 w:v k=1 v=1
1 w:v k=2 v=2
1 w:v k=3 v=1
1 w:v k=1 v=2
1 w:v k=2 v=1
--- expect
a | b
2 | 3

=== distinct_with_a_full_table
--- query
w:v | distinct(k), count, again = distinct(k), distinct(v)
--- options
limits table_rows=2
--- events
event w:v k:u64 v:u64
1 w:v k=1 v=1
1 w:v k=2 v=2
1 w:v k=3 v=1
1 w:v k=1 v=2
1 w:v k=4 v=1
--- expect
distinct(k) | count | again | distinct(v)
>= 3 | 5 | >= 3 | 2
! dropped 2

=== from_at_least_nothing_is_computed
--- query
w:v | d = distinct(k) | let same = d, twice = d * 2, per = 6 / d, part = share(d), most = max(d, 9), over = d > 2, under = d < 9, other = d != 7, not = !d
--- options
limits table_rows=2
--- expect
d | same | twice | per | part | most | over | under | other | not
>= 3 | >= 3 | - | - | - | - | 1 | 0 | 0 | 0
! dropped 2

=== none_keys_and_values
--- query
w:a, w:b | count, sum(x) by k
--- events
event w:a k:u32 x:s64
event w:b x:s64
1 w:a k=1 x=5
1 w:b x=7
1 w:a x=1
1 w:a k=1
--- expect
k | count | sum(x)
- | 2 | 8
1 | 2 | 5

=== union_by_event
--- query
w:a, w:b | count by event
--- expect
event | count
a | 3
b | 1

=== glob_of_events
--- query
w:* | count, sum(k) by event
--- expect
event | count | sum(k)
a | 3 | 2
b | 1 | 0
