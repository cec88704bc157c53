# direct reclaim: who had to free memory itself
#
# Question: is memory short, and who needs it?
#
# One line for each time that an allocation had to free pages before it went on.
#
#     $ culprit drsnoop
#     $ culprit drsnoop -U --min 1ms
#
# Columns: TIME, with -U UID, COMM, PID, LATENCY, ORDER (2 to its power pages were wanted), PAGES that were freed;
# with -e FREE pages of memory node 0 at its end.
#
# Example:
#
#     $ culprit drsnoop --comm dd
#     TIME         COMM             PID      LATENCY(us)    ORDER    PAGES
#     14:23:17.629 dd               7160          67.252        0      256
#     14:23:17.656 dd               7160       27039.357        0      256
#
# dd writes a file in a memory cgroup at its limit. Mostly 256 pages (1 MB) are free within 70 us;
# once it waits 27 ms for them.
param show_uid U: flag     "the user, too"
param extended e: flag     "free pages, too"
param min:        duration "those that took longer only"

from (vmscan:mm_vmscan_direct_reclaim_begin, vmscan:mm_vmscan_memcg_reclaim_begin)
  to (vmscan:mm_vmscan_direct_reclaim_end, vmscan:mm_vmscan_memcg_reclaim_end)
| where duration >= $min
| let node = (begin.task.cgroups.subsys[memory_cgrp_id] as struct mem_cgroup).nodeinfo[0].lruvec.pgdat if $extended
| print time, uid if $show_uid, comm, pid, latency = duration, order = begin.order, pages = end.nr_reclaimed,
        free = node.node_zones[0].vm_stat[NR_FREE_PAGES].counter + node.node_zones[1].vm_stat[NR_FREE_PAGES].counter
             + node.node_zones[2].vm_stat[NR_FREE_PAGES].counter + node.node_zones[3].vm_stat[NR_FREE_PAGES].counter
               if $extended
