# expect: too-large 2004:1
# shell: seq -f 'a%g = count,' 1 5000; echo 'b = count'
syscall:read | count | let
