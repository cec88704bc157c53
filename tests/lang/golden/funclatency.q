# funclatency;  stackcount
vfs_read() | hist(duration)
