from block:block_rq_issue to block:block_rq_complete on rq
| where duration > 10ms
| count, hist(duration) by disk(dev)
