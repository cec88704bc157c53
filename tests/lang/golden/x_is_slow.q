# "X is slow" (timing-everything): which call below it ate the time
btrfs_file_write_iter() | where duration > 1ms
| split btrfs_reserve_metadata_bytes(), lock = btrfs_tree_lock() else btrfs_tree_lock_nested(),
        btrfs_csum_file_blocks()
| print time, pid, comm, duration, parts
