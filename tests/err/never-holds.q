# warning: never-holds 2:44
syscall:read | where count > 4KiB && buf < 0 | count
