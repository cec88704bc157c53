System calls: periods from entry to return, their ends as events, wildcards.

=== count_by_event
--- query
syscall:* | count by event
--- events
syscall read fd:s32 buf:ptr count:u64
syscall openat dfd:s32 filename:cstr flags:s32
syscall open filename:cstr flags:s32
syscall exit_group code:s32
syscall rt_sigreturn
1.000 tid=10 pid=10 comm=cat syscall:openat.enter dfd=-100 filename="/etc/x" flags=0
1.001 tid=10 syscall:openat.return ret=3
1.002 tid=10 syscall:read.enter fd=3 count=4096
1.003 tid=11 pid=10 comm=two syscall:read.enter fd=4 count=10
1.005 tid=10 syscall:read.return ret=100
1.009 tid=11 syscall:read.return ret=-11
1.010 tid=10 syscall:open.enter filename="/etc/y"
1.013 tid=10 syscall:open.return ret=-2
1.014 tid=10 syscall:exit_group.enter code=0
--- expect
event | count
read | 2
open | 1
openat | 1

=== depth_is_0
--- query
syscall:read | where depth == 0 | count, max(depth)
--- expect
count | max(depth)
2 | 0

=== time_by_event
--- query
syscall:* | n = count, total = sum(duration), longest = max(duration) by event
--- expect
event | n | total | longest
read | 2 | 9000000 | 6000000
open | 1 | 3000000 | 3000000
openat | 1 | 1000000 | 1000000

=== failed
--- query
syscall:* | where ret < 0 | count by event, errno(ret)
--- expect
event | errno(ret) | count
read | 11 | 1
open | 2 | 1

=== part_of_the_rows
--- query
syscall:read | count, bytes = sum(ret) where ret > 0, errors = count where ret < 0
--- expect
count | bytes | errors
2 | 100 | 1

=== opensnoop
--- query
syscall:open, syscall:openat | where ret < 0 | print pid, comm, errno(ret), str(filename)
--- expect
10 | "cat" | 2 | "/etc/y"

=== parameters_are_those_of_the_entry
--- query
syscall:read | print tid, fd, count, ret
--- expect
10 | 3 | 4096 | 100
11 | 4 | 10 | -11

=== enter
--- query
syscall:read.enter | count by fd
--- expect
fd | count
3 | 1
4 | 1

=== return_knows_the_parameters
--- query
syscall:read.return | print fd, ret
--- expect
3 | 100
4 | -11

=== a_glob
--- query
syscall:open* | count by event
--- expect
event | count
open | 1
openat | 1

=== a_string_that_was_absent_at_entry
--- query
syscall:open | print str(filename), ret
--- events
syscall open filename:cstr flags:s32
1.0 tid=1 syscall:open.enter filename=0x7fff0000
1.1 tid=1 syscall:open.return ret=-14
1.2 tid=1 syscall:open.enter filename="there"
1.3 tid=1 syscall:open.return ret=4
--- expect
"<absent>" | -14
"there" | 4
! absent 1

=== a_null_pointer_has_no_string
It is no loss, not a text, and a key that pairs with nothing.
--- query
syscall:open | print str(filename), coalesce(str(filename), "none"), ret, str(filename) == "there";
syscall:open.enter | count by str(filename);
from syscall:open.enter to syscall:open.return on str(filename) | count
--- events
syscall open filename:cstr flags:s32
1.0 tid=1 syscall:open.enter filename=0
1.1 tid=1 syscall:open.return ret=-14
1.2 tid=1 syscall:open.enter filename="there"
1.3 tid=1 syscall:open.return ret=4
--- expect
- | "none" | -14 | 0
"there" | "there" | 4 | 1
str(filename) | count
- | 1
"there" | 1
count
1

=== coalesce_of_a_duration_and_a_number
A literal becomes what the other is; of two kinds none is left out in silence.
--- query
syscall:open | print coalesce(duration, 0)
--- expect
100000000
100000000

=== coalesce_of_a_text_and_a_number
--- query
syscall:open | print coalesce(str(filename), ret)
--- expect
culprit: query:1:22: a string does not go together with an integer [type-mismatch]
  syscall:open | print coalesce(str(filename), ret)
                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
help: a text is no number: write -ENOENT, SIGTERM or 0x40 without quotes, or a function that names it, as errno(ret) (culprit help functions)

=== nested_signal
A signal's handler runs between two calls; rt_sigreturn's return is none of its own.
--- query
syscall:* | count, sum(duration) by event
--- events
syscall read fd:s32
syscall write fd:s32
syscall rt_sigreturn
1.0 tid=1 syscall:read.enter fd=3
1.1 tid=1 syscall:read.return ret=-512
1.2 tid=1 syscall:write.enter fd=1
1.3 tid=1 syscall:write.return ret=1
1.4 tid=1 syscall:rt_sigreturn.enter
1.4 tid=1 syscall:rt_sigreturn.return ret=-4
1.5 tid=1 syscall:read.enter fd=3
1.9 tid=1 syscall:read.return ret=1
--- expect
event | count | sum(duration)
read | 2 | 500000000
write | 1 | 100000000
rt_sigreturn | 1 | 0

=== rt_sigreturn_returns_nothing
What stands there at its end is the register of the program that goes on.
--- query
syscall:* | print event, ret, tid + ret
--- events
syscall read fd:s32
syscall rt_sigreturn
1.0 tid=1 syscall:rt_sigreturn.enter
1.1 tid=1 syscall:rt_sigreturn.return ret=-4
1.2 tid=1 syscall:read.enter fd=3
1.3 tid=1 syscall:read.return ret=-4
--- expect
rt_sigreturn | - | -
read | -4 | -3

=== a_child_ended_no_fork
It returns 0 from what its parent began; another call's 0 is a return alone.
--- query
syscall:* | count by event
--- events
syscall read fd:s32
syscall clone flags:u64
1.0 tid=1 syscall:clone.enter flags=0
1.1 tid=2 syscall:clone.return ret=0
1.2 tid=1 syscall:clone.return ret=2
1.3 tid=3 syscall:read.return ret=0
--- expect
event | count
read | 1
clone | 1

=== a_return_without_its_entry
--- query
syscall:read | count, sum(duration)
--- events
syscall read fd:s32
1.0 tid=1 syscall:read.return ret=1
1.1 tid=1 syscall:read.enter fd=3
1.3 tid=1 syscall:read.return ret=1
--- expect
count | sum(duration)
2 | 200000000

=== a_return_alone_is_a_call
However much is asked, it is as many calls; what only its entry would tell is none.
--- query
syscall:read | count;
syscall:read | count by fd, comm;
syscall:read | where !(duration > 1s) | count, min(begin.time), max(duration), n = count where fd > 0;
syscall:read | where duration < 1s | print tid, fd, ret, duration
--- events
syscall read fd:s32
1.0 tid=1 comm=a syscall:read.return ret=1
1.1 tid=1 comm=a syscall:read.enter fd=3
1.3 tid=1 comm=a syscall:read.return ret=2
--- expect
1 | 3 | 2 | 200000000
count
2
fd | comm | count
- | "a" | 1
3 | "a" | 1
count | min(begin.time) | max(duration) | n
2 | 1100000000 | 200000000 | 1

=== what_is_left_out_early_is_no_return_alone
--- query
syscall:read | where fd == 3 && pid == 1 | count, max(duration);
syscall:read | where !(fd == 4) | count, max(duration)
--- events
syscall read fd:s32
1.0 pid=1 tid=1 syscall:read.return ret=1
1.1 pid=1 tid=1 syscall:read.enter fd=3
1.3 pid=1 tid=1 syscall:read.return ret=2
1.4 pid=1 tid=1 syscall:read.enter fd=4
1.5 pid=1 tid=1 syscall:read.return ret=2
--- expect
count | max(duration)
1 | 200000000
count | max(duration)
2 | 200000000

=== what_changes_inside_a_call_makes_no_return_alone
setuid: at its begin the user was another.
--- query
syscall:setuid | where uid == 0 | count, max(duration);
syscall:setuid | count by uid, comm
--- events
syscall setuid
1.0 tid=1 comm=a uid=1000 syscall:setuid.enter
1.1 tid=1 comm=a uid=0 syscall:setuid.return ret=0
--- expect
count | max(duration)
0 | -
uid | comm | count
1000 | "a" | 1

=== a_return_ends_only_its_own_call
Between them the end of one and the entry of the other are lost.
--- query
syscall:* | count, max(duration) by event
--- events
syscall read fd:s32
syscall write fd:s32
1.0 tid=1 syscall:read.enter fd=3
1.5 tid=1 syscall:write.return ret=1
1.6 tid=1 syscall:read.enter fd=3
1.7 tid=1 syscall:read.return ret=1
--- expect
event | count | max(duration)
read | 1 | 100000000
write | 1 | -
! restarted 1
! unmatched 1

=== by_thread_not_by_number
Two threads in the same call at once.
--- query
syscall:read | print tid, duration
--- events
syscall read fd:s32
1.0 tid=1 syscall:read.enter fd=3
1.1 tid=2 syscall:read.enter fd=3
1.2 tid=1 syscall:read.return ret=1
1.4 tid=2 syscall:read.return ret=1
--- expect
1 | 200000000
2 | 300000000

=== span_between_calls
--- query
from syscall:openat.return where ret >= 0 on (pid, ret) to syscall:close.enter on (pid, fd)
| print begin.ret, duration
--- events
syscall openat dfd:s32
syscall close fd:s32
1.0 tid=1 pid=1 syscall:openat.return ret=3
1.1 tid=2 pid=2 syscall:openat.return ret=3
1.2 tid=1 syscall:openat.return ret=-2
1.3 tid=1 syscall:close.enter fd=3
1.5 tid=2 syscall:close.enter fd=3
--- expect
3 | 300000000
3 | 400000000

=== what_the_entry_can_tell_is_asked_there
A begin that is not wanted takes no place and is none that came while one was open.
--- query
syscall:kill, syscall:read | where fd == 3 || pid == 7 | where ret >= 0 | count, sum(duration) by event
--- events
syscall read fd:s32 count:u64
syscall kill pid:pid sig:s32
1.0 tid=1 pid=1 syscall:read.enter fd=3 count=1
1.1 tid=1 syscall:read.return ret=1
1.2 tid=1 syscall:read.enter fd=4 count=1
1.4 tid=1 syscall:read.return ret=1
1.5 tid=7 pid=7 syscall:read.enter fd=4 count=1
1.8 tid=7 syscall:read.return ret=1
2.0 tid=1 syscall:kill.enter pid=7 sig=9
2.1 tid=1 syscall:kill.return ret=0
2.2 tid=7 syscall:kill.enter pid=9 sig=9
2.3 tid=7 syscall:kill.return ret=0
--- expect
event | count | sum(duration)
read | 2 | 400000000
kill | 1 | 100000000

=== only_wanted_entries_are_kept
--- query
syscall:read | where fd == 3 | count, sum(duration)
--- expect
count | sum(duration)
1 | 100000000

=== ends_with_conditions_of_their_own
--- query
from syscall:read.enter to (syscall:openat.enter where begin.fd < 4, syscall:open.enter where begin.fd > 3)
| print begin.fd, duration
--- events
syscall read fd:s32 buf:ptr count:u64
syscall openat dfd:s32 filename:cstr flags:s32
syscall open filename:cstr flags:s32
1.000 tid=10 pid=10 syscall:read.enter fd=3
1.001 tid=11 pid=10 syscall:read.enter fd=4
1.002 tid=10 syscall:open.enter
1.003 tid=11 syscall:openat.enter
1.005 tid=10 syscall:openat.enter
1.007 tid=11 syscall:open.enter
--- expect
3 | 5000000
4 | 6000000

=== a_call_that_is_left_out_ends_what_is_open
The return of the first read was not seen: the next one is another call, whether its entry is kept or not.
--- query
syscall:read | where fd == 5 | count, max(duration);
syscall:read | where fd == 5 | print ret, fd, duration
--- events
syscall read fd:s32
syscall write fd:s32
1.0 tid=1 syscall:read.enter fd=5
2.0 tid=1 syscall:read.enter fd=6
3.0 tid=1 syscall:read.return ret=1
4.0 tid=1 syscall:read.return ret=2
5.0 tid=1 syscall:read.enter fd=5
6.0 tid=1 syscall:read.return ret=3
--- expect
3 | 5 | 1000000000
count | max(duration)
1 | 1000000000
! restarted 1
! restarted 1

=== a_call_that_is_left_out_ends_what_is_open_without_parameters
What of the entry's is not a parameter may be another at the return.
--- query
syscall:read | where cpu == 1 | print ret, duration
--- events
syscall read fd:s32
1.0 cpu=1 tid=1 syscall:read.enter fd=5
2.0 cpu=0 tid=1 syscall:read.enter fd=5
3.0 cpu=1 tid=1 syscall:read.return ret=1
4.0 cpu=1 tid=1 syscall:read.enter fd=5
5.0 cpu=0 tid=1 syscall:read.return ret=2
--- expect
2 | 1000000000
! restarted 1

=== a_call_that_is_left_out_ends_what_is_open_in_a_table
--- query
syscall:read | where fd == 5 | print ret, fd, duration
--- options
no_task_storage
--- events
syscall read fd:s32
1.0 tid=1 syscall:read.enter fd=5
2.0 tid=1 syscall:read.enter fd=6
3.0 tid=1 syscall:read.return ret=1
4.0 tid=1 syscall:read.enter fd=5
5.0 tid=1 syscall:read.return ret=3
--- expect
3 | 5 | 1000000000
! restarted 1

=== a_call_of_a_union_that_is_left_out_ends_what_is_open
--- query
syscall:read, syscall:write | where fd == 5 | print event, ret, duration
--- events
syscall read fd:s32
syscall write fd:s32
1.0 tid=1 syscall:read.enter fd=5
2.0 tid=1 syscall:write.enter fd=6
3.0 tid=1 syscall:read.return ret=1
4.0 tid=1 syscall:read.enter fd=5
5.0 tid=1 syscall:read.return ret=2
--- expect
read | 2 | 1000000000
! restarted 1

=== calls_of_which_one_has_no_such_condition
--- query
syscall:* | where coalesce(fd, 1) == 1 | count by event
--- events
syscall read fd:s32
syscall poll
1.0 tid=7 syscall:read.enter fd=1
1.1 tid=7 syscall:read.return ret=0
1.2 tid=7 syscall:poll.enter
1.3 tid=7 syscall:poll.return ret=0
1.4 tid=7 syscall:read.enter fd=2
1.6 tid=7 syscall:read.return ret=0
1.7 tid=7 syscall:poll.enter
1.8 tid=7 syscall:poll.return ret=0
--- expect
event | count
read | 1
poll | 2

=== names_of_a_call
--- query
syscall:read.return | where zzzzzzz > 0 | count
--- events
syscall read fd:s32 buf:ptr count:u64
1 tid=1 syscall:read.enter fd=3
--- expect
culprit: query:1:29: no field 'zzzzzzz' in syscall:read.return [no-field]
  syscall:read.return | where zzzzzzz > 0 | count
                              ^~~~~~~
help: fields: fd buf count ret; of each row: time cpu pid tid ppid comm uid gid cgroup event kstack ustack stack task

=== names_of_an_entry
--- query
syscall:read.enter | where zzzzzzz > 0 | count
--- expect
culprit: query:1:28: no field 'zzzzzzz' in syscall:read.enter [no-field]
  syscall:read.enter | where zzzzzzz > 0 | count
                             ^~~~~~~
help: fields: fd buf count; of each row: time cpu pid tid ppid comm uid gid cgroup event kstack ustack stack task

=== columns_of_a_name_thrice
--- query
syscall:read.return | print ret, ret, ret
--- expect
culprit: query:1:34: two columns have the name 'ret' [duplicate-column]
  syscall:read.return | print ret, ret, ret
                                   ^~~
help: name one of them: NAME = ...
culprit: query:1:39: two columns have the name 'ret' [duplicate-column]
  syscall:read.return | print ret, ret, ret
                                        ^~~
help: name one of them: NAME = ...
