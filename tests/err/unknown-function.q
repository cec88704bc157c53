# expect: unknown-function 2:33
block:block_rq_issue | count by dsk(dev)
