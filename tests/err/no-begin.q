# expect: no-begin 2:28
syscall:read.enter | print begin.fd
