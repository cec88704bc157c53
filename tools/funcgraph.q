# calls of functions as they nest, with their durations
#
# Question: X is slow: what is it doing all the time?
#
# Draws how calls of the named functions nest, for each thread, as the kernel's function graph
# does. A call that contains others has its duration at its closing brace. A mark before the
# duration shows long calls: + over 10 us, ! 100 us, # 1 ms, * 10 ms, @ 100 ms, $ 1 s. A tree is
# shown when its outermost call has returned.
#
#     $ culprit funcgraph 'ext4_*' --graph vfs_read
#     $ culprit funcgraph 'vfs_*' --depth 2 -p 1234
#     $ culprit funcgraph 'libc.so:*alloc*' --not '*usable*' -d 1
#
# Columns: CPU, DURATION, FUNCTION CALLS; in JSON and CSV BEGIN, DURATION, TID, COMM, CPU,
# END.CPU, DEPTH, NAME, MISSING.
#
# Example:
#
#     $ culprit funcgraph 'ext4_*' --graph vfs_read -- dd if=/mnt/note of=/dev/null
#      CPU   DURATION                  FUNCTION CALLS
#      ------ dd-320 ------
#        1)                 |  ext4_file_read_iter() {
#        1)                 |    ext4_readahead() {
#        1)                 |      ext4_mpage_readpages() {
#        1)        6.993 us |          ext4_es_lookup_extent();
#        1) !    112.833 us |          }
#        1) !    359.269 us |        }
#        1) !    654.096 us |      }
#        1) !    674.144 us |    }
#
# (Cut.) A call's duration stands at its closing brace: this read spent 0.67 ms in reading ahead.
param function:    source "which functions: 'vfs_*', 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param graph g:     source "only this function and the calls inside it"
param not:         glob   "leave out functions of this name"
param depth D:     int    "show only the N outermost levels"
param min:         duration "only calls of at least this"

$function()
| in $graph() if $graph
| where !(event ~ $not)
| where duration >= $min
| tree $depth if $depth
| tree if !$depth
