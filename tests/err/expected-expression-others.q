# expect: expected-expression 4:27
# expect: unknown-function 4:29
# expect: no-field 4:36
syscall:read | where fd > | cnt by fx
