# expect: no-field 3:25
# args: --without btf
syscall:read | count by ppid
