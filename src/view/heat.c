/* Counts by time and size. See heat.h. */
#include "view/heat.h"

#include <inttypes.h>
#include <stdlib.h>

#include "table/stack.h"

#define SLOTS 1024			/* of time: no screen has more columns */
#define CELLS 200000
#define ROWS 1000000			/* kept one by one */
#define FIRST_SLOT_NS 1000000u
#define OCTAVE 8			/* buckets from a power of two to the next */

struct heat_cell {
	uint32_t slot, bucket;
	uint64_t count;
};

struct heat_event {
	uint64_t time_ns, value;
	int node;
};

struct heat {
	struct arena arena;
	uint64_t begin_ns, end_ns;		/* of all */
	uint64_t slot_ns;
	uint64_t interval_ns;			/* of tables: the first one's length */
	VEC(struct heat_cell) cells;
	struct map by_range;			/* a bucket's number and 1 */
	VEC(struct hist_row) ranges;		/* of the buckets; no counts */
	VEC(struct heat_event) events;
	uint64_t left_out;			/* rows beyond ROWS */
};

struct heat *heat_open(void)
{
	struct heat *h = xcalloc(1, sizeof(*h));

	h->slot_ns = FIRST_SLOT_NS;
	return h;
}

void heat_close(struct heat *h)
{
	if (!h)
		return;
	arena_fini(&h->arena);
	free(h);
}

bool heat_is_empty(const struct heat *h)
{
	return !h->cells.n && !h->events.n;
}

static uint32_t bucket_of(struct heat *h, __int128 lo, __int128 hi)
{
	__int128 key[2] = { lo, hi };
	void **at = map_put(&h->arena, &h->by_range, key, sizeof(key));

	if (!*at) {
		*vec_add(&h->arena, &h->ranges) = (struct hist_row){ .lo = lo, .hi = hi };
		*at = (void *)(intptr_t)h->ranges.n;
	}
	return (uint32_t)(intptr_t)*at - 1;
}

static int by_place(const void *a, const void *b)
{
	const struct heat_cell *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return x->bucket < y->bucket ? -1 : x->bucket > y->bucket;
}

/* Adds up cells of one place. */
static void merge(struct heat *h)
{
	int n = 0;

	qsort(h->cells.v, (size_t)h->cells.n, sizeof(*h->cells.v), by_place);
	for (int i = 0; i < h->cells.n; i++) {
		struct heat_cell *c = &h->cells.v[i];

		if (n && !by_place(&h->cells.v[n - 1], c))
			h->cells.v[n - 1].count = flame_sum(h->cells.v[n - 1].count, c->count);
		else
			h->cells.v[n++] = *c;
	}
	h->cells.n = n;
}

static void halve(struct heat *h)
{
	h->slot_ns *= 2;
	for (int i = 0; i < h->cells.n; i++)
		h->cells.v[i].slot /= 2;
	merge(h);
}

static void add(struct heat *h, uint64_t wall_ns, uint32_t bucket, uint64_t count)
{
	uint64_t at = wall_ns > h->begin_ns ? wall_ns - h->begin_ns : 0;
	struct heat_cell *last;

	while (at / h->slot_ns >= SLOTS && h->slot_ns < UINT64_MAX / 2)
		halve(h);
	if (h->cells.n >= CELLS)
		for (merge(h); h->cells.n > CELLS / 2 && h->slot_ns < UINT64_MAX / 2;)
			halve(h);
	at /= h->slot_ns;
	last = h->cells.n ? &vec_last(&h->cells) : NULL;
	if (last && last->slot == at && last->bucket == bucket)
		last->count = flame_sum(last->count, count);
	else
		*vec_add(&h->arena, &h->cells) = (struct heat_cell){ (uint32_t)at, bucket, count };
}

/* The eighth of an octave that a value is in. */
static void range_of(uint64_t value, __int128 *lo, __int128 *hi)
{
	int top = value < OCTAVE ? 0 : 63 - __builtin_clzll(value) - 3;

	*lo = value >> top << top;
	*hi = *lo + (((__int128)1 << top) - 1);
}

static void see(struct heat *h, uint64_t begin_ns, uint64_t end_ns)
{
	if (!h->begin_ns)
		h->begin_ns = begin_ns;
	if (end_ns > h->end_ns)
		h->end_ns = end_ns;
}

void heat_row(struct heat *h, uint64_t wall_ns, uint64_t value, int node)
{
	__int128 lo, hi;

	see(h, wall_ns, wall_ns);
	if (!node) {
		range_of(value, &lo, &hi);
		add(h, wall_ns, bucket_of(h, lo, hi), 1);
	} else if (h->events.n < ROWS) {
		*vec_add(&h->arena, &h->events) = (struct heat_event){ wall_ns, value, node };
	} else {
		h->left_out++;
	}
}

void heat_table(struct heat *h, const struct table *t)
{
	uint64_t middle;

	see(h, t->begin_ns, t->end_ns);
	if (!h->interval_ns && t->end_ns > t->begin_ns)
		h->slot_ns = h->interval_ns = t->end_ns - t->begin_ns;
	/* by its number: lengths differ by a little, and slots must not be left empty */
	middle = h->begin_ns + h->interval_ns * (uint64_t)t->interval + h->interval_ns / 2;
	for (int r = 0; r < t->rows.n; r++)
		for (int c = 0; c < t->n_columns; c++) {
			const struct cell *cell = &t->rows.v[r][c];

			if (cell->kind != CELL_HIST || !cell->hist)
				continue;
			for (int i = 0; i < cell->hist->n; i++) {
				const struct hist_row *row = &cell->hist->rows[i];

				if (row->count)
					add(h, middle, bucket_of(h, row->lo, row->hi),
					    row->count);
			}
			break;
		}
}

/* ---- JSON ---- */

static void add_cells(struct heat *h, struct buf *b)
{
	merge(h);
	buf_puts(b, "\"ranges\":[");
	for (int i = 0; i < h->ranges.n; i++) {
		buf_puts(b, i ? ",[" : "[");
		hist_bound(b, h->ranges.v[i].lo);
		buf_putc(b, ',');
		hist_bound(b, h->ranges.v[i].hi);
		buf_putc(b, ']');
	}
	buf_puts(b, "],\"cells\":[");
	for (int i = 0; i < h->cells.n; i++) {
		const struct heat_cell *c = &h->cells.v[i];

		buf_printf(b, "%s%u,%u,%" PRIu64, i ? "," : "", c->slot, c->bucket, c->count);
	}
	buf_puts(b, "]");
}

/* Triples: ns since the first, value, place of the stack in the picture's nodes. */
static void add_events(const struct heat *h, struct buf *b, const struct flame *f)
{
	buf_puts(b, "\"events\":[");
	for (int i = 0; i < h->events.n; i++) {
		const struct heat_event *e = &h->events.v[i];
		uint64_t at = e->time_ns > h->begin_ns ? e->time_ns - h->begin_ns : 0;

		buf_printf(b, "%s%" PRIu64 ",%" PRIu64 ",%d", i ? "," : "", at, e->value,
			   f->nodes[flame_kept(f, e->node)].place);
	}
	buf_puts(b, "]");
}

void heat_json(struct heat *h, struct buf *b, const struct flame *f)
{
	buf_printf(b, "\"heat\":{\"begin\":%" PRIu64 ",\"length\":%" PRIu64 ",\"slot\":%" PRIu64
		   ",\"leftOut\":%" PRIu64 ",", h->begin_ns / 1000000, h->end_ns - h->begin_ns,
		   h->slot_ns, h->left_out);
	if (h->events.n)
		add_events(h, b, f);
	else
		add_cells(h, b);
	buf_putc(b, '}');
}
