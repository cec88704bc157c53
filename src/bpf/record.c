/*
 * Stored values become cells: fields of a printed row, keys and values of a
 * table. What is stored was written by our programs, but of strings that others
 * chose: lengths are found within the room, never trusted.
 */
#include <string.h>

#include "bpf/image.h"

/* How much of the room is used. */
static uint32_t used_bytes(const struct type *t, const char *p, uint32_t bytes)
{
	switch (t->kind) {
	case TY_IP:
	case TY_STACK:
	case TY_USYM:
		return bytes;
	case TY_ARGS:
		for (uint32_t i = 0; i + 1 < bytes; i++)
			if (!p[i] && !p[i + 1])
				return i;
		return bytes;
	default:
		return (uint32_t)strnlen(p, bytes);
	}
}

struct cell field_cell(struct arena *a, const struct type *t, const void *p, uint32_t bytes)
{
	struct cell c = { .kind = CELL_INT };
	uint32_t n;

	if (type_is_word(t)) {
		memcpy(&c.i, p, 8);
		return c;
	}
	n = used_bytes(t, p, bytes);
	c.kind = CELL_BYTES;
	c.bytes.p = arena_strndup(a, p, n);
	c.bytes.n = (int)n;
	return c;
}

const struct img_rows *image_find_rows(const struct bpf_image *image, const struct p_query *q)
{
	for (int i = 0; i < image->rows.n; i++)
		if (image->rows.v[i].query == q)
			return &image->rows.v[i];
	return NULL;
}

void record_cells(struct arena *a, const struct img_rows *r, const struct img_record *rec,
		  struct cell *cells)
{
	const char *base = (const char *)rec;

	for (int i = 0; i < r->query->n_columns; i++) {
		const struct img_field *f = &r->columns[i];

		if (f->none_bit >= 0 && rec->none >> f->none_bit & 1)
			cells[i] = (struct cell){ .kind = CELL_NONE };
		else
			cells[i] = field_cell(a, &f->type, base + f->off, f->bytes);
	}
}
