# expect: stage-order 2:28
libc.so.6:malloc() | split m = libc.so.6:malloc(), part = libc.so.6:realloc() | count
