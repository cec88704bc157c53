# page faults by process
#
# Question: is memory short, and who needs it?
#
# Page faults of programs, and how many of them the kernel made for them (a read(2) into a buffer
# that was never touched).
#
#     $ culprit faults -i 1
#     $ culprit faults -U -d 10 -o /tmp/faults.svg
#
# Columns: COMM, PID, with -K and -U the stack; FAULTS, KERNEL those in the kernel.
#
# Example:
#
#     $ culprit faults -- trouble lazyread 100
#     COMM     PID   FAULTS  KERNEL
#     trouble  6381  102428  102404
#     culprit  6381       2       0
#
# Nearly all faults are in the kernel (KERNEL): read(2) copies to pages that are not there.
param rows:     int = 20 "so many rows"
param kernel K: flag     "by the kernel's stack, too"
param user   U: flag     "by the program's stack, too"

exceptions:page_fault_user, exceptions:page_fault_kernel
| faults = count, kernel = count where event == page_fault_kernel by comm, pid, kstack if $kernel, ustack if $user
| top $rows by faults
