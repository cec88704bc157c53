# names of files as they are looked up
#
# Question: which files are used?
# Instead: `culprit opensnoop -x` and `culprit statsnoop -x`: names that are not there at all
#
# One line for each name that was not in the kernel's cache, so that its file system was asked (or
# it was made), with -a also for each that was found, but on the slow way.
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
# The file that is not there was looked for in the directory; /mnt/note was in the cache.
param all a: flag "those that were found, too"
param name:  glob "names that match only"

# pipes, sockets and the like, of file systems that nobody mounts, have no names
def missed = __d_alloc().enter | where name != 0 && (sb.s_flags & (1 << 31)) == 0 | let found = 0 == 1
def hit    = d_lookup() | where ret != 0 | let found = 0 == 0
missed, hit if $all
| let file = str(name.name, 64)
| where file ~ $name
| print time, pid, comm, found if $all, name = file
