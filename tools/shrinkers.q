# the kernel's caches: how long shrinking them takes
#
# Question: is memory short, and who needs it?
#
# For each shrinker: how often it was called, how long it took, how many objects it freed.
#
#     $ culprit shrinkers -d 10
#
# Columns: SHRINKER (its function), CALLS, TOTAL and MAX (time), FREED (objects).
#
# Example:
#
#     $ culprit shrinkers -d 6
#     SHRINKER                 CALLS  TOTAL(us)   MAX(us)  FREED
#     deferred_split_scan+0        1   8975.153  8975.153      0
#     kfree_rcu_shrink_scan+0      1    673.943   673.943      1
#     super_cache_scan+0           9    534.039   270.411     22
#
# After drop_caches: file system caches freed 22 objects; another shrinker took 9 ms and freed nothing.
from vmscan:mm_shrink_slab_start to vmscan:mm_shrink_slab_end
| calls = count, total = sum(duration), max = max(duration), freed = sum(end.retval) by shrinker = sym(begin.shrink)
| sort -total
