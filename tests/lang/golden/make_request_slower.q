# make_request_slower
submit_bio_noacct() | where duration > 1ms
| print time, comm, pid, duration, begin.bio.bi_bdev.bd_disk.disk_name
