# expect: bad-name 3:22
# expect: bad-name 3:36
syscall:read | where `a b` == 1 || $ == 1
