# expect: bad-number 7:26
# expect: bad-number 7:44
# expect: bad-number 7:54
# expect: bad-number 8:24
# expect: bad-number 8:41
# expect: bad-number 8:52
syscall:read | where a > 10xs | where b == 08 || c > 1.0000000001s
| where size > 1 | top 1.5 by a | every 10 | every 99999999999999999999h
