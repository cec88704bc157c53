# warning: positive-errno 2:29
syscall:read | where ret == ENOENT || ret in (-EINTR, -EAGAIN) | count
