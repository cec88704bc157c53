# warning: never-true 2:49
syscall:read | where ret > 0 && 4 <= fd | where fd < 4 | count
