# the same where a part ends in another context (timing.py)
btrfs_file_read_iter() | where duration > 1ms
| split disk = (from block:block_rq_issue to block:block_rq_complete on rq),
        csum = btrfs_lookup_bio_sums()
