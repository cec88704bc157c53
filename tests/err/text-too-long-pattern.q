# expect: text-too-long 4:31
# expect: text-too-long 5:31
# What no name can match: the kernel keeps 15 bytes. A set and a ? are one each, a * none.
syscall:openat | where comm ~ "abcdefghijklmnop" | count;
syscall:openat | where comm ~ "*abc*efghi?[a-z]lmnopq" | count;
syscall:openat | where comm ~ "*abc*efghi?[a-z]lmnop" | count
