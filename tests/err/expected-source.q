# expect: expected-source 4:15
# expect: expected-source 4:38
# expect: expected-source 5:13
syscall:read, | where 1 | in vfs_read(x) | count;
from a:b to | count;
