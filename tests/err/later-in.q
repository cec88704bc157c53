# expect: later 2:24
libc.so.6:mallo[c]() | in libc.so.6:malloc() | count
