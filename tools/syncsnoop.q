# sync(2) and its like as they are called
#
# Question: does this program wait for its files?
#
# One line for each sync, syncfs, fsync, fdatasync, msync and sync_file_range, with how
# long it took.
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
# Who waits until the disk has it all? dd waited 0.15 s. slow syscall:fsync says for what.
param min: duration "those that took longer only"

syscall:sync, syscall:syncfs, syscall:fsync, syscall:fdatasync, syscall:msync, syscall:sync_file_range
| where duration >= $min
| print time, pid, comm, call = event, duration
