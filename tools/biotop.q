# disk requests by process, the busiest first
#
# Question: is the disk slow?
#
# Every second: the processes whose disk requests completed, the bytes, and how long the
# requests took. Kernel threads issue most writes, long after the write(2).
#
#     $ culprit biotop
#     $ culprit biotop 5 3 --disk sda
#
# Columns: PID and COMM (who issued the requests), with --cgroups CGROUP, KIND (Read, Write, ...), DISK, IO (requests),
# BYTES (read or written), AVERAGE (mean time from issue to completion).
#
# Example:
#
#     $ culprit biotop 1 1
#     PID  COMM          KIND   DISK  IO  BYTES  AVERAGE(us)
#     915  dd            Write  vda    1  81920     6165.603
#     160  jbd2/vda-8    Write  vda    4  25600     3088.265
#     905  chores        Write  vda    3   3072    14578.808
#     453  kworker/0:2H  Flush  vda    6      0     4272.970
#
# dd writes the most. jbd2 is ext4's journal: it writes for programs that call fsync.
param disk: glob     "only this disk"
param cgroups: flag "a row for each cgroup, too"
param top:  int = 20 "show at most N rows"

from block:block_rq_issue to block:block_rq_complete on rq
| where begin.rq.q.disk.disk_name ~ $disk
| comm = last(comm), io = count, bytes = sum(begin.bytes), average = avg(duration)
  by pid, cgroup if $cgroups, kind = reqflags(begin.rq.cmd_flags & 0xff), disk = disk(begin.dev)
| top $top by bytes
| print pid, comm, cgroup if $cgroups, kind, disk, io, bytes, average
| every 1s
