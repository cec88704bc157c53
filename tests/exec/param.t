Parameters whose text is a piece of the program.

=== expression
--- query
param filter: expression = "n > 0 && k == 7"
x:a | where $filter | sum(n)
--- events
event x:a k:u32 n:s64
1.0 tid=1 x:a k=7 n=10
1.1 tid=1 x:a k=8 n=-3
1.2 tid=1 x:a k=7 n=5
--- expect
sum(n)
15

=== expression_inside
It is one operand, whatever it is made of.
--- query
param value: expression = "n + k"
x:a | where k == 7 || !$value | sum($value * 2), count where $value > 0 by k
--- expect
k | sum($value*2) | count
7 | 58 | 2

=== expression_not_given
--- query
param filter: expression
x:a | where n > 0 && $filter | where !$filter | count
--- expect
count
2

=== in_a_definition
--- query
param filter: expression = "n < 0"
def low = x:a | where $filter
low | count by k
--- expect
k | count
8 | 1

=== query_without_source
Conditions leave it none: the others stay.
--- query
param more: flag
x:a if $more | count; x:a | sum(n)
--- expect
sum(n)
12

=== no_query_with_a_source
--- query
param more: flag
x:a if $more | count; x:b if $more | count
--- expect
culprit: query:2:1: no query has a source left: their 'if' excludes all of them [no-event]
  x:a if $more | count; x:b if $more | count
  ^~~~~~~~~~~~~~~~~~~~

=== columns
--- query
param show: columns = "n, double = n * 2"
x:a | print k, $show
--- expect
7 | 10 | 20
8 | -3 | -6
7 | 5 | 10

=== columns_not_given
--- query
param show: columns
x:a | print k, $show
--- expect
7
8
7

=== columns_with_a_format
The columns are the same: only text is made by the format.
--- query
param show: columns = "\"n is %d\", n"
x:a | print "%d: ", k, $show
--- expect
7 | 10
8 | -3
7 | 5

=== a_bare_number_has_the_unit_of_the_default
--- query
param min:  duration = 10ms
param most: duration = 1us
param any:  duration
from x:a to x:b on k | where duration >= $min || duration <= $most | count, any = count where duration >= $any
--- options
$min=2 $most=1.5 $any=3
--- events
event x:a k:u32 n:s64
event x:b k:u32
1.0 tid=1 x:a k=1 n=1
1.001 tid=1 x:b k=1
2.0 tid=1 x:a k=2 n=1
2.002 tid=1 x:b k=2
3.0 tid=1 x:a k=3 n=1
3.0000015 tid=1 x:b k=3
4.0 tid=1 x:a k=4 n=1
7.0 tid=1 x:b k=4
--- expect
count | any
3 | 1

=== percentiles
100 is the largest value, which is exact.
--- query
param ranks: percentiles
param none:  percentiles
p:v | duration = $ranks(n), $none(n), count
--- options
$ranks=50,99.9,100
--- events
event p:v n:u32
1.0 tid=1 p:v n=1
1.1 tid=1 p:v n=3
1.2 tid=1 p:v n=1003
--- expect
p50 | p99.9 | p100 | count
3 | 1003 | 1003 | 3

=== text_given
Of 8 bytes: with its end it has 9.
--- query
param text: string = "no"
x:a | where n > 0 | print $text, k;
x:a | where n > 0 | count by text = $text
--- options
$text=abcdefgh
--- events
event x:a k:u32 n:s64
1.0 tid=1 x:a k=7 n=10
--- expect
"abcdefgh" | 7
text | count
"abcdefgh" | 1
