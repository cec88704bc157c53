# direct reclaim: who had to free memory first
#
# Question: is memory short, and who needs it?
#
# One line for each allocation that had to free pages before it could go on.
#
#     $ culprit drsnoop
#     $ culprit drsnoop -U --min 1ms
#
# Columns: TIME, with -U UID, COMM, PID, LATENCY, ORDER (2^ORDER pages were wanted), PAGES (freed);
# with -e FREE (free pages of memory node 0 at the end).
#
# Example:
#
#     $ culprit drsnoop --comm dd
#     TIME         COMM             PID      LATENCY(us)    ORDER    PAGES
#     14:23:17.629 dd               7160          67.252        0      256
#     14:23:17.656 dd               7160       27039.357        0      256
#
# dd writes a file in a memory cgroup that is at its limit. Mostly it frees 256 pages (1 MB) in
# 70 us; once this takes 27 ms.
param show_uid U: flag     "show the user id, too"
param extended e: flag     "show free pages, too"
param min:        duration "only reclaims of at least this"

from (vmscan:mm_vmscan_direct_reclaim_begin, vmscan:mm_vmscan_memcg_reclaim_begin)
  to (vmscan:mm_vmscan_direct_reclaim_end, vmscan:mm_vmscan_memcg_reclaim_end)
| where duration >= $min
| let node = (begin.task.cgroups.subsys[memory_cgrp_id] as struct mem_cgroup).nodeinfo[0].lruvec.pgdat if $extended
| print time, uid if $show_uid, comm, pid, latency = duration, order = begin.order, pages = end.nr_reclaimed,
        free = node.node_zones[0].vm_stat[NR_FREE_PAGES].counter + node.node_zones[1].vm_stat[NR_FREE_PAGES].counter
             + node.node_zones[2].vm_stat[NR_FREE_PAGES].counter + node.node_zones[3].vm_stat[NR_FREE_PAGES].counter
               if $extended
