# expect: param-value 2:1
param filter: expression = 3
syscall:read | where $filter | count
