# who allocates memory, by stack
#
# Question: is memory short, and who needs it?
#
# Adds up all memory that is allocated during the run, whether or not it is freed later. With -p
# or -- COMMAND: the sizes that the program passes to malloc, calloc and realloc. Otherwise: what
# the kernel's allocator gives. The largest sum comes last.
#
#     $ culprit allocs -d 10
#     $ culprit allocs -p $$ -d 10 -o /tmp/allocs.svg
#     $ culprit allocs --top 5 -- ls -R /etc
#
# Columns: COMM, STACK, BYTES, COUNT (number of allocations).
#
# Example:
#
#     $ culprit allocs --top 1 -O ./calls -- ./calls leak 1000 100
#     comm = calls
#     bytes = 64.0 KiB, count = 1000
#         malloc [calls]
#         work_leak [calls]
#         main [calls]
#         __libc_start_call_main [calls]
#         __libc_start_main_impl [calls]
#         _start [calls]
#
# Innermost first: work_leak called malloc 1,000 times, for 64 KiB in all. memleak shows what was not freed.
param smallest z: size "only allocations of at least this size"
param top:        int "show only the N largest"
param object   O: source = "libc.so" "the library (or the static program) that allocates"

def kernel = kmem:kmalloc, kmem:kmem_cache_alloc
def program = $object:malloc().enter, $object:calloc().enter, $object:realloc().enter
(kernel if !$process, program if $process)
| let size = bytes_alloc if !$process
| let size = event == calloc ? arg0 * arg1 * 1B : (event == malloc ? arg0 : arg1) * 1B if $process
| where size >= $smallest
| bytes = sum(size), count by comm, stack = kstack if !$process, stack = ustack if $process
| top $top by bytes if $top
| sort bytes
