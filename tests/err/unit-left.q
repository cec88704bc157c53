# warning: unit-left 3:36
# warning: unit-left 3:58
syscall:read | let ms = duration / 1000000, kb = count / 1024 | print ms, kb
