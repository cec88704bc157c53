# expect: duplicate-column 2:1
table a = (syscall:read | count by comm), a = (syscall:openat | count by comm)
