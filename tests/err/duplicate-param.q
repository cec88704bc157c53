# expect: duplicate-param 3:1
param x: int;
param x: int;
sched:sched_switch | count
