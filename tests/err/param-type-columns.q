# expect: param-type 3:22
param show: columns = "pid"
syscall:read | where $show > 3 | count
