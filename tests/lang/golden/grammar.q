#!/usr/bin/culprit -f
# Every rule of the grammar that the examples of the language leave out.
#
# Second paragraph.

# not help
param verbose v: flag "more"
param limit: duration = 10ms
param size: size = 4KiB "least"; param low: int = -5
param state: string = "disk"
param which: name = running
param share: real = 0.5
def calls = (vfs_read() if $verbose, vfs_write() | where ret > 0) else ksys_read()
  | where duration > 1us
  | let kb = ret / 1024
def timer = every 1.5ms; def user =
  "/opt/a b:f(int, char)"().enter
calls, /usr/bin/bash:readline(), libc.so:malloc().return, pid:1234:work(),
  usdt:/usr/bin/node:http__server__request, cpu@99hz if !$verbose, page-faults@1, net_*, *, btrfs:*_write*()
| where (flags & 0x3 | mode ^ 0644) << 1 == 0b11 && !(a || b) && name ~ "*.so[0-9]"
| where x in (1, 2, running) ? y >= -1 : ~z != `to` # a comment | count
| where a - b - c * d % e / f >> 2 < 18446744073709551615
| where file.f_inode.i_size[idx + 1].in as u32 == (x as struct tcp_sock).snd_cwnd
| where current.comm == "a\tb\\\"\x41" && via.F == end.ret && `begin` == 1
| sample 10 by (pid, fd)
| sample $n by tid
| first 5 if $verbose
| in calls on key
| in (from a:b to a:c) if !$verbose
| split state
| split state, x = (from a:b to a:c on k) if $verbose, foo()
| open
| open older $limit
| print "x %d", count, l = len if $verbose limit 100/s
| print limit limit 3/s if $verbose
| print "a" == comm
| print ""
| worst 10 by bytes print time, stack
| worst $n
| tree
| print = count, p99.9(duration) where ret < 0 if $verbose, lhist(e, 0, 100, 10) by k = a + b if $verbose, c
| sort -p99.9(duration) | sort name | top $n | top 3 by a.b
| every 1s keep | every $limit if $verbose;
from a:b via c:d on x if $verbose to (e:f where g > 0 on h, i:j) on (k, l) keep first | hist(duration)
