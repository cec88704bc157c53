# system calls: how many, how long, by whom
#
# Question: what does the kernel do for my program?
#
# Counts finished system calls, and with -L adds up their time, by call or with -P
# by process.
#
#     $ culprit syscount -d 5
#     $ culprit syscount -L -i 1 -p 1234
#     $ culprit syscount -P -e ENOENT
#     $ culprit syscount -L --syscall '*stat*'
#
# Columns: EVENT the call, or PID and COMM with -P; COUNT; TOTAL the time in it.
#
# Example:
#
#     $ culprit syscount -L --top 2 -- trouble lazyread 100
#     EVENT    COUNT    TOTAL(us)
#     pread64    100  1449105.743
#     madvise    101   202429.408
#
# 100 calls of pread64 take 1.4 s together.
param latency L: flag "total time of each, too"
param process P: flag "by process instead of by call"
param failed  x: flag "failed calls only"
param errno   e: errno "calls that failed with this only (ENOENT or 2)"
param syscall:   glob "calls of this name only"
param top:       int = 10 "so many rows"

syscall:*
| where event ~ $syscall
| where ret < 0 if $failed
| where ret == -$errno
| count, total = sum(duration) if $latency by event if !$process, pid if $process, comm if $process
| top $top by total if $latency
| top $top by count if !$latency
