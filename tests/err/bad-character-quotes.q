# expect: bad-character 3:30
# expect: unknown-function 3:36
syscall:read | where comm == 'x' | cnt
