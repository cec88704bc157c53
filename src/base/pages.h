/*
 * pages: memory of whole pages, straight from the kernel. From 128 KiB on it is of huge pages
 * where the kernel has them: one page fault for 2 MiB.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

#define PAGES_HUGE_BYTES (1u << 21)
#define PAGES_HUGE_FROM (1u << 17)

/* What pages_new gives for so many bytes. */
size_t pages_size(size_t bytes);
/* Zeroed; NULL: there is no memory. bytes: of pages_size. */
void *pages_new(size_t bytes);
void pages_free(void *p, size_t bytes);

#endif
