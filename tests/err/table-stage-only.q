# expect: table-stage-only 2:22
syscall:read | where share(fd) > 1 | count
