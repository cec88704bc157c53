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
#     $ culprit cachetop 60 -- sh -c 'echo 3 >/proc/sys/vm/drop_caches; dd if=/mnt/big of=/dev/null bs=4k'
#     PID  COMM     ACCESSED  DIRTIES  ADDED  TOTAL  MISSES  HITS   RATIO
#     221  dd            914        0    513    914     513   401  0.4387
#     221  culprit       251        0      0    251       0   251       1
#
# dd reads a file of 512 pages that is not in memory: 513 misses.
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
