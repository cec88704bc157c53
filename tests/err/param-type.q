# expect: param-type 2:1
param x: colour;
sched:sched_switch | count
