# expect: not-a-number 2:20
syscall:read | min(ppid)
