# expect: definition-place 4:1
# expect: definition-place 5:1
syscall:read | count ;
def x = vfs_read()
param y: int
x | count
