# expect: reserved-word 3:22
# expect: reserved-word 3:38
syscall:read | where to == 1 | print from
