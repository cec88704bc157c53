# bytes that processes, disks and network devices move
#
# Question: who uses the network?
#
# Every second three tables: the bytes that each process read and wrote through system calls, the
# bytes of each disk, the bytes of each network device.
#
#     $ culprit iousagetop
#     $ culprit iousagetop 5 3
#     $ culprit iousagetop --files --top 5
#     $ culprit iousagetop -P -p 1234
#
# Columns: first table COMM, PID, with --cgroups CGROUP, with --files FILE (its path), READ, WRITTEN, ALL (both), and the
# parts of ALL: FILES, NETWORK (sockets), OTHER (pipes, devices). Second table DISK, READ, WRITTEN.
# Third table INTERFACE, RECEIVED, SENT. All are bytes.
#
# The kernel handles packets for no process in particular, so -p, -t and --comm need -P, which leaves
# out the third table; NETWORK still shows the process's own bytes. In a recorded trace, bytes read and
# written through descriptors that the trace does not tell how they came about count as OTHER, and what
# sendfile, splice and copy_file_range move, which is both read and written, is left out. sendmmsg and recvmmsg
# do not return bytes, and what io_uring and io_submit move is no call: they are not shown.
#
# Example:
#
#     $ culprit iousagetop 60 -- dd if=big of=copy bs=64k conv=fsync
#     COMM  PID    READ(bytes)  WRITTEN(bytes)  FILES(bytes)  NETWORK(bytes)  ALL(bytes)  OTHER(bytes)
#     dd    10709      6153492         6148191      12301683               0    12301683             0
#
#     DISK  READ(bytes)  WRITTEN(bytes)
#     vda         16384         6152192
#
# dd read 6 MB from files and wrote 6 MB. The disk wrote 6 MB, but read only 16 KB: the rest was in memory.
param files: flag "a row for each file"
param processes P: flag "leave out the network devices; required with -p, -t, --comm"
param cgroups: flag "a row for each cgroup, too"
param top:  int = 20 "show at most N rows"

def calls = (syscall:read, syscall:pread64, syscall:readv, syscall:preadv, syscall:preadv2 | let out = 0, message = 0),
            (syscall:recvfrom, syscall:recvmsg | let out = 0, message = 1),
            (syscall:write, syscall:pwrite64, syscall:writev, syscall:pwritev, syscall:pwritev2 | let out = 1, message = 0),
            (syscall:sendto, syscall:sendmsg | let out = 1, message = 1)
def copies = (syscall:sendfile | let out = 0, message = 0, fd = in_fd), (syscall:sendfile | let out = 1, message = 0, fd = out_fd),
             (syscall:splice, syscall:copy_file_range | let out = 0, message = 0, fd = fd_in),
             (syscall:splice, syscall:copy_file_range | let out = 1, message = 0, fd = fd_out)

calls, copies if !$trace
| where ret > 0
| let bytes = ret * 1B, kind = file(fd).f_inode.i_mode & 0170000
| comm = last(comm), read = sum(bytes) where out == 0, written = sum(bytes) where out == 1,
  files = sum(bytes) where kind == 0100000, network = sum(bytes) where kind == 0140000 || message == 1
  by pid, cgroup if $cgroups, file = path(file(fd)) if $files
| let all = read + written, other = all - files - network
| top $top by all
| print comm, pid, cgroup if $cgroups, file if $files, read, written, files, network, all, other
| every 1s;

block:block_rq_issue
| read = sum(bytes) where (rq.cmd_flags & 1) == 0, written = sum(bytes) where (rq.cmd_flags & 1) == 1
  by disk = disk(dev)
| every 1s;

(net:netif_receive_skb if !$processes | let out = 0),
(net:net_dev_start_xmit else net:net_dev_xmit else net:net_dev_queue if !$processes | let out = 1)
| received = sum(len * 1B) where out == 0, sent = sum(len * 1B) where out == 1 by interface = name
| every 1s
