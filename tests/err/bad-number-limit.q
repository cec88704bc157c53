# expect: bad-number 2:35
syscall:getppid | print pid limit 0/s
