# memleak, kernel;  user (realloc ends one allocation and begins another)
from (kmem:kmalloc, kmem:kmalloc_node, kmem:kmem_cache_alloc) on ptr
  to (kmem:kfree where ptr != 0, kmem:kmem_cache_free) on ptr
| open older 10s | bytes = sum(begin.bytes_alloc), count by begin.kstack | top 10 by bytes
