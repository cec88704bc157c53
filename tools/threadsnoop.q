# threads that programs start
#
# Question: what is started, and how does it end?
#
# One line for each thread that a program starts with pthread_create, with its start function.
#
#     $ culprit threadsnoop
#
# Columns: TIME, PID, COMM, FUNCTION (the start function).
#
# Example:
#
#     $ culprit threadsnoop -- xz -T2 -k file
#     TIME         PID     COMM             FUNCTION
#     19:38:23.266 21171   xz               liblzma.so.5.4.1+0xccd0
#
# -T2 allows two threads, but xz starts one: the file is too small for more.
libc.so.6:pthread_create().enter
| print time, pid, comm, function = usym(arg2)
