# expect: duplicate-column 2:35
syscall:read | let a = fd, b = a, a = count | count by a, b
