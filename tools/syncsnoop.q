# sync(2), fsync(2) and similar calls
#
# Question: does this program wait for its files?
#
# One line for each sync, syncfs, fsync, fdatasync, msync, sync_file_range and pwritev2 with RWF_SYNC
# or RWF_DSYNC, with its duration. What io_uring and io_submit sync makes no such call, and a write
# to a file that was opened with O_SYNC or O_DSYNC is a write: they are not shown.
#
#     $ culprit syncsnoop
#     $ culprit syncsnoop --min 10ms
#
# Columns: TIME, PID, COMM, CALL, DURATION.
#
# Example:
#
#     $ culprit syncsnoop -- sh -c 'sync; dd if=/dev/zero of=/mnt/f bs=4k count=9 conv=fsync'
#     TIME         PID     COMM             CALL             DURATION(us)
#     19:38:07.399 543     sync             sync                43617.269
#     19:38:07.817 541     dd               fsync              150052.387
#
# dd waited 0.15 s until the disk had its data. `culprit slow syscall:fsync` shows for what.
param min: duration "only calls of at least this"

syscall:sync, syscall:syncfs, syscall:fsync, syscall:fdatasync, syscall:msync, syscall:sync_file_range,
(syscall:pwritev2 | where (coalesce(flags, 0) & 6) != 0)	# RWF_DSYNC, RWF_SYNC
| where duration >= $min
| print time, pid, comm, call = event, duration
