# bytes that processes, disks and network devices move
#
# Question: who uses the network?
#
# Every second three tables: what each process read and wrote through system calls, what each disk
# and what each network device did.
#
#     $ culprit iousagetop
#     $ culprit iousagetop 5 3
#     $ culprit iousagetop --files --rows 5
#     $ culprit iousagetop -P -p 1234
#
# Columns: COMM, PID, with --files FILE its path; READ and WRITTEN bytes by system calls, of both
# FILES those of files, NETWORK those of sockets, OTHER those of pipes and devices. DISK; READ and
# WRITTEN bytes of its requests. INTERFACE; RECEIVED and SENT bytes. Of a recorded trace what goes
# through descriptors whose names it does not tell, as of sockets made meanwhile, is OTHER.
# A packet passes in whoever was interrupted, for no process: -p, -t and --comm want -P, which leaves
# INTERFACE out; NETWORK still tells the process's own.
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
# dd read and wrote 6 MB of files. The disk wrote them, and read 16 KB only: the rest was in memory.
param files: flag "by file, too"
param processes P: flag "without the network devices, whose packets are no process's: for -p, -t, --comm"
param rows: int = 20 "so many rows"

def calls = (syscall:read, syscall:pread64, syscall:readv, syscall:preadv, syscall:recvfrom, syscall:recvmsg
             | let out = 0),
            (syscall:write, syscall:pwrite64, syscall:writev, syscall:pwritev, syscall:sendto, syscall:sendmsg
             | let out = 1)

calls | where ret > 0
| let bytes = ret * 1B, kind = file(fd).f_inode.i_mode & 0170000
| read = sum(bytes) where out == 0, written = sum(bytes) where out == 1,
  files = sum(bytes) where kind == 0100000, network = sum(bytes) where kind == 0140000
  by comm, pid, file = path(file(fd)) if $files
| let all = read + written, other = all - files - network
| top $rows by all
| every 1s;

block:block_rq_issue
| read = sum(bytes) where (rq.cmd_flags & 1) == 0, written = sum(bytes) where (rq.cmd_flags & 1) == 1
  by disk = disk(dev)
| every 1s;

(net:netif_receive_skb if !$processes | let out = 0),
(net:net_dev_start_xmit else net:net_dev_xmit else net:net_dev_queue if !$processes | let out = 1)
| received = sum(len * 1B) where out == 0, sent = sum(len * 1B) where out == 1 by interface = name
| every 1s
