/*
 * Tables: rows, columns, the order and the text of cells. See table.h.
 *
 * What is done with a whole table is in stage.c and join.c; how a cell is
 * shown to people is in view/format.c. A new type of bytes needs a case in
 * cell_text here.
 */
#include "table/table.h"

#include <arpa/inet.h>
#include <limits.h>
#include <string.h>

const char *loss_name(enum loss_id id)
{
	static const char *const names[LOSSES] = {
#define LOSS(id, name, quiet, means) [LOSS_##id] = name,
#include "table/loss.def"
#undef LOSS
	};

	return names[id];
}

bool loss_is_quiet(enum loss_id id)
{
	static const bool quiet_ones[LOSSES] = {
#define LOSS(id, name, quiet, means) [LOSS_##id] = quiet,
#include "table/loss.def"
#undef LOSS
	};

	return quiet_ones[id];
}

struct cell *table_add_row(struct arena *a, struct table *t)
{
	struct cell *cells = arena_array(a, struct cell, t->n_columns);

	vec_push(a, &t->rows, cells);
	return cells;
}

const char *enum_name(const struct enum_desc *en, int64_t value)
{
	for (int i = 0; en && i < en->n; i++)
		if (en->values[i].value == value)
			return en->values[i].name;
	return NULL;
}

/* A long double holds every 64-bit integer on the machines we run on. */
static long double number(const struct type *t, const struct cell *c)
{
	if (c->kind == CELL_REAL)
		return c->r;
	return t->is_signed ? (long double)c->i : (long double)(uint64_t)c->i;
}

void hist_bound(struct buf *b, __int128 bound)
{
	if (bound < 0)
		buf_printf(b, "%lld", (long long)bound);
	else
		buf_printf(b, "%llu", bound < HIST_ABOVE ? (unsigned long long)bound : ULLONG_MAX);
}

static uint64_t hist_total(const struct hist *h)
{
	uint64_t sum = 0;

	for (int i = 0; h && i < h->n; i++)
		sum += h->rows[i].count;
	return sum;
}

static int bytes_compare(const struct cell *a, const struct cell *b)
{
	int n = a->bytes.n < b->bytes.n ? a->bytes.n : b->bytes.n;
	int order = n > 0 ? memcmp(a->bytes.p, b->bytes.p, (size_t)n) : 0;

	return order ? order : (a->bytes.n > b->bytes.n) - (a->bytes.n < b->bytes.n);
}

/* none < numbers < bytes < histograms; a column has one of them and none. */
static int rank(const struct cell *c)
{
	if (c->kind == CELL_REAL)
		return c->r != c->r ? CELL_NONE : CELL_INT;
	return c->kind;
}

int cell_compare(const struct type *t, const struct cell *a, const struct cell *b)
{
	int ra = rank(a), rb = rank(b);
	long double x, y;
	uint64_t m, n;

	if (ra != rb)
		return ra < rb ? -1 : 1;
	switch (ra) {
	case CELL_INT:
		x = number(t, a);
		y = number(t, b);
		return (x > y) - (x < y);
	case CELL_BYTES:
		return bytes_compare(a, b);
	case CELL_HIST:
		m = hist_total(a->hist);
		n = hist_total(b->hist);
		return (m > n) - (m < n);
	}
	return 0;
}

static void ip_text(struct buf *b, const char *p, int n)
{
	static const char mapped[12] = { [10] = (char)0xff, [11] = (char)0xff };
	char text[INET6_ADDRSTRLEN];

	if (n != 16) {
		buf_puts(b, "?");
		return;
	}
	if (!memcmp(p, mapped, sizeof(mapped)))
		inet_ntop(AF_INET, p + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, p, text, sizeof(text));
	buf_puts(b, text);
}

void cell_text(struct buf *b, const struct type *t, const struct cell *c)
{
	if (c->kind != CELL_BYTES)
		return;
	if (t->kind == TY_IP)
		ip_text(b, c->bytes.p, c->bytes.n);
	else
		buf_add(b, c->bytes.p, (size_t)c->bytes.n);
}
