# pages that are read back from swap
#
# Question: is memory short, and who needs it?
# Instead: `culprit biotop`: reads of the disk that has the swap
#
# Every second how many pages each process had to get back.
#
#     $ culprit swapin
#
# Columns: COMM, PID; COUNT.
#
# Example:
#
#     $ culprit swapin 12 1
#     COMM  PID   COUNT
#     dd    2168    348
#
# dd, in a memory cgroup of 20 MB, wants 24 MB: 348 pages had to come back from the swap.
swap_read_folio().enter else swap_readpage().enter
| count by comm, pid
| every 1s
