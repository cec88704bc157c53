/*
 * knames: names of the running machine's numbers, looked up when one is shown.
 */
#ifndef KERN_KNAMES_H
#define KERN_KNAMES_H

#include "table/names.h"

struct knames;

/* wall_offset_ns: CLOCK_REALTIME - CLOCK_MONOTONIC. Reads nothing yet. */
struct knames *knames_open(int64_t wall_offset_ns);
void knames_close(struct knames *k);

/* Good while k is. */
struct names knames_names(struct knames *k);

#endif
