# software RAID: who flushes it
#
# Question: is the disk slow?
# Instead: `culprit syncsnoop`: who asks for it
#
# One line for each flush that a device of md is asked for.
#
#     $ culprit mdflush
#
# Columns: TIME, PID, COMM, DEVICE.
#
# Example:
#
#     $ culprit mdflush
#     culprit: mdflush does not work here: this kernel cannot trace its functions: it has neither kprobes nor fentry
#     help: instead: `culprit syncsnoop`: who asks for it
#
# A kernel without what the tool needs, and what to use instead. Elsewhere: a line for each flush.
md_flush_request().enter
| print time, pid, comm, device = bio.bi_bdev.bd_disk.disk_name
