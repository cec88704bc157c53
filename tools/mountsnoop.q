# mounts and unmounts
#
# Question: which files are used?
#
# One line for each call that makes, changes, moves or ends a mount: mount, umount, pivot_root, fsopen, fspick,
# fsconfig, fsmount, move_mount, open_tree, open_tree_attr and mount_setattr, with mount namespace and result
# (0: done; a descriptor of those that give one; otherwise the error).
#
#     $ culprit mountsnoop
#
# Columns: TIME, COMM, PID, TID, NAMESPACE (inode of the mount namespace), CALL, SOURCE, TARGET,
# KIND (file system type; of fsconfig the option that it sets to SOURCE), FLAGS (of fsconfig its command), RESULT.
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
# A text is what 1, FSCONFIG_SET_STRING, and 3 and 4, paths, have.
def options = syscall:fsconfig
	| let value = cmd in (1, 3, 4) ? str(_value, 64) : ""
syscall:mount, syscall:umount, syscall:pivot_root, syscall:fsopen, syscall:fspick, options, syscall:fsmount,
syscall:move_mount, syscall:open_tree, syscall:open_tree_attr, syscall:mount_setattr
| print time, comm, pid, tid, namespace = task.nsproxy.mnt_ns.ns.inum, call = event,
        source = coalesce(str(dev_name, 64), str(from_pathname, 64), str(filename, 64), str(new_root, 64), value),
        target = coalesce(str(dir_name, 64), str(name, 64), str(to_pathname, 64), str(put_old, 64), str(path, 64)),
        kind = coalesce(str(type, 32), str(_fs_name, 32), str(_key, 32)), flags = coalesce(flags, cmd),
        result = errno(ret)
