# memory compaction: who waits for it
#
# Question: is memory short, and who needs it?
#
# One line for each compaction of a zone.
#
#     $ culprit compactsnoop
#     $ culprit compactsnoop -e --min 1ms
#
# Columns: TIME, COMM, PID, NODE, ZONE, ORDER (2^ORDER pages are wanted; -1: compact all), SYNC
# (whether it may wait), LATENCY, STATUS (success: there is such a block now; complete: the whole zone
# was looked at; partial_skipped: not all of it; contended: broken off; ...); with -e of
# the zone at the end FRAGMENTATION (the kernel's index: -1000 where a block of ORDER is free, else from 0, memory
# is short, to 1000, it is in pieces; 0 if ORDER is -1), FREE pages, and the watermarks MIN, LOW and HIGH; with -K
# the STACK.
#
# Example:
#
#     $ culprit compactsnoop -- sh -c 'echo 1 >/proc/sys/vm/compact_memory'
#     TIME         COMM             PID         NODE ZONE                        ORDER SYNC   LATENCY(us) STATUS
#     20:01:30.954 sh               405            0 DMA                            -1 true     13745.489 complete
#     20:01:31.756 sh               405            0 DMA32                          -1 true    780663.757 complete
#
# Started by hand (ORDER -1). A program that needs large pages would also have waited 0.8 s.
param extended e: flag     "show the fragmentation index, free pages and watermarks, too"
param kernel   K: flag     "show the kernel's stack, too"
param min:        duration "only compactions of at least this"

from compaction:mm_compaction_begin to compaction:mm_compaction_end
| where duration >= $min
# As the kernel's fragmentation_index(): of the zone's free blocks of each order.
| let zone = end.cc.zone, order = begin.cc.order
| let blocks = zone.free_area[0].nr_free + zone.free_area[1].nr_free + zone.free_area[2].nr_free
              + zone.free_area[3].nr_free + zone.free_area[4].nr_free + zone.free_area[5].nr_free
              + zone.free_area[6].nr_free + zone.free_area[7].nr_free + zone.free_area[8].nr_free
              + zone.free_area[9].nr_free + zone.free_area[10].nr_free,
      pages = zone.free_area[0].nr_free + (zone.free_area[1].nr_free << 1) + (zone.free_area[2].nr_free << 2)
              + (zone.free_area[3].nr_free << 3) + (zone.free_area[4].nr_free << 4)
              + (zone.free_area[5].nr_free << 5) + (zone.free_area[6].nr_free << 6)
              + (zone.free_area[7].nr_free << 7) + (zone.free_area[8].nr_free << 8)
              + (zone.free_area[9].nr_free << 9) + (zone.free_area[10].nr_free << 10),
      fitting = (order <= 0 ? zone.free_area[0].nr_free << (0 - order) : 0)
              + (order <= 1 ? zone.free_area[1].nr_free << (1 - order) : 0)
              + (order <= 2 ? zone.free_area[2].nr_free << (2 - order) : 0)
              + (order <= 3 ? zone.free_area[3].nr_free << (3 - order) : 0)
              + (order <= 4 ? zone.free_area[4].nr_free << (4 - order) : 0)
              + (order <= 5 ? zone.free_area[5].nr_free << (5 - order) : 0)
              + (order <= 6 ? zone.free_area[6].nr_free << (6 - order) : 0)
              + (order <= 7 ? zone.free_area[7].nr_free << (7 - order) : 0)
              + (order <= 8 ? zone.free_area[8].nr_free << (8 - order) : 0)
              + (order <= 9 ? zone.free_area[9].nr_free << (9 - order) : 0)
              + (order <= 10 ? zone.free_area[10].nr_free << (10 - order) : 0)
| let fragmentation = (order < 0 || blocks == 0 ? 0 : fitting != 0 ? -1000
                       : 1000 - (1000 + (pages * 1000 >> order)) / blocks) as s64
| print time, comm, pid, node = begin.cc.zone.node, zone = begin.cc.zone.name, order, sync = begin.sync,
        latency = duration,
        status = end.status == COMPACT_SUCCESS ? "success" : end.status == COMPACT_COMPLETE ? "complete"
                 : end.status == COMPACT_PARTIAL_SKIPPED ? "partial_skipped" : end.status == COMPACT_CONTENDED ? "contended"
                 : end.status == COMPACT_SKIPPED ? "skipped" : end.status == COMPACT_DEFERRED ? "deferred"
                 : end.status == COMPACT_NO_SUITABLE_PAGE ? "no_suitable_page"
                 : end.status == COMPACT_NOT_SUITABLE_ZONE ? "not_suitable_zone" : "continue",
        fragmentation = fragmentation if $extended,
        free = end.cc.zone.vm_stat[0].counter if $extended, min = end.cc.zone._watermark[0] if $extended,
        low = end.cc.zone._watermark[1] if $extended, high = end.cc.zone._watermark[2] if $extended,
        stack = begin.kstack if $kernel
