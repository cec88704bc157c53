# expect: span-needs-parens 3:1
# expect: span-needs-parens 4:31
from a:b to a:c on k, sched:sched_switch | count;
syscall:read | split f(), l = from a:b to a:c on k, g() | print parts
