# expect: expected-expression 3:23
# expect: expected-expression 3:37
syscall:read | where  | print a, b, , c
