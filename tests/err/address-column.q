# warning: address-column 2:27
syscall:openat | count by filename
