# expect: no-via 2:22
syscall:read | print via.comm
