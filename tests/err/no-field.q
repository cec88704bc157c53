# expect: no-field 2:33
block:block_rq_issue | count by sectr
