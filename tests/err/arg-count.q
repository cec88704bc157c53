# expect: arg-count 2:33
block:block_rq_issue | count by disk(dev, 1)
