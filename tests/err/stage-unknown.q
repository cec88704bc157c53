# expect: stage-unknown 3:16
# expect: stage-unknown 3:31
syscall:read | wher ret < 0 | pritn pid, comm | count
