# opensnoop
syscall:open, syscall:openat, syscall:openat2
| where ret < 0 | print pid, comm, errno(ret), str(filename)
