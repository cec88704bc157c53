# expect: unclosed 4:22
# expect: unclosed 5:17
# expect: unclosed 6:6
syscall:read | where (a == (b);
(syscall:write) ) | count;
x | f(a
