# warning: bare-number 2:33
syscall:read | where duration > 1000 | count
