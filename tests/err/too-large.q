# expect: too-large
# shell: head -c 17000000 /dev/zero | tr '\0' ' '
