/*
 * worst: the rows that `worst` kept, of all CPUs, levels and slots, as a table: the
 * largest first. The same for both executors.
 */
#ifndef AGG_WORST_H
#define AGG_WORST_H

#include "bpf/image.h"

struct worst;

struct worst *worst_open(const struct img_table *t, const struct img_rows *rows);
/* A slot: n_values values of t->value_bytes each, stride bytes apart. */
void worst_slot(struct worst *w, const void *values, int n_values, uint32_t stride);
struct table *worst_finish(struct worst *w, struct arena *a);
void worst_close(struct worst *w);

#endif
