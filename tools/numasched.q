# threads that are moved to another memory node
#
# Question: is the CPU the bottleneck?
#
# One line for each thread that the scheduler moves to the node of its memory. When it swaps two
# threads, the line shows one of them.
#
#     $ culprit numasched
#
# Columns: TIME, PID, TID and COMM (the thread), FROM_NODE, TO_NODE, FROM_CPU, TO_CPU.
#
# Example:
#
#     $ culprit numasched -d 12
#     TIME         PID     TID     COMM             FROM_NODE  TO_NODE FROM_CPU   TO_CPU
#     20:21:21.291 190     190     dd                       0        1        0        1
#
# dd's memory was on node 1, so dd was moved there. Many such moves mean that its memory is on both nodes.
sched:sched_move_numa, sched:sched_swap_numa
| print time, pid = current.pid, tid = current.tid, comm = current.comm, from_node = src_nid,
        to_node = dst_nid, from_cpu = src_cpu, to_cpu = dst_cpu
