# files by what is read and written
#
# Question: which files are used?
# Instead: `culprit iousagetop --files`
#
# Every second: the files with the most bytes read, with their readers and writers.
#
#     $ culprit filetop
#     $ culprit filetop 5 -a
#
# Columns: TID, COMM, FILE; READS, WRITES, R_BYTES, W_BYTES.
#
# Example:
#
#     $ culprit filetop 60 -- dd if=/mnt/www/big of=/mnt/copy bs=64k
#     TID  COMM  FILE         READS  WRITES  R_BYTES  W_BYTES
#     328  dd    big             32       0  2097152        0
#     328  dd    copy             0      32        0  2097152
#
# dd read 2 MB from one file and wrote them to the other, 64 KiB at a time.
param top:  int = 20 "show at most N rows"
param all a: flag "include sockets, pipes and devices"

vfs_read().return, vfs_write().return
| where ret > 0
| where (file.f_inode.i_mode & 0170000) == 0100000 if !$all
| comm = any(comm), file = any(str(file.f_path.dentry.d_name.name, 64)),
  reads = count where event == vfs_read, writes = count where event == vfs_write,
  r_bytes = sum(ret * 1B) where event == vfs_read, w_bytes = sum(ret * 1B) where event == vfs_write
  by tid, device = file.f_inode.i_sb.s_dev, inode = file.f_inode.i_ino
| top $top by r_bytes
| print tid, comm, file, reads, writes, r_bytes, w_bytes
| every 1s
