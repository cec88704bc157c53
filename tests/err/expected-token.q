# expect: expected-token 8:16
# expect: expected-token 8:30
# expect: expected-token 8:40
# expect: expected-token 8:56
# expect: expected-token 8:63
# expect: expected-token 9:10
# expect: expected-token 9:37
syscall:read | (a) | where a = 1 | let 5 | print a.b, c->d, e f
| hist(a b), sum(c) by d | sample 3 bye x | open older 5s | every 1s
