# how well the page cache works
#
# Question: are reads served from memory or from the disk?
# Instead: `culprit run 'filemap:mm_filemap_add_to_page_cache | count | every 1s'`: pages that were not in memory
#
# Every second: reads through the page cache, and how many of them missed. Estimated from the
# kernel's counts: reads are accesses less dirtied buffers; misses are added pages less written
# pages.
#
#     $ culprit cachestat
#     $ culprit cachestat 5 12
#
# Columns: the counts ACCESSED, DIRTIES, ADDED, WRITTEN; TOTAL (reads), MISSES (reads that waited
# for a disk), HITS (the other reads), RATIO (HITS / TOTAL); BUFFERS and CACHED (memory).
#
# Example:
#
#     $ culprit cachestat -- sh -c 'for i in 1 2; do dd if=/mnt/big of=/dev/null bs=4k; sleep 1; done'
#     ACCESSED  DIRTIES  ADDED  WRITTEN  TOTAL  MISSES  HITS   RATIO  BUFFERS(bytes)  CACHED(bytes)
#         1223        0    513        0   1223     513   710  0.5805           20480       26480640
#
#     ACCESSED  DIRTIES  ADDED  WRITTEN  TOTAL  MISSES  HITS  RATIO  BUFFERS(bytes)  CACHED(bytes)
#         1345        0      0        0   1345       0  1345      1           20480       26480640
#
# The first time, the file's 512 pages come from the disk (MISSES); the second time, from memory.
table accessed = (folio_mark_accessed().enter else mark_page_accessed().enter | count),
      dirties  = (mark_buffer_dirty().enter | count),
      added    = (filemap_add_folio().enter else add_to_page_cache_lru().enter | count),
      written  = (folio_account_dirtied().enter else account_page_dirtied().enter
                  else writeback:writeback_dirty_folio else writeback:writeback_dirty_page
                  | count)
| let total = max(accessed - dirties, 0)
| let misses = min(max(added - written, 0), total)
| let hits = total - misses
| let ratio = hits / total, buffers = meminfo("Buffers"), cached = meminfo("Cached")
| every 1s
