# System V shared memory: who creates and uses it
#
# Question: what does the kernel do for my program?
#
# One line for each shmget, shmat, shmdt and shmctl.
#
#     $ culprit shmsnoop
#     $ culprit shmsnoop --comm postgres
#
# Columns: TIME, PID, COMM, CALL, RESULT (an identifier, an address or an error), ID and KEY (of the
# segment), SIZE, FLAGS, ADDRESS, COMMAND (of shmctl).
#
# Example:
#
#     $ culprit shmsnoop -- chores 1 /mnt/f2
#     TIME         PID     COMM             CALL               RESULT       ID      KEY SIZE(bytes)    FLAGS ADDRESS             COMMAND
#     19:37:59.461 496     chores           shmget                 20        -        0       12345      896 -                         -
#     19:37:59.559 496     chores           shmat            140134044139520       20        -           -        0 0x0                       -
#     19:37:59.559 496     chores           shmdt                   0        -        -           -        - 0x7f737fec0000            -
#     19:37:59.560 496     chores           shmctl                  0       20        -           -        - -                         0
#
# chores creates, maps, unmaps and removes (COMMAND 0) a segment of 12,345 bytes with ID 20.
syscall:shmget, syscall:shmat, syscall:shmdt, syscall:shmctl
| print time, pid, comm, call = event, result = ret, id = shmid, key, size, flags = shmflg,
        address = shmaddr, command = cmd
