# expect: param-value 3:36
param least: duration
syscall:read | count by duration > $least
