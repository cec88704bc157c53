/*
 * fuzz: hostile values in every view. Two bytes say which view and how; then each column takes
 * a byte for its type and some for its value, until there are no more.
 */
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COLUMNS 4

struct input {
	const uint8_t *p, *end;
};

static uint64_t word(struct input *in, size_t bytes)
{
	uint64_t v = 0;

	for (; bytes && in->p < in->end; bytes--)
		v = v << 8 | *in->p++;
	return v;
}

/* The bytes up to a 0. */
static struct cell text(struct input *in, int most)
{
	struct cell c = { .kind = CELL_BYTES, .bytes = { .p = (const char *)in->p } };

	while (in->p < in->end && c.bytes.n < most && *in->p)
		in->p++, c.bytes.n++;
	in->p += in->p < in->end;
	return c;
}

static struct cell hist(struct arena *a, struct input *in)
{
	struct hist *h = arena_new(a, struct hist);

	h->n = (int)word(in, 1) % 8;
	h->rows = arena_array(a, struct hist_row, h->n);
	for (int i = 0; i < h->n; i++)
		h->rows[i] = (struct hist_row){ (__int128)1 << 8 * i, ((__int128)2 << 8 * i) - 1,
						word(in, 8) };
	return (struct cell){ .kind = CELL_HIST, .hist = h };
}

static struct cell real(struct input *in)
{
	struct cell c = { .kind = CELL_REAL };
	uint64_t v = word(in, 8);

	memcpy(&c.r, &v, sizeof(c.r));
	return c;
}

static const struct type types[] = {
	{ .kind = TY_INT, .size = 8, .is_signed = true }, { .kind = TY_INT, .size = 8 },
	{ .kind = TY_DURATION, .size = 8 }, { .kind = TY_TIME, .size = 8 }, { .kind = TY_SIZE, .size = 8 },
	{ .kind = TY_ERRNO, .size = 8 }, { .kind = TY_BOOL, .size = 8 }, { .kind = TY_DEVICE, .size = 4 },
	{ .kind = TY_STRING, .bytes = 64 }, { .kind = TY_ARGS, .bytes = 64 }, { .kind = TY_PATH, .bytes = 64 },
	{ .kind = TY_REAL, .size = 8 }, { .kind = TY_HIST },
};

static struct cell cell(struct arena *a, struct input *in, const struct type *t)
{
	if (t->kind == TY_HIST)
		return hist(a, in);
	if (t->kind == TY_REAL)
		return real(in);
	if (t->kind == TY_STRING || t->kind == TY_ARGS || t->kind == TY_PATH)
		return text(in, t->bytes);
	return (struct cell){ .kind = CELL_INT, .i = (int64_t)word(in, 8) };
}

static void show(const struct view_ops *ops, struct sink *v, const struct sink_query *q,
		 const struct table *t)
{
	static const struct loss lost = { LOSS_DROPPED, "rows", 3, true, 0 };

	if (!ops->suits || !ops->suits(q)) {
		ops->sink.query(v, q);
		if (q->is_table)
			ops->sink.table(v, q, t);
		for (int i = 0; !q->is_table && i < t->rows.n; i++)
			ops->sink.row(v, q, (uint64_t)i, t->rows.v[i]);
		if (ops->sink.losses)
			ops->sink.losses(v, &lost, 1);
	}
	ops->close(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct view_ops *const views[] = { &view_text, &view_json, &view_csv, &view_markdown, &view_prom };
	static const struct names names = { 0 };
	struct input in = { data, data + size };
	unsigned which = (unsigned)word(&in, 1), how = (unsigned)word(&in, 1);
	struct arena a = { 0 };
	struct column columns[COLUMNS] = { { .name = "a" }, { .name = "b" }, { .name = "c" }, { .name = "d" } };
	struct table t = { .n_columns = COLUMNS, .columns = columns, .begin_ns = 1, .end_ns = 1000000001 };
	struct sink_query q = { .n_columns = COLUMNS, .columns = columns, .is_table = how & 1,
				.has_interval = how & 2 };
	char *out = NULL;
	size_t n = 0;
	struct view_options o = {
		.out = open_memstream(&out, &n), .header = !(how & 4), .color = how & 8,
		.timestamp = how & 16, .width = how & 32 ? 80 : 0, .names = &names, .title = "fuzz",
	};

	for (int i = 0; i < COLUMNS; i++) {
		columns[i].type = types[word(&in, 1) % (sizeof(types) / sizeof(*types))];
		columns[i].role = i < 2 && columns[i].type.kind != TY_HIST ? COL_KEY : COL_VALUE;
	}
	do {
		struct cell *row = table_add_row(&a, &t);

		for (int i = 0; i < COLUMNS; i++)
			row[i] = cell(&a, &in, &columns[i].type);
	} while (in.p < in.end);
	t.other = how & 64;
	show(views[which % 5], views[which % 5]->open(&o), &q, &t);
	fclose(o.out);
	free(out);
	arena_fini(&a);
	return 0;
}
