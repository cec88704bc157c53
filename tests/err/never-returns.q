# warning: never-returns 2:1
syscall:exit_group | count
