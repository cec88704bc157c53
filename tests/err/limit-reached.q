# expect: limit-reached 2:22
sched:sched_switch | count by k0 = prev_pid, k1 = prev_pid, k2 = prev_pid, k3 = prev_pid, k4 = prev_pid, k5 = prev_pid, k6 = prev_pid, k7 = prev_pid, k8 = prev_pid, k9 = prev_pid, k10 = prev_pid, k11 = prev_pid, k12 = prev_pid, k13 = prev_pid, k14 = prev_pid, k15 = prev_pid, k16 = prev_pid
