# warning: pattern-compared 2:41
syscall:openat | where str(filename) == "/etc/*" | count
