# mounts and unmounts
#
# Question: which files are used?
#
# One line for each mount, umount, fsopen, fsmount, move_mount and open_tree, with mount namespace
# and result (0: done; otherwise the error).
#
#     $ culprit mountsnoop
#
# Columns: TIME, COMM, PID, TID, NAMESPACE (inode of the mount namespace), CALL, SOURCE, TARGET,
# KIND (file system type), FLAGS, RESULT.
#
# Example:
#
#     $ culprit mountsnoop -- sh -c 'mount -t tmpfs none /tmp/n; umount /tmp/n; umount /tmp/n'
#     TIME         COMM             PID     TID     NAMESPACE CALL             SOURCE                   TARGET                   KIND                        FLAGS RESULT
#     19:37:08.028 mount            298     298     4026531841 mount            none                     /tmp/n                   tmpfs                       32768 0
#     19:37:08.234 umount           299     299     4026531841 umount2          -                        /tmp/n                   -                               0 0
#     19:37:08.383 umount           296     296     4026531841 umount2          -                        /tmp/n                   -                               0 EINVAL
#
# mount and umount succeeded. The second umount failed: nothing was mounted there.
syscall:mount, syscall:umount, syscall:fsopen, syscall:fsmount, syscall:move_mount, syscall:open_tree
| print time, comm, pid, tid, namespace = task.nsproxy.mnt_ns.ns.inum, call = event, source = coalesce(str(dev_name, 64), str(from_pathname, 64), str(filename, 64)),
        target = coalesce(str(dir_name, 64), str(name, 64), str(to_pathname, 64)), kind = coalesce(str(type, 32), str(_fs_name, 32)), flags,
        result = errno(ret)
