/* The rows of `worst`, merged. See worst.h. */
#include "agg/worst.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct worst {
	struct arena arena;
	const struct img_table *t;
	const struct img_rows *rows;
	VEC(const struct img_slot *) slots;
};

struct worst *worst_open(const struct img_table *t, const struct img_rows *rows)
{
	struct worst *w = xcalloc(1, sizeof(*w));

	w->t = t;
	w->rows = rows;
	return w;
}

void worst_slot(struct worst *w, const void *values, int n_values, uint32_t stride)
{
	for (int i = 0; i < n_values; i++) {
		struct img_slot *copy;
		uint64_t used;

		memcpy(&used, (const char *)values + (size_t)i * stride, sizeof(used));
		if (!used)
			continue;
		copy = (void *)arena_array(&w->arena, uint64_t, w->t->value_bytes / 8 + 1);
		memcpy(copy, (const char *)values + (size_t)i * stride, w->t->value_bytes);
		/* qsort's callback has no argument: unsigned ranks are made signed. */
		if (!w->t->query->worst_signed)
			copy->rank = (int64_t)((uint64_t)copy->rank ^ 1ull << 63);
		vec_push(&w->arena, &w->slots, copy);
	}
}

/* The largest first; of equal ones the earliest. */
static int by_rank(const void *a, const void *b)
{
	const struct img_slot *x = *(const struct img_slot *const *)a;
	const struct img_slot *y = *(const struct img_slot *const *)b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (x->record.time_ns != y->record.time_ns)
		return x->record.time_ns < y->record.time_ns ? -1 : 1;
	return (x->record.cpu > y->record.cpu) - (x->record.cpu < y->record.cpu);
}

struct table *worst_finish(struct worst *w, struct arena *a)
{
	const struct p_query *q = w->t->query;
	struct table *t = arena_new(a, struct table);

	t->n_columns = q->n_columns;
	t->columns = q->columns;
	if (w->slots.n)
		qsort(w->slots.v, (size_t)w->slots.n, sizeof(*w->slots.v), by_rank);
	for (int i = 0; i < w->slots.n && i < q->worst_n; i++)
		record_cells(a, w->rows, &w->slots.v[i]->record, table_add_row(a, t));
	return t;
}

void worst_close(struct worst *w)
{
	arena_fini(&w->arena);
	free(w);
}
