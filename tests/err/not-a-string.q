# expect: not-a-string 2:22
syscall:read | where fd ~ "x" | count
