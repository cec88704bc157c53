# expect: bad-cast 3:32
# expect: bad-cast 3:63
syscall:read | where (count as int) > 1 | let x = y as struct 5 | count
