# kernel memory: allocations a second
#
# Question: is memory short, and who needs it?
#
# Every second: allocations from each of the kernel's object caches (slab).
#
#     $ culprit slabratetop
#     $ culprit slabratetop 5 --top 10
#
# Columns: CACHE, ALLOCS, BYTES.
#
# Example:
#
#     $ culprit slabratetop 1 1 --top 4
#     CACHE           ALLOCS  BYTES
#     anon_vma_chain     141   9024
#     vm_area_struct     134  23584
#     vma_lock           134   5360
#     anon_vma            64   6656
#
# Many allocations for memory mappings (vma): programs are being started.
param top:  int = 20 "show at most N rows"

kmem:kmem_cache_alloc
| allocs = count, bytes = sum(bytes_alloc) by cache = s.name
| top $top by allocs
| every 1s
