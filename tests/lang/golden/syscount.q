# syscount, with its options -L, -P, -x, -e
param latency L: flag "total time of each, too"
param process P: flag "by process instead of by call"
param failed  x: flag "failed calls only"
param errno   e: errno "calls that failed with this only"
syscall:* | where ret < 0 if $failed | where ret == -$errno
| count, total = sum(duration) if $latency by event if !$process, pid if $process, comm if $process
| top 10 by total if $latency | top 10 by count if !$latency
