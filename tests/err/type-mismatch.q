# expect: type-mismatch 2:22
syscall:read | where duration > 4KiB | count
