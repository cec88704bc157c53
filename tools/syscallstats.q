# system calls of each process: count, errors, times
#
# Question: what does the kernel do for my program?
#
# For each process (with --threads each thread) and system call: how many calls returned, how many
# failed, and their shortest, mean and longest time with the standard deviation.
#
#     $ culprit syscallstats -p 1234 -d 5
#     $ culprit syscallstats --threads --top 50
#
# Columns: COMM, PID, with --threads TID, with --cgroups CGROUP, CALL; COUNT, ERRORS, TOTAL, MIN, AVG, MAX, STDDEV.
#
# Example:
#
#     $ culprit syscallstats --top 3 -- dd if=/mnt/file of=/dev/null bs=512
#     COMM     PID  CALL      COUNT  ERRORS  TOTAL(us)    MIN(us)    AVG(us)    MAX(us)  STDDEV(us)
#     dd       542  write       801       0  32552.528      1.142     40.640  13234.213     645.790
#     dd       542  read        801       0  24555.379      1.714     30.656  20114.628     710.218
#     culprit  542  execve        1       0  23690.115  23690.115  23690.115  23690.115       0.000
#
# 1,600 calls for 400 KB: blocks of 512 bytes are too small. A few calls took up to 20 ms (MAX) and raise AVG.
param threads: flag "a row for each thread"
param cgroups: flag "a row for each cgroup, too"
param top: int = 40 "show at most N rows"

syscall:*
| comm = last(comm), count, errors = count where ret < 0, total = sum(duration), min = min(duration), avg = avg(duration),
  max = max(duration), stddev = stddev(duration) by pid, tid if $threads, cgroup if $cgroups, call = event
| top $top by total
| print comm, pid, tid if $threads, cgroup if $cgroups, call, count, errors, total, min, avg, max, stddev
