# disk requests: percentiles of the time they take
#
# Question: is the disk slow?
#
# Every 3 seconds, for each disk and kind of request: percentiles of the latency.
#
#     $ culprit biolatpcts
#     $ culprit biolatpcts --disk sda 1
#     $ culprit biolatpcts -P 50,99,99.9 -Q
#
# Columns: DISK, KIND, COUNT, P50, P75, P90, P95, P99, P100, or the percentiles that -P names. P50:
# 50% of the requests took at most this time. The error is at most 1/16.
#
# Example:
#
#     $ culprit biolatpcts 6 1
#     DISK  KIND     COUNT  P50(us)±6.25%  P75(us)±6.25%  P90(us)±6.25%  P95(us)±6.25%  P99(us)±6.25%   P100(us)
#     vda   Read       238        368.639        499.711        540.671        540.671        573.439   1652.363
#     vda   Write      189        466.943        770.047       1081.343       1081.343       1277.951   1251.085
#     vda   Flush        2      10223.615      11796.479      11796.479      11796.479      11796.479  11779.102
#
# Reads are steady: half take 0.4 ms, 99% at most 0.6 ms. Only flushes are slow: each fsync waits 10 ms for one.
param percentiles P: percentiles = "50,75,90,95,99,100" "the percentiles to show"
param queued      Q: flag "include the time that requests are queued in the kernel"
param disk:          glob "only this disk"

from (block:block_rq_insert if $queued,
      block:block_rq_issue where !($queued && rq.q.elevator)) to block:block_rq_complete on rq
| where begin.rq.q.disk.disk_name ~ $disk
| count, $percentiles(duration) by disk = disk(begin.dev), kind = reqflags(begin.rq.cmd_flags & 0xff)
| every 3s
