# expect: row-stage-only 3:19
# expect: row-stage-only 4:17
def x = vfs_*() | count by pid
(syscall:read | top 3 by x) | count
