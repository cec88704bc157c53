Definitions, unions of periods, several queries over one pairing, strings on their way.

=== queries_over_one_definition
--- query
def p = (from x:begin to x:end on id)

p | count;
p | where duration > 100ms | print begin.id, duration
--- events
event x:begin id:u64 name:string
event x:end id:u64 ok:bool
1.0 tid=1 comm=one x:begin id=1 name="first"
1.1 tid=2 comm=two x:begin id=2 name="second"
1.2 tid=3 comm=three x:end id=1 ok=1
1.2 tid=3 comm=three x:end id=2 ok=0
--- expect
1 | 200000000
count
2

=== a_string_of_the_begin
--- query
from x:begin to x:end on id | where name ~ "*o*" | print name, begin.comm, ok ? "yes" : "no"
--- expect
"second" | "two" | "no"

=== string_of_the_begin_as_key
--- query
from x:begin to x:end on id | count, max(duration) by name, end.current.comm
--- expect
name | end.current.comm | count | max(duration)
"first" | "three" | 1 | 200000000
"second" | "three" | 1 | 100000000

=== conditions_of_begin_and_end
--- query
from x:begin where name != "first" to x:end where !ok on id | print begin.id
--- expect
2

=== union_of_periods
--- query
(from x:begin to x:end on id), (from x:end to x:begin on ok) | count, sum(duration) by event
--- events
event x:begin id:u64 ok:bool
event x:end id:u64 ok:bool
1.0 tid=1 x:begin id=1 ok=1
1.1 tid=1 x:end id=1 ok=1
1.3 tid=1 x:begin id=2 ok=1
1.6 tid=1 x:end id=2 ok=0
--- expect
event | count | sum(duration)
begin | 2 | 400000000
end | 1 | 200000000
! unmatched 1

=== stages_inside_a_group
--- query
(x:begin | where id > 1), (x:end | where ok) | count by event
--- expect
event | count
begin | 1
end | 1

=== else
--- query
x:missing else x:begin | count
--- expect
count
2

=== else_of_a_group
--- query
(x:missing | let n = id) else (x:begin | let n = id + 1) | sum(n)
--- expect
sum(n)
5

=== else_of_a_definition
--- query
def old = x:missing | where id > 1
def now = x:begin | where id > 1
old else now | count
--- expect
count
1

=== else_of_a_span
--- query
(from x:missing to x:end on id) else (from x:begin to x:missing on id) else x:begin | count
--- expect
count
2

=== coalesce
--- query
x:begin, x:end | count by event, n = coalesce(nosuch, id)
--- expect
event | n | count
begin | 1 | 1
begin | 2 | 1
end | 1 | 1
end | 2 | 1

=== coalesce_has_room_for_each
A signed number behind an unsigned one of fewer bits keeps its sign.
--- query
n:v | print c = coalesce(small, large), coalesce(small, large) < 0
--- events
event n:v small:u8 large:s64
1 n:v small=200 large=-1
2 n:v large=-1
3 n:v large=-4294967296
--- expect
200 | 0
-1 | 1
-4294967296 | 1

=== none_of_the_alternatives
--- query
x:missing else x:absent | count
--- expect
culprit: query:1:1: there is no event 'x:missing' [no-event]
  x:missing else x:absent | count
  ^~~~~~~~~
help: culprit list events shows what there is

=== many_keys
--- query
k:v | count by a, b, s, a + b, t, c
--- events
event k:v a:u32 b:s32 s:string t:string c:u8
1 k:v a=1 b=-1 s="x" t="0123456789012345678901234567890123456789" c=1
1 k:v a=1 b=-1 s="x" t="0123456789012345678901234567890123456789" c=1
1 k:v a=1 b=-1 s="x" t="0123456789012345678901234567890123456780" c=1
--- expect
a | b | s | a+b | t | c | count
1 | -1 | "x" | 0 | "0123456789012345678901234567890123456780" | 1 | 1
1 | -1 | "x" | 0 | "0123456789012345678901234567890123456789" | 1 | 2

=== many_columns
--- query
k:v | let q = a * 2 + b | print q, a, b, s, t, c, q + 1, q - 1, a == 1 ? s : t, q in (1, 2), comm, tid, time
--- expect
1 | 1 | -1 | "x" | "0123456789012345678901234567890123456789" | 1 | 2 | 0 | "x" | 1 | - | - | 1000000000
1 | 1 | -1 | "x" | "0123456789012345678901234567890123456789" | 1 | 2 | 0 | "x" | 1 | - | - | 1000000000
1 | 1 | -1 | "x" | "0123456789012345678901234567890123456780" | 1 | 2 | 0 | "x" | 1 | - | - | 1000000000

=== strings_compared
--- query
k:v | where s < "b" || s in ("b", "dd") || s == t | print s
--- events
event k:v s:string t:string
1 k:v s="b" t=""
1 k:v s="dd" t=""
1 k:v s="ee" t="ee"
1 k:v s="e" t="ee"
1 k:v s="" t=""
--- expect
culprit: query:1:13: values of type string cannot be compared with '<' [type-mismatch]
  k:v | where s < "b" || s in ("b", "dd") || s == t | print s
              ^~~~~~~
help: for strings use == != ~ or in; a number stands without quotes: 1ms

=== strings_equal
--- query
k:v | where s in ("b", "dd") || s == t | print s
--- expect
"b"
"dd"
"ee"
""

=== a_key_that_is_too_long_is_cut
--- query
k:v | count by s
--- events
event k:v s:string
1 k:v s="0123456789012345678901234567890123456789012345678901234567890123456789 one"
1 k:v s="0123456789012345678901234567890123456789012345678901234567890123456789 two"
1 k:v s="012345678901234567890123456789012345678901234567890123456789012"
--- expect
s | count
"012345678901234567890123456789012345678901234567890123456789012" | 3
! cut 2

=== shifts_and_large_constants
--- query
k:v | where a != 0x8000000000000000 && b > -5000000000 | print a << 63, a >> 64, b * 10000000000, a & 0xffffffff00000000
--- events
event k:v a:u64 b:s64
1 k:v a=0x8000000000000000 b=0
1 k:v a=0xfedcba9876543211 b=-3
1 k:v a=1 b=-5000000001
--- expect
-9223372036854775808 | -81985529216486895 | -30000000000 | -81985531201716224

=== signed_and_unsigned_fields
--- query
k:v | where s8 < 0 && u8 > 200 | print s8, u8, s32, u32, u32 > s32, u8 > s8 as s16
--- events
event k:v s8:s8 u8:u8 s32:s32 u32:u32
1 k:v s8=-1 u8=255 s32=-1 u32=4294967295
1 k:v s8=1 u8=255 s32=-1 u32=4294967295
--- expect
-1 | 255 | -1 | 4294967295 | 1 | 1

=== a_sign_beside_fields_that_have_none
--- query
k:v | where u8 > -1 && -1 < u32 && s32 < u32 | print u8 > -1, -1 >= u8, u8 == -1, u32 in (-1, 5), s32 <= u8, min(s8, u32)
--- expect
1 | 0 | 0 | 0 | 1 | -1
1 | 0 | 0 | 0 | 1 | 1

=== percentiles_by_key_and_interval
--- query
k:v | p50(v), p99(v), avg(v) by k | every 1s
--- events
event k:v k:u32 v:u64
1.0 k:v k=1 v=10
1.1 k:v k=1 v=1000
1.2 k:v k=2 v=7
2.1 k:v k=1 v=3
--- expect
-- interval 0
k | p50(v) | p99(v) | avg(v)
1 | 10 | 1000 | 505
2 | 7 | 7 | 7
-- interval 1
k | p50(v) | p99(v) | avg(v)
1 | 3 | 3 | 3

=== hist_of_a_small_key_and_interval
--- query
k:v | hist(v) by cpu | every 1s
--- events
event k:v v:u64
1.0 cpu=0 k:v v=10
1.1 cpu=2 k:v v=1000
2.1 cpu=0 k:v v=3
--- expect
-- interval 0
cpu | hist(v)
0 | [8..15]=1
2 | [512..1023]=1
-- interval 1
cpu | hist(v)
0 | [2..3]=1

=== rate_by_interval
--- query
k:v | rate, count | every 2s
--- expect
-- interval 0
rate | count
2.72727 | 3

=== empty_strings_and_none
--- query
k:v | count by s, t
--- events
event k:v s:string t:string
1 k:v s="" t="a"
1 k:v t="a"
1 k:v s="a"
--- expect
s | t | count
- | "a" | 1
"" | "a" | 1
"a" | - | 1

=== inner_conditions_keep_none_apart
--- query
k:v | print a > 1 ? a : b, min(a, b), (a in (1, 2)) + 1
--- events
event k:v a:s32 b:s32
1 k:v a=2 b=3
1 k:v b=3
1 k:v a=1
--- expect
2 | 2 | 2
3 | - | 1
- | - | 2

=== the_interrupted_thread
--- query
block:done | count by current.comm
--- events
event block:done interrupt dev:device
1 tid=5 comm=victim block:done dev=8:0
--- expect
current.comm | count
"victim" | 1

=== no_thread_in_an_interrupt
--- query
block:done | count by comm
--- expect
culprit: query:1:23: block:done runs in an interrupt: it belongs to no thread [interrupt-field]
  block:done | count by comm
                        ^~~~
help: write current.comm for the thread that was interrupted

=== print_with_a_format
--- query
k:v | where a > 1 | print "%d of %s", a, s
--- events
event k:v a:s32 s:string
1 k:v a=2 s="two"
1 k:v a=1 s="one"
--- expect
2 | "two"

=== common_name_unless_all_have_a_field
--- query
x:a | print pid; x:a, x:b | print pid, event
--- events
event x:a pid:s32
event x:b n:s32
1.0 tid=7 pid=5 x:a pid=9
1.1 tid=7 x:b n=1
--- expect
9
5 | a
5 | b

=== a_timer_at_the_end_of_time
--- query
every 2000s | count; x:a | count
--- events
event x:a n:s64
1.0 tid=1 x:a n=1
18446744000.0 tid=1 x:a n=1
18446744073.0 tid=1 x:a n=1
18446744073.1 tid=1 x:a n=1
--- expect
count
100
count
4
