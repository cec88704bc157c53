# expect: out-of-range 2:25
syscall:read | count by fd / 0
