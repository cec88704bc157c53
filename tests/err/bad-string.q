# expect: bad-string 3:30
# expect: bad-string 3:48
syscall:read | where comm == "a\qb" && comm == "open
