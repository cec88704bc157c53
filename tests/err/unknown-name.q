# expect: unknown-name 2:30
syscall:read | count | where coutn > 1
