# pages read ahead: are they used?
#
# Question: are reads served from memory or from the disk?
# Instead: `culprit run 'filemap:mm_filemap_add_to_page_cache | count by comm'`: all pages that were read
#
# A histogram of the time from when a page is read ahead until its first use, and the number of unused pages.
#
#     $ culprit readahead -d 10
#
# Columns: the histogram; UNUSED (pages that were not used before the end).
#
# Example:
#
#     $ culprit readahead -- sh -c 'echo 3 >/proc/sys/vm/drop_caches; dd if=/mnt/big of=/dev/null bs=4k'
#          usecs               : count     distribution
#            524 -> 1049       : 4        |                                        |
#           1049 -> 2097       : 91       |*********************                   |
#           2097 -> 4194       : 32       |*******                                 |
#           4194 -> 8389       : 64       |***************                         |
#           8389 -> 16777      : 153      |************************************    |
#          16777 -> 33554      : 168      |****************************************|
#
#     UNUSED
#          0
#
# All 512 pages were used within 34 ms: read-ahead helped. Many UNUSED pages would be wasted work.
def ahead = page_cache_ra_unbounded(), page_cache_ra_order()
def used = (from (filemap_alloc_folio_noprof().return else filemap_alloc_folio().return) where ret != 0 on ret
              to folio_mark_accessed().enter on folio) | in ahead
used | hist(duration);
used | open | unused = count
