# directories by what is read and written in them
#
# Question: which files are used?
# Instead: `culprit iousagetop --files`
#
# Every second: the directories with the most bytes read and written. Only files directly in a directory count.
#
#     $ culprit dirtop
#     $ culprit dirtop 5 --dir 'log*'
#
# Columns: DIR (its name), DEVICE, INODE, READS, WRITES, R_BYTES, W_BYTES, ALL (bytes read and written).
#
# Example:
#
#     $ culprit dirtop 60 -- dd if=/mnt/www/big of=/mnt/copy bs=64k
#     DIR  DEVICE  INODE  READS  WRITES  R_BYTES  W_BYTES  ALL(bytes)
#     /    vda         2      0      32        0  2097152     2097152
#     www  vda        12     32       0  2097152        0     2097152
#
# dd read from www and wrote to the top directory (/) of the same disk.
param top:  int = 20 "show at most N rows"
param dir:  glob "only directories of this name"

vfs_read(), vfs_write()
| where ret > 0 && (file.f_inode.i_mode & 0170000) == 0100000
| let parent = file.f_path.dentry.d_parent
| let dir = str(parent.d_name.name, 64)
| where dir ~ $dir
| reads = count where event == vfs_read, writes = count where event == vfs_write,
  r_bytes = sum(ret * 1B) where event == vfs_read, w_bytes = sum(ret * 1B) where event == vfs_write
  by dir, device = disk(parent.d_sb.s_dev), inode = parent.d_inode.i_ino
| let all = r_bytes + w_bytes
| top $top by all
| every 1s
