# how well the cache of file names works
#
# Question: are reads served from memory or from the disk?
# Instead: `culprit opensnoop` and `culprit statsnoop`: the names that programs use
#
# Every second: how many names were looked up, how many needed the slow look-up, how many were not in the cache.
#
#     $ culprit dcstat
#
# Columns: REFS (look-ups), SLOW, MISS, HIT (fraction of REFS that was in the cache).
#
# Example:
#
#     $ culprit dcstat 1 1
#     REFS  SLOW  MISS     HIT
#      209    36     7  0.9665
#
# Of 209 names 7 were not in the cache: 97% were. A low HIT means many new or missing names.
table refs = (lookup_fast().enter | count), slow = (d_lookup().enter | count),
      # pipes, sockets and the like, of file systems that nobody mounts, have no names
      miss = (__d_alloc().enter | where name != 0 && (sb.s_flags & (1 << 31)) == 0 | count)
| let hit = (refs - miss) / refs
| every 1s
