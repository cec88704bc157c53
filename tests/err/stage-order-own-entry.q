# expect: stage-order 2:28
libc.so.6:malloc().enter | in libc.so.6:malloc() | count
