/* Memory of whole pages: see pages.h. */
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u

size_t pages_size(size_t bytes)
{
	size_t unit = bytes > PAGES_HUGE_FROM ? PAGES_HUGE_BYTES : PAGE_BYTES;

	return (bytes + unit - 1) / unit * unit;
}

static void *map_pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Without the room around it that malloc would keep. */
static void *map_huge(size_t bytes)
{
	char *p = map_pages(bytes + PAGES_HUGE_BYTES);
	size_t before = -(uintptr_t)p % PAGES_HUGE_BYTES;

	if (!p)
		return NULL;
	pages_free(p, before);
	pages_free(p + before + bytes, PAGES_HUGE_BYTES - before);
	madvise(p + before, bytes, MADV_HUGEPAGE);
	return p + before;
}

void *pages_new(size_t bytes)
{
	return bytes < PAGES_HUGE_BYTES ? map_pages(bytes) : map_huge(bytes);
}

void pages_free(void *p, size_t bytes)
{
	if (p && bytes)
		munmap(p, bytes);
}
