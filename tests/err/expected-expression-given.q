# expect: expected-expression
# A mistake in a parameter's text has its place there: --filter:1:7.
param filter: expression = "ret > "
syscall:read | where $filter | count
