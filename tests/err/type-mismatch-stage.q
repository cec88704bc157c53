# expect: type-mismatch 3:30
param n: string = "3"
syscall:read | count by fd | top $n
