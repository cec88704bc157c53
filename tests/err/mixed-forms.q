# expect: mixed-forms 2:30
block:block_rq_issue | print rwbs, rq
