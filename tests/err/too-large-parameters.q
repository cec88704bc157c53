# expect: too-large 103:1
# shell: seq -f 'param p%g: int' 1 30000; echo 'syscall:read'
