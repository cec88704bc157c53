# warning: constant-column 2:25
syscall:read | count by SIGTERM
