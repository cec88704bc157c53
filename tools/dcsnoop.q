# file names that are not in the kernel's cache
#
# Question: which files are used?
# Instead: `culprit opensnoop -x` and `culprit statsnoop -x`: names of files that do not exist
#
# One line for each name that was not in the kernel's cache (dcache): the file system was asked, or
# the name was created. With -a also for each name that was found, but only by the slow look-up.
#
#     $ culprit dcsnoop
#     $ culprit dcsnoop -a --name 'lib*'
#
# Columns: TIME, PID, COMM, with -a FOUND, NAME.
#
# Example:
#
#     $ culprit dcsnoop -- cat /mnt/www/absent /mnt/note
#     TIME         PID     COMM             NAME
#     19:37:19.660 331     cat              absent
#
# The kernel looked for the missing file in the directory; /mnt/note was in the cache.
param all a: flag "show names that were found, too"
param name:  glob "only names that match"

# pipes, sockets and the like, of file systems that nobody mounts, have no names
def missed = __d_alloc().enter | where name != 0 && (sb.s_flags & (1 << 31)) == 0 | let found = 0 == 1
def hit    = d_lookup().return | where ret != 0 | let found = 0 == 0
missed, hit if $all
| let file = str(name.name, 64)
| where file ~ $name
| print time, pid, comm, found if $all, name = file
