# expect: text-too-long 8:41
# expect: text-too-long 9:41
# expect: text-too-long 10:42
# expect: text-too-long 11:45
# expect: text-too-long 12:30
# What str() keeps, and what it does not: 127 of its 128 bytes are the beginning of longer ones, too. A
# length of 126 is compared whole, and a comm of 15.
syscall:openat | where str(filename) == "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq" | count;
syscall:openat | where str(filename) == "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq" | count;
syscall:openat | where str(filename) in ("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", "a") | count;
syscall:openat | where str(filename, 60) != "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq" | count;
syscall:read | where comm == "qqqqqqqqqqqqqqqq" | count;
syscall:openat | where str(filename) == "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq" | count;
syscall:openat | where str(filename, 140) == "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq" | count;
syscall:read | where comm == "qqqqqqqqqqqqqqq" | count
