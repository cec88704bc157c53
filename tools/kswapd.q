# kswapd: how long it works
#
# Question: is memory short, and who needs it?
#
# For each memory node a histogram of the time from when kswapd wakes until it sleeps again.
#
#     $ culprit kswapd -d 60
#
# Columns: NODE, the histogram.
#
# Example:
#
#     $ culprit kswapd -d 12
#     (no rows)
#
# Memory was not short: kswapd slept all the time.
from vmscan:mm_vmscan_kswapd_wake to vmscan:mm_vmscan_kswapd_sleep keep first
| hist(duration) by node = begin.nid
