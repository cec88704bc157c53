Expressions: 64-bit integers as in C, strings, globs, none.

=== arithmetic
--- query
n:v | print a + b, a - b, a * b, a / b, a % b, -a, a << 2, a >> 1, ~a & 15, a ^ b, (a | b)
--- events
event n:v a:s64 b:s64
1 n:v a=7 b=2
1 n:v a=-7 b=2
--- expect
9 | 5 | 14 | 3 | 1 | -7 | 28 | 3 | 8 | 5 | 7
-5 | -9 | -14 | -3 | -1 | 7 | -28 | -4 | 6 | -5 | -5

=== unsigned_arithmetic
--- query
n:v | print a / b, a % b, a >> 60, a > b
--- events
event n:v a:u64 b:u64
1 n:v a=18446744073709551615 b=16
--- expect
1152921504606846975 | 15 | 15 | 1

=== division_by_zero
--- query
n:v | print a / b, a % b
--- events
event n:v a:s64 b:s64
1 n:v a=7 b=0
1 n:v a=8 b=4
--- expect
0 | 0
2 | 0
! divisions by zero 2

=== the_smallest_number
--- query
n:v | print a / b, a % b, -a, abs(a)
--- events
event n:v a:s64 b:s64
1 n:v a=-9223372036854775808 b=-1
--- expect
-9223372036854775808 | 0 | -9223372036854775808 | -9223372036854775808

=== narrow
--- query
n:v | print a as u8, a as s8, a as s32, a as u16
--- events
event n:v a:s64
1 n:v a=0x1ffffff80
--- expect
128 | -128 | -128 | 65408

=== conditions
--- query
n:v | print a > 1 ? "big" : "small", a in (1, 3, 5), a == 1 || b == 2, !(a == 1 && b == 2), min(a, b), max(a, b)
--- events
event n:v a:s64 b:s64
1 n:v a=1 b=2
1 n:v a=3 b=-4
--- expect
"small" | 1 | 1 | 0 | 1 | 2
"big" | 1 | 0 | 1 | -4 | 3

=== strings
--- query
n:v | where s == "yes" || comm ~ "ca*" | print s, comm
--- events
event n:v s:string
1 tid=1 comm=bash n:v s="yes"
1 tid=2 comm=cat n:v s="no"
1 tid=3 comm=bash n:v s="yesterday"
1 tid=4 comm=ca n:v s=""
1 tid=5 comm=scat n:v s="ye"
--- expect
"yes" | "bash"
"no" | "cat"
"" | "ca"

=== globs
--- query
n:v | where s ~ "a?c*e" | print s
--- events
event n:v s:string
1 n:v s="abce"
1 n:v s="abcde"
1 n:v s="abcd"
1 n:v s="ace"
1 n:v s="a*c?e"
1 n:v s="abceee"
1 n:v s=""
--- expect
"abce"
"abcde"
"a*c?e"
"abceee"

=== long_strings_are_cut
--- query
n:v | print str(s, 8)
--- events
event n:v s:cstr
1 n:v s="0123456789"
1 n:v s="0123456"
--- expect
"0123456"
"0123456"
! cut 1

=== strings_of_a_begin_are_cut
The mark that there was more is behind what is kept, however many bytes that are.
--- query
from n:v to n:w on 1 | print str(begin.s, 5), str(begin.s, 8), coalesce(str(begin.s, 5), "none")
--- events
event n:v s:cstr
event n:w
1 n:v s="0123456789"
2 n:w
3 n:v s="0123"
4 n:w
--- expect
"0123" | "0123456" | "0123"
"0123" | "0123" | "0123"
! cut 3

=== none_in_conditions
Every comparison with none is false.
--- query
n:a, n:b | where x > 5 || !(x > 5) && y == 1 | print event, x, y
--- events
event n:a x:s32 y:s32
event n:b y:s32
1 n:a x=6 y=1
1 n:a x=5 y=1
1 n:a y=1
1 n:b y=1
1 n:b y=2
--- expect
a | 6 | 1
a | 5 | 1
a | - | 1
b | - | 1

=== enums
--- query
n:v | where st in (disk, sleeping) && t != TCP_CLOSE | print st, t
--- events
enum tcp TCP_ESTABLISHED=1 TCP_CLOSE=7
event n:v st:state t:tcp
1 n:v st=disk t=TCP_ESTABLISHED
1 n:v st=disk t=TCP_CLOSE
1 n:v st=running t=TCP_ESTABLISHED
1 n:v st=sleeping t=9
--- expect
disk | TCP_ESTABLISHED
sleeping | 9

=== durations_and_sizes
--- query
from n:a to n:b | where duration >= 1ms && end.bytes < 4KiB | print duration, end.bytes, duration / 1us
--- events
event n:a
event n:b bytes:size
1.000 tid=1 n:a
1.001 tid=1 n:b bytes=4095
2.000 tid=1 n:a
2.000999 tid=1 n:b bytes=1
3.000 tid=1 n:a
3.5 tid=1 n:b bytes=4096
--- expect
1000000 | 4095 | 1000

=== bucket
--- query
n:v | count by bucket(a)
--- events
event n:v a:u64
1 n:v a=0
1 n:v a=1
1 n:v a=5
1 n:v a=7
1 n:v a=8
--- expect
bucket(a) | count
0 | 1
1 | 1
4 | 2
8 | 1

=== a_let_of_0_beside_another_operation
--- query
n:v | let a = 100, b = 0 | count by v = a*b+b, w = fd*b+b, m = (max(a*b, b));
n:v | let b = 0 | sum(fd*b+b), max(b*fd+b*fd);
n:v | let a = 100, b = 0 | where a*b == b | count;
n:v | let b = 0, c = 1 | print fd*b+b, b*b+c*b, (b|c)*b+b, b-fd*b-b
--- events
event n:v fd:u32
1 n:v fd=4294967289
2 n:v fd=7
--- expect
0 | 0 | 0 | 0
0 | 0 | 0 | 0
v | w | m | count
0 | 0 | 0 | 2
sum(fd*b+b) | max(b*fd+b*fd)
0 | 0
count
2

=== a_param_of_0_beside_another_operation
--- query
param z: int = 0
n:v | let b = $z | count by v = fd*b+b
--- expect
v | count
0 | 2

=== a_long_text_that_is_compared_alone
It is cut, which nobody sees.
--- query
w:v | print str(k) == str(s), str(s) == str(k), str(p) == "aaa", str(p) in ("b", "aaaa")
--- events
event w:v k:string s:string p:cstr
1.0 w:v k="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" s="baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" p="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
--- expect
0 | 0 | 0 | 0

=== none_matches_nothing
A match is false then, wherever its value goes: it was whatever the row's memory held.
--- query
x:m | let l = s ~ "a*" | print m = s ~ "a*", l, both = (s ~ "a*" ? 1 : 2) + (s ~ "*b" ? 10 : 20);
x:m | count by m = s ~ "a*";
x:m | let l = s ~ "a*" | count, n = count where !l, any(l)
--- events
event x:m n:u32 s:string
1.0 tid=1 x:m n=1 s="ab"
1.1 tid=1 x:m n=2
1.2 tid=1 x:m n=3 s="c"
--- expect
1 | 1 | 11
0 | 0 | 22
0 | 0 | 22
m | count
0 | 2
1 | 1
count | n | any(l)
3 | 2 | 1

=== waker
Made events and traces have no interrupts of their own: it is the thread.
--- query
irq:e | count by who = waker(current.comm)
--- events
event irq:e interrupt n:u32
1.0 tid=1 comm=a irq:e n=1
1.1 tid=1 comm=a irq:e n=2
--- expect
who | count
"a" | 2

=== softirq_of_any_number
A number that is no soft interrupt's has a row, too.
--- query
x:a | count by softirq(4294967296 + 3); x:a | count by softirq(-n) | sort -count
--- events
event x:a n:u8
1.0 tid=1 x:a n=253
1.1 tid=1 x:a n=0
1.2 tid=1 x:a n=253
--- expect
softirq(4294967296+3) | count
4294967299 | 3
softirq(-n) | count
-253 | 2
hi | 1

=== a_range_of_characters_is_not_its_dash
--- query
x:a | where name ~ "[a-c]*" | print name
--- events
event x:a name:comm
1.0 tid=1 x:a name=bird
1.1 tid=1 x:a name="-x"
1.2 tid=1 x:a name=cat
1.3 tid=1 x:a name=dog
--- expect
"bird"
"cat"
