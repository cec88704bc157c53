# how well the page cache works, by process
#
# Question: are reads served from memory or from the disk?
# Instead: `culprit run 'filemap:mm_filemap_add_to_page_cache | count by comm | every 5s'`: pages that were not in memory
#
# Like cachestat, for each process, every 5 seconds.
#
#     $ culprit cachetop 5
#
# Columns: PID, COMM, with --cgroups CGROUP, ACCESSED, DIRTIES, ADDED, TOTAL (reads), MISSES, HITS, RATIO (HITS / TOTAL).
#
# Example:
#
#     $ culprit cachetop 60 -- dd if=/dev/vda of=/dev/null bs=4k count=100
#     PID  COMM  ACCESSED  DIRTIES  ADDED  TOTAL  MISSES  HITS   RATIO
#     127  dd         669        0    151    669     151   518  0.7743
#
# dd reads 100 pages of a disk that are not in memory; the other misses are of its program and libraries, or read ahead.
param cgroups: flag "a row for each cgroup, too"

(folio_mark_accessed().enter else mark_page_accessed().enter | let what = 0),
(mark_buffer_dirty().enter | let what = 1),
(filemap_add_folio().enter else add_to_page_cache_lru().enter | let what = 2)
| comm = last(comm), accessed = count where what == 0, dirties = count where what == 1, added = count where what == 2
  by pid, cgroup if $cgroups
| let total = max(accessed - dirties, 0)
| let misses = min(added, total)
| let hits = total - misses
| let ratio = hits / total
| top 20 by total
| print pid, comm, cgroup if $cgroups, accessed, dirties, added, total, misses, hits, ratio
| every 5s
