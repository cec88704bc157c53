# expect: later 2:25
syscall:read | count by stack
