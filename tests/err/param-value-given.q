# expect: param-value
# args: --error 99999
param error: errno
syscall:* | where ret == -$error | count by event
