# expect: unable 3:1
# args: --without uprobe
libc.so:malloc() | count
