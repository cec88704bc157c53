# cachestat
table total  = (folio_mark_accessed().enter else mark_page_accessed().enter | count),
      misses = (filemap_add_folio().enter else add_to_page_cache_lru().enter | count)
| let hits = max(total - misses, 0), ratio = hits / total | every 1s
