from (libc.so:malloc().return where ret != 0, libc.so:realloc().return where ret != 0) on (pid, ret)
  to (libc.so:free().enter, libc.so:realloc().enter) on (pid, arg0)
| open older 10s | count by begin.ustack
