# page faults by process
#
# Question: is memory short, and who needs it?
#
# Page faults of each process, and how many of them happened in the kernel, for example when a
# read(2) fills a buffer that was never touched.
#
#     $ culprit faults -i 1
#     $ culprit faults -U -d 10 -o /tmp/faults.svg
#
# Columns: COMM, without -N PID, with --cgroups CGROUP, with -K and -U the stack, FAULTS (all), KERNEL (those in the kernel).
#
# Example:
#
#     $ culprit faults -- trouble lazyread 100
#     COMM     PID   FAULTS  KERNEL
#     trouble  6381  102428  102404
#     culprit  6381       2       0
#
# Nearly all faults are in the kernel (KERNEL): read(2) copies to pages that are not in memory.
param top:      int = 20 "show at most N rows"
param cgroups:  flag     "a row for each cgroup"
param names  N: flag     "a row for each program's name, not each process"
param kernel K: flag     "a row for each stack of the kernel"
param user   U: flag     "a row for each stack of the program"

exceptions:page_fault_user, exceptions:page_fault_kernel
| comm = last(comm) if !$names, faults = count, kernel = count where event == page_fault_kernel
  by comm if $names, pid if !$names, cgroup if $cgroups, kstack if $kernel, ustack if $user
| top $top by faults
| print comm, pid if !$names, cgroup if $cgroups, kstack if $kernel, ustack if $user, faults, kernel
