# who allocates memory, by stack
#
# Question: is memory short, and who needs it?
#
# Sums what is asked for while it runs, whether or not it is freed: the rate at which code goes
# through memory. With -p or -- COMMAND what the program asks malloc, calloc and realloc for; else
# what the kernel's allocator gives. The most bytes come last.
#
#     $ culprit allocs -d 10
#     $ culprit allocs -p $$ -d 10 -o /tmp/allocs.svg
#     $ culprit allocs --top 5 -- ls -R /etc
#
# Columns: COMM, the STACK; BYTES; COUNT of the allocations.
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
# Innermost first: work_leak asked malloc 1,000 times, for 64 KiB. What is still there memleak tells.
param smallest z: size "only allocations of at least this"
param top:        int "the largest so many only"
param object   O: source = "libc.so" "the library, or the static program, that allocates"

def kernel = kmem:kmalloc, kmem:kmem_cache_alloc
def program = $object:malloc().enter, $object:calloc().enter, $object:realloc().enter
(kernel if !$process, program if $process)
| let size = bytes_alloc if !$process
| let size = event == calloc ? arg0 * arg1 * 1B : (event == malloc ? arg0 : arg1) * 1B if $process
| where size >= $smallest
| bytes = sum(size), count by comm, stack = kstack if !$process, stack = ustack if $process
| top $top by bytes if $top
| sort bytes
