# kswapd: how long it works
#
# Question: is memory short, and who needs it?
#
# A histogram for each memory node of the time from when kswapd woke until it slept again.
#
#     $ culprit kswapd -d 60
#
# Columns: NODE; the histogram.
#
# Example:
#
#     $ culprit kswapd -d 12
#     (no rows)
#
# Memory was not short: kswapd slept all the time. Rows are runs of it, by memory node.
from vmscan:mm_vmscan_kswapd_wake to vmscan:mm_vmscan_kswapd_sleep keep first
| hist(duration) by node = begin.nid
