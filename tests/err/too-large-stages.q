# expect: too-large 4:15003
# shell: yes '| where fd > 1' | head -n 10000 | tr '\n' ' '
syscall:read
