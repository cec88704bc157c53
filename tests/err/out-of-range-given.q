# expect: out-of-range
# args: --most 0
param most: int = 3
syscall:* | count by event | top $most
