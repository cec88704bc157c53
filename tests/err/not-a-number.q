# expect: not-a-number 2:22
syscall:read | where comm && fd > 1 | count
