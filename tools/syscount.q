# system calls: how many, how long, by whom
#
# Question: what does the kernel do for my program?
#
# Counts finished system calls, by call or with -P by process. With -L it also adds up their time.
#
#     $ culprit syscount -d 5
#     $ culprit syscount -L -i 1 -p 1234
#     $ culprit syscount -P -e ENOENT
#     $ culprit syscount -L --syscall '*stat*'
#
# Columns: EVENT (the call) or with -P PID and COMM, with --cgroups CGROUP, COUNT, with -L TOTAL (time in the calls).
#
# Example:
#
#     $ culprit syscount -L --top 2 -- trouble lazyread 100
#     EVENT    COUNT    TOTAL(us)
#     pread64    100  1449105.743
#     madvise    101   202429.408
#
# 100 calls of pread64 took 1.4 s in all.
param latency L: flag "show the total time, too"
param process P: flag "a row for each process instead of each call"
param cgroups:   flag "a row for each cgroup"
param failed  x: flag "only failed calls"
param errno   e: errno "only calls that failed with this error (ENOENT or 2)"
param syscall:   glob "only calls of this name"
param top:       int = 10 "show at most N rows"

syscall:*
| where event ~ $syscall
| where ret < 0 if $failed
| where ret == -$errno
| comm = last(comm) if $process, count, total = sum(duration) if $latency
  by event if !$process, pid if $process, cgroup if $cgroups
| top $top by total if $latency
| top $top by count if !$latency
| print event if !$process, pid if $process, comm if $process, cgroup if $cgroups, count, total if $latency
