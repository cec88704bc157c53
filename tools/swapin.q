# pages that are read back from swap
#
# Question: is memory short, and who needs it?
#
# Every second: how many pages (or large folios) each process read back from swap. Where the kernel's
# functions can't be traced, the reads of a disk into a page of no file that is not up to date yet are
# counted: without what zswap gave back and what a file system reads for a swap file (NFS).
#
#     $ culprit swapin
#
# Columns: COMM, PID, COUNT (pages).
#
# Example:
#
#     $ culprit swapin 12 1
#     COMM  PID   COUNT
#     dd    2168    348
#
# dd needs 24 MB in a memory cgroup with a limit of 20 MB: it read 348 pages back from swap.
def bio = block:block_bio_queue
          | let page = coalesce(bio.bi_io_vec.bv_page.flags.f, bio.bi_io_vec.bv_page.flags as u64)
          | where (bio.bi_opf & 0xff) == (REQ_OP_READ as u32)
          | where (page & 1 << (PG_swapbacked as u32)) != 0 && (page & 1 << (PG_uptodate as u32)) == 0

swap_read_folio().enter else swap_readpage().enter else bio
| comm = last(current.comm), count by pid = current.pid
| print comm, pid, count
| every 1s
