# files that disappear: who removed or renamed them
#
# Question: which files are used?
# Instead: `culprit run 'syscall:unlink*, syscall:rename*, syscall:rmdir | where ret == 0 | print time, comm, event, coalesce(str(pathname), str(oldname))'`
#
# One line for each file or folder that is removed or renamed. Calls that fail are not shown.
#
#     $ culprit filegone
#     $ culprit filegone --file 'shop.pid'
#
# Columns: TIME, PID, COMM, ACTION (removed, renamed), FILE, INTO (the new name).
#
# Example:
#
#     $ culprit filegone -- sh -c 'echo >/mnt/a; mv /mnt/a /mnt/b; rm /mnt/b'
#     TIME         PID     COMM             ACTION           FILE                     INTO
#     19:37:31.925 364     mv               renamed          a                        b
#     19:37:31.976 363     rm               removed          b
#
# Where did file a go? mv renamed it to b, then rm removed b.
param file: glob "only files whose old or new name is this"

(vfs_unlink().return, vfs_rmdir().return | where ret == 0 | let action = "removed", file = str(dentry.d_name.name), into = ""),
# A rename moves the name of its dentry: the names are those before it.
(vfs_rename() | where ret == 0
 | let action = "renamed", file = str(begin.rd.old_dentry.d_name.name),
       into = str(begin.rd.new_dentry.d_name.name))
| where file ~ $file || into ~ $file
| print time, pid, comm, action, file, into
