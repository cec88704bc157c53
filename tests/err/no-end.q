# expect: no-end 2:28
syscall:read.enter | print end.fd
