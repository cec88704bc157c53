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
# was looked at; partial_skipped: not all of it; contended: broken off; ...); with -e FREE (pages of the zone at the end) and the zone's
# watermarks MIN, LOW and HIGH; with -K the STACK.
#
# Example:
#
#     $ culprit compactsnoop -- sh -c 'echo 1 >/proc/sys/vm/compact_memory'
#     TIME         COMM             PID         NODE ZONE                        ORDER SYNC   LATENCY(us) STATUS
#     20:01:30.954 sh               405            0 DMA                            -1 true     13745.489 complete
#     20:01:31.756 sh               405            0 DMA32                          -1 true    780663.757 complete
#
# Started by hand (ORDER -1). A program that needs large pages would also have waited 0.8 s.
param extended e: flag     "show free pages, too"
param kernel   K: flag     "show the kernel's stack, too"
param min:        duration "only compactions of at least this"

from compaction:mm_compaction_begin to compaction:mm_compaction_end
| where duration >= $min
| print time, comm, pid, node = begin.cc.zone.node, zone = begin.cc.zone.name, order = begin.cc.order, sync = begin.sync,
        latency = duration,         status = end.status == COMPACT_SUCCESS ? "success" : end.status == COMPACT_COMPLETE ? "complete"
                 : end.status == COMPACT_PARTIAL_SKIPPED ? "partial_skipped" : end.status == COMPACT_CONTENDED ? "contended"
                 : end.status == COMPACT_SKIPPED ? "skipped" : end.status == COMPACT_DEFERRED ? "deferred"
                 : end.status == COMPACT_NO_SUITABLE_PAGE ? "no_suitable_page"
                 : end.status == COMPACT_NOT_SUITABLE_ZONE ? "not_suitable_zone" : "continue",
        free = end.cc.zone.vm_stat[0].counter if $extended, min = end.cc.zone._watermark[0] if $extended,
        low = end.cc.zone._watermark[1] if $extended, high = end.cc.zone._watermark[2] if $extended,
        stack = begin.kstack if $kernel
