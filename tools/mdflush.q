# software RAID: who flushes it
#
# Question: is the disk slow?
# Instead: `culprit syncsnoop`: who calls sync and fsync
#
# One line for each flush request to a device of md (software RAID).
#
#     $ culprit mdflush
#
# Columns: TIME, PID, COMM, DEVICE.
#
# Example:
#
#     $ culprit mdflush
#     culprit: mdflush does not work here: this kernel cannot trace its functions: it has neither kprobes nor fentry
#     help: instead: `culprit syncsnoop`: who calls sync and fsync
#
# This kernel lacks what the tool needs; the help says what to use instead.
md_flush_request().enter
| print time, pid, comm, device = bio.bi_bdev.bd_disk.disk_name
