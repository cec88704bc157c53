# memory that was allocated and not freed, by stack
#
# Question: is memory short, and who needs it?
#
# Follows allocations from now on and says which are still there at the end (or every so
# often), by the stack that made them, the most bytes last. With -p or -- COMMAND those of the
# program, by malloc, calloc, realloc, reallocarray, posix_memalign, aligned_alloc, memalign,
# valloc and pvalloc, in bytes that were asked for; else those of the kernel.
#
#     $ culprit memleak -d 30 --older 10s
#     $ culprit memleak -p $$ -i 5s -d 60
#     $ culprit memleak --cost -- ls -R /etc
#     $ culprit memleak -p $$ -o /tmp/leak.svg -d 10
#     $ culprit memleak --percpu -d 10
#
# What finds more than --max-open allocations there already is counted as dropped. One function
# may allocate by another (realloc of nothing by malloc): that is one allocation, and `restarted`.
# Each allocation and its free costs the program three traps, from some microseconds to 30 where
# the machine is virtual: docs/benchmarks.md has figures, --cost those of this one.
# Mappings (-M) are also those that malloc makes for what is large; what is unmapped in part
# counts as gone.
#
# Columns: the STACK that allocated; BYTES that are still there; with -P those of whole
# PAGES; COUNT of the allocations.
#
# Example:
#
#     $ culprit memleak --top 1 -O ./calls --older 1ms -- ./calls leak 1000 100
#     bytes = 4.0 KiB, count = 1
#         _IO_file_doallocate [calls]
#         _IO_doallocbuf [calls]
#         _IO_file_overflow [calls]
#         _IO_new_file_xsputn [calls]
#         __vfprintf_internal [calls]
#         printf [calls]
#         main [calls]
#
# Innermost first (cut): 4 KiB are printf's buffer, which stays, but does not grow. With -i a leak does.
param older:      duration = 500ms "only those that are at least so old"
param smallest z: size "only allocations of at least this"
param largest  Z: size "only allocations of at most this"
param pages    P: flag "of the kernel: whole pages, too"
param mappings M: flag "of a program: what it maps (mmap, mremap), too"
param percpu:     flag "of the kernel: the memory that each CPU has of its own, too"
param top:        int = 10 "the largest so many only"
param object   O: source = "libc.so" "the library, or the static program, that allocates"

# What only some libraries have is another name of what all have: it is asked for once.
from (kmem:kmalloc where ptr != 0 && bytes_alloc >= $smallest && bytes_alloc <= $largest on ptr if !$process,
      kmem:kmem_cache_alloc where ptr != 0 && bytes_alloc >= $smallest && bytes_alloc <= $largest on ptr if !$process,
      (percpu:percpu_alloc_percpu where ptr != 0 && bytes_alloc >= $smallest && bytes_alloc <= $largest on ptr
         if $percpu, kmem:mm_page_alloc where page != 0 on page if $pages) if !$process,
      (($object:malloc().return, $object:valloc().return else $object:malloc().return,
        $object:pvalloc().return else $object:malloc().return)
         where ret != 0 && arg0 * 1B >= $smallest && arg0 * 1B <= $largest,
       $object:calloc().return where ret != 0 && arg0 * arg1 * 1B >= $smallest && arg0 * arg1 * 1B <= $largest,
       ($object:realloc().return, $object:memalign().return else $object:realloc().return,
        $object:aligned_alloc().return else $object:realloc().return)
         where ret != 0 && arg1 * 1B >= $smallest && arg1 * 1B <= $largest) on (pid, ret) if $process,
       $object:posix_memalign().return where (ret as s32) == 0 && arg2 * 1B >= $smallest && arg2 * 1B <= $largest
         on (pid, (arg0 as struct llist_node).next) if $process,
       ((syscall:mmap.return where ret > 0 && len >= $smallest && len <= $largest,
         syscall:mremap.return where ret > 0 && new_len >= $smallest && new_len <= $largest)
          on (pid, ret) if $mappings) if $process)
  to (kmem:kfree on ptr if !$process, kmem:kmem_cache_free on ptr if !$process,
      (percpu:percpu_free_percpu on ptr if $percpu, kmem:mm_page_free on page if $pages) if !$process,
      ($object:free().enter, $object:realloc().enter) on (pid, arg0) if $process,
      ((syscall:munmap.enter, syscall:mremap.enter) on (pid, addr) if $mappings) if $process)
| open older $older
| bytes = sum(begin.bytes_alloc) if !$process,
  bytes = sum(begin.event == calloc ? begin.arg0 * begin.arg1 * 1B
              : begin.event in (malloc, valloc, pvalloc) ? begin.arg0 * 1B
              : begin.event == posix_memalign ? begin.arg2 * 1B
              : coalesce(begin.new_len, begin.len, begin.arg1 * 1B)) if $process,
  pages = sum(4KiB << begin.order) if $pages, count
  by stack = begin.kstack if !$process, stack = begin.ustack if $process
| top $top by bytes
| sort bytes
