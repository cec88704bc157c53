/* The rows of `open`. See open_rows.h. */
#include "replay/open_rows.h"

#include <errno.h>
#include <stdlib.h>

#include "replay/vm.h"

struct begin {
	uint32_t bytes;
	int open;			/* number in image->opens */
	const void *record;
};

struct open_rows {
	struct arena arena, records;
	const struct bpf_image *image;
	struct vm vm;
	struct record now;		/* the event that programs see: a time */
	struct rp_code *codes;		/* image->opens */
	int open;
	VEC(struct begin) begins;
};

static int maps_open(struct open_rows *o, struct err *e)
{
	o->vm.maps = arena_array(&o->arena, struct rp_map, o->image->maps.n + 1);
	for (int i = 0; i < o->image->maps.n; i++) {
		int err;

		o->vm.n_maps = i + 1;
		err = rp_map_init(&o->vm.maps[i], &o->image->maps.v[i], false, e);
		if (err)
			return err;
	}
	return 0;
}

struct open_rows *open_rows_open(struct err *e, const struct bpf_image *image, bool checked)
{
	struct open_rows *o = xcalloc(1, sizeof(*o));
	int err;

	o->image = image;
	o->vm.checked = checked;
	o->vm.ring = xmalloc(VM_RING_BYTES);
	err = maps_open(o, e);
	o->codes = arena_array(&o->arena, struct rp_code, image->opens.n + 1);
	for (int i = 0; i < image->opens.n && !err; i++)
		err = rp_code_init(&o->arena, &o->codes[i], &image->opens.v[i].prog, &o->vm, e);
	if (!err)
		return o;
	open_rows_close(o);
	return NULL;
}

void open_rows_close(struct open_rows *o)
{
	if (!o)
		return;
	for (int i = 0; i < o->vm.n_maps; i++)
		rp_map_fini(&o->vm.maps[i]);
	free(o->vm.ring);
	arena_fini(&o->records);
	arena_fini(&o->arena);
	free(o);
}

void open_rows_begin(struct open_rows *o, int open)
{
	o->open = open;
}

void open_rows_add(struct open_rows *o, const void *record)
{
	uint32_t bytes = o->image->maps.v[o->image->opens.v[o->open].begins].value_bytes;
	uint64_t *copy = arena_array(&o->records, uint64_t, bytes / 8 + 1);

	memcpy(copy, record, bytes);
	vec_push(&o->records, &o->begins, ((struct begin){ bytes, o->open, copy }));
}

/* The longest open first; whatever order a table has them in. */
static int by_time(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;
	uint64_t tx, ty;

	memcpy(&tx, x->record, 8);
	memcpy(&ty, y->record, 8);
	if (tx != ty)
		return tx < ty ? -1 : 1;
	if (x->open != y->open)
		return x->open - y->open;
	return memcmp(x->record, y->record, x->bytes);
}

/* The row that was printed, if one was. */
static void take_printed(struct open_rows *o, const struct img_rows *rows, struct table *t,
			 struct arena *a)
{
	uint64_t head = o->vm.ring_used ? o->vm.ring[0] : 0;

	if (rows && head & RING_SUBMITTED && (head & RING_BYTES) >= rows->bytes)
		record_cells(a, rows, (const void *)(o->vm.ring + 1), table_add_row(a, t));
	o->vm.ring_used = 0;
}

static int run_all(struct open_rows *o, const struct img_rows *rows, uint64_t now_ns,
		   struct table *t, struct arena *a, struct err *e)
{
	o->now.time_ns = now_ns;
	o->vm.record = &o->now;
	for (int i = 0; i < o->begins.n; i++) {
		const struct begin *b = &o->begins.v[i];

		if (!rp_code_run(&o->codes[b->open], &o->vm, b->record, b->bytes))
			return err_push(e, -EFAULT, "program %s: %s", o->codes[b->open].name,
					o->vm.fault);
		take_printed(o, rows, t, a);
	}
	return 0;
}

struct table *open_rows_table(struct open_rows *o, const struct reading *of, uint64_t now_ns,
			      struct arena *a, struct err *e)
{
	const struct img_table *t = of->t;
	struct reading r = { .image = o->image, .t = t, .clear = true, .seconds = of->seconds,
			     .alike = of->alike };
	struct map_source maps = { o->vm.maps, rp_maps_read };
	struct table *out = arena_new(a, struct table);
	int err;

	out->n_columns = t->query->n_columns;
	out->columns = t->query->columns;
	if (o->begins.n)
		qsort(o->begins.v, (size_t)o->begins.n, sizeof(*o->begins.v), by_time);
	err = run_all(o, t->rows[0] < 0 ? image_find_rows(o->image, t->query) : NULL, now_ns, out, a, e);
	if (!err && t->rows[0] >= 0)
		err = read_table(&maps, &r, a, &out);
	arena_fini(&o->records);
	o->begins.v = NULL;
	o->begins.n = o->begins.cap = 0;
	return err ? NULL : out;
}

uint64_t open_rows_counter(const struct open_rows *o, int counter)
{
	const uint64_t *words;

	if (o->image->counters < 0 || counter < 0)
		return 0;
	words = (const void *)o->vm.maps[o->image->counters].array;
	return words[counter];
}
