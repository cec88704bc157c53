Queries over made events: each case is a query, the events and what comes out.

Events and options as in src/replay/made.h and exec.c; a case without events takes those of
the case before. Tables begin with their columns' names; `! NAME n` is a counter that is
not zero. Numbers are shown as they are, texts in quotes, `-` is none.

=== count_by_key
--- query
x:a | count, sum(n) by k
--- events
event x:a k:u32 n:s64
1.0 tid=1 x:a k=7 n=10
1.1 tid=1 x:a k=8 n=-3
1.2 tid=1 x:a k=7 n=5
--- expect
k | count | sum(n)
7 | 2 | 15
8 | 1 | -3

=== no_keys
--- query
x:a | count
--- expect
count
3

=== where
--- query
x:a | where n > 0 && k == 7 | sum(n)
--- expect
sum(n)
15

=== print
--- query
x:a | print time, k, n, comm, tid
--- expect
1000000000 | 7 | 10 | - | 1
1100000000 | 8 | -3 | - | 1
1200000000 | 7 | 5 | - | 1
