# expect: bad-character 2:22
syscall:read | where ÿ == 1
