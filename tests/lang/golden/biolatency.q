# biolatency. The request is the key: with (dev, sector) every flush (sector 0
# at its issue, not at its completion) pairs with another's end
from block:block_rq_issue to block:block_rq_complete on rq | hist(duration)
