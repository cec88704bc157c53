# expect: unknown-param 2:28
syscall:read | where fd == $nothing | count
