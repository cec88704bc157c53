syscall:read | bytes = sum(ret) where ret > 0 by path(file(fd))
