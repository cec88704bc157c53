# func_graph: the calls below vfs_read, with their times
vfs_*(), ext4_*(), filemap_*() | in vfs_read() | tree
