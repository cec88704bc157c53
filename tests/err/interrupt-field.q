# expect: interrupt-field 2:36
block:block_rq_complete | count by comm
