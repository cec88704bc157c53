# expect: duplicate-definition 3:1
def a = sched:sched_switch;
def a = sched:sched_switch;
a | count
