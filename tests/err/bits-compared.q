# expect: bits-compared 2:28
syscall:futex | where op & 127 == 0 | count
