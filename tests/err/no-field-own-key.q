# expect: no-field 4:30
# The key that finds a period cannot be asked of that period.
def p = (from sched:sched_waking on pid to sched:sched_switch on next_pid)
sched:sched_switch | in p on p.cred.d | count
