# files that disappear: who removed or renamed them
#
# Question: which files are used?
# Instead: `culprit run 'syscall:unlink*, syscall:rename* | print time, comm, event, coalesce(str(pathname), str(oldname))'`
#
# One line for each file that is removed, or renamed, or replaced by one that is renamed.
#
#     $ culprit filegone
#     $ culprit filegone --file 'shop.pid'
#
# Columns: TIME, PID, COMM, ACTION (removed, renamed), FILE, INTO its new name.
#
# Example:
#
#     $ culprit filegone -- sh -c 'echo >/mnt/a; mv /mnt/a /mnt/b; rm /mnt/b'
#     TIME         PID     COMM             ACTION           FILE                     INTO
#     19:37:31.925 364     mv               renamed          a                        b
#     19:37:31.976 363     rm               removed          b
#
# Where did file a go? mv made it b, rm removed that.
param file: glob "files of this name, or made into it, only"

(vfs_unlink().enter | let action = "removed", file = str(dentry.d_name.name), into = ""),
(vfs_rename().enter | let action = "renamed", file = str(rd.old_dentry.d_name.name),
                          into = str(rd.new_dentry.d_name.name))
| where file ~ $file || into ~ $file
| print time, pid, comm, action, file, into
