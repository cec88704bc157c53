# memory that was allocated and not freed, by stack
#
# Question: is memory short, and who needs it?
#
# Follows allocations from now on and shows which are not freed at the end (with -i at the end of
# each interval), by the stack that made them, the largest sum last. With -p or -- COMMAND:
# allocations of the program by malloc, calloc, realloc, reallocarray, posix_memalign,
# aligned_alloc, memalign, valloc and pvalloc, with the sizes asked for. Otherwise: the kernel's.
#
#     $ culprit memleak -d 30 --older 10s
#     $ culprit memleak -p $$ -i 5s -d 60
#     $ culprit memleak --cost -- ls -R /etc
#     $ culprit memleak -p $$ -o /tmp/leak.svg -d 10
#     $ culprit memleak --percpu -d 10
#
# At most --max-open allocations are followed at once; the others count as `dropped`. One function
# may allocate through another (realloc(NULL) calls malloc): this is one allocation, and the second
# begin counts as `restarted`. An allocation and its free cost the program three traps: a few
# microseconds, in a virtual machine up to 30. --cost measures it here. With -- COMMAND every program
# that uses the same libc pays them, with -p only that process. Mappings (-M) include those that
# malloc makes for large blocks. A mapping that is unmapped in part counts as freed.
#
# Columns: STACK (that allocated), BYTES (not freed), with -P PAGES (bytes of whole pages), COUNT
# (allocations).
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
# Innermost first (cut): the 4 KiB are printf's buffer. It stays, but does not grow; with -i a leak grows.
param smallest z: size "only allocations of at least this size"
param largest  Z: size "only allocations of at most this size"
param older:      duration = 500ms "only allocations of at least this age"
param pages    P: flag "kernel: include whole pages"
param mappings M: flag "program: include its mappings (mmap, mremap)"
param percpu:     flag "kernel: include per-CPU memory"
param top:        int = 10 "show only the N largest"
param object   O: source = "libc.so" "the library (or the static program) that allocates"

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
