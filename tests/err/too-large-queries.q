# expect: too-large 103:1
# shell: yes 'syscall:read;' | head -n 5000
