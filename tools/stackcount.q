# who calls a function, by stack
#
# Question: how often is this function called, and how slow is it?
#
# Counts the stacks with which a function is called or an event happens, the most frequent last.
#
#     $ culprit stackcount vfs_fsync -d 10
#     $ culprit stackcount sched:sched_process_exec -P
#     $ culprit stackcount syscall:openat -p 1234 -d 5
#     $ culprit stackcount libc.so:getenv -U -d 5
#
# Columns: with -P PID and COMM, STACK, COUNT.
#
# Example:
#
#     $ culprit stackcount exceptions:page_fault_kernel -K --top 1 -- trouble lazyread 100
#     count = 102400
#         exc_page_fault
#         asm_exc_page_fault
#         _copy_to_iter
#         copy_page_to_iter
#         shmem_file_read_iter
#         vfs_read
#         __x64_sys_pread64
#         do_syscall_64
#         entry_SYSCALL_64_after_hwframe
#
# Innermost first: the page faults happen while pread64 copies data.
param source:      source "what to count: vfs_read, libc.so:malloc, a tracepoint, syscall:read"
param processes P: flag "a row for each process"
param kernel    K: flag "only the kernel's part of the stack"
param user      U: flag "only the program's part of the stack"
param top:         int "show only the N most frequent"

$source().enter else $source
| comm = last(comm) if $processes, count by pid if $processes, stack = $kernel ? kstack : $user ? ustack : stack
| top $top if $top
| sort count
