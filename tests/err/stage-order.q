# expect: stage-order 2:30
syscall:read | count | where disk(count) > 1
