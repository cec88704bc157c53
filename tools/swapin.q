# pages that are read back from swap
#
# Question: is memory short, and who needs it?
# Instead: `culprit biotop`: shows the reads of the swap's disk
#
# Every second: how many pages each process read back from swap.
#
#     $ culprit swapin
#
# Columns: COMM, PID, COUNT (pages).
#
# Example:
#
#     $ culprit swapin 12 1
#     COMM  PID   COUNT
#     dd    2168    348
#
# dd needs 24 MB in a memory cgroup with a limit of 20 MB: it read 348 pages back from swap.
swap_read_folio().enter else swap_readpage().enter
| comm = last(comm), count by pid
| print comm, pid, count
| every 1s
