/* The rows of `open`. See open_rows.h. */
#include "vm/open_rows.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "vm/vm.h"

struct begin {
	uint32_t bytes;
	int open;			/* number in image->opens */
	bool before;			/* it began before the start */
	const void *key, *record;
};

struct open_rows {
	struct arena arena, records;
	const struct bpf_image *image;
	struct vm vm;
	struct record now;		/* the event that programs see: a time */
	struct vm_code *codes, *befores;	/* image->opens, image->befores */
	int open;
	VEC(struct begin) begins;
};

static int maps_open(struct open_rows *o, struct err *e)
{
	o->vm.maps = arena_array(&o->arena, struct vm_map, o->image->maps.n);
	for (int i = 0; i < o->image->maps.n; i++) {
		int err;

		o->vm.n_maps = i + 1;
		err = vm_map_init(&o->vm.maps[i], &o->image->maps.v[i], false, e);
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
	o->codes = arena_array(&o->arena, struct vm_code, image->opens.n);
	for (int i = 0; i < image->opens.n && !err; i++)
		err = vm_code_init(&o->arena, &o->codes[i], &image->opens.v[i].prog, &o->vm, e);
	o->befores = arena_array(&o->arena, struct vm_code, image->befores.n);
	for (int i = 0; i < image->befores.n && !err; i++)
		err = vm_code_init(&o->arena, &o->befores[i], &image->befores.v[i].prog, &o->vm, e);
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
		vm_map_fini(&o->vm.maps[i]);
	free(o->vm.ring);
	arena_fini(&o->records);
	arena_fini(&o->arena);
	free(o);
}

void open_rows_begin(struct open_rows *o, int open)
{
	o->open = open;
}

static const void *copy(struct open_rows *o, const void *from, uint32_t bytes)
{
	return memcpy(arena_array(&o->records, uint64_t, bytes / 8 + 1), from, bytes);
}

static void add(struct open_rows *o, const void *key, const void *record, bool before)
{
	const struct img_map *m = &o->image->maps.v[o->image->opens.v[o->open].begins];

	vec_push(&o->records, &o->begins, ((struct begin){ m->value_bytes, o->open, before,
		 copy(o, key, m->key_bytes), copy(o, record, m->value_bytes) }));
}

void open_rows_add(struct open_rows *o, const void *key, const void *record)
{
	add(o, key, record, false);
}

/* ---- calls from before the start ---- */

static void put_word(struct record *r, int word, uint64_t value)
{
	r->words[word] = value;
	r->valid |= RECORD_BIT(word);
}

static struct record record_of(const struct before_call *c)
{
	struct record r = { .time_ns = c->since_ns };

	put_word(&r, RECORD_SYSNR, (uint64_t)c->nr);
	for (int i = 0; i < 6; i++)
		put_word(&r, RECORD_SYSARG + i, c->args[i]);
	put_word(&r, RECORD_PID, (uint64_t)c->pid);
	put_word(&r, RECORD_TID, (uint64_t)c->tid);
	put_word(&r, RECORD_UID, (uint64_t)c->uid);
	put_word(&r, RECORD_GID, (uint64_t)c->gid);
	put_word(&r, RECORD_COMM, (uint64_t)(uintptr_t)c->comm);
	r.strings = RECORD_BIT(RECORD_COMM);
	put_word(&r, BEFORE_PPID, (uint64_t)c->ppid);
	if (c->started_ns)
		put_word(&r, BEFORE_STARTED, c->started_ns);
	if (c->process_started_ns)
		put_word(&r, BEFORE_PROCESS_STARTED, c->process_started_ns);
	return r;
}

/* Their begins into the tables here. */
static int begin_all(struct open_rows *o, const struct before_call *calls, int n, struct err *e)
{
	for (int i = 0; i < n; i++) {
		struct record r = record_of(&calls[i]);

		o->vm.record = &r;
		for (int k = 0; k < o->image->befores.n; k++)
			if (!vm_code_run(&o->befores[k], &o->vm, &r.valid,
					 sizeof(r) - offsetof(struct record, valid)))
				return err_push(e, -EFAULT, "program %s: %s", o->befores[k].name, o->vm.fault);
	}
	return 0;
}

static void add_before(void *arg, const void *key, const void *record)
{
	add(arg, key, record, true);
}

int open_rows_before(struct open_rows *o, const struct p_query *q, const struct before_call *calls, int n,
		     struct err *e)
{
	int known = o->begins.n, code = begin_all(o, calls, n, e);

	for (int i = 0; i < known; i++)
		vm_map_delete(&o->vm.maps[o->image->opens.v[o->begins.v[i].open].begins], o->begins.v[i].key);
	for (o->open = 0; o->open < o->image->opens.n; o->open++)
		if (o->image->opens.v[o->open].query == q)
			vm_map_each(&o->vm.maps[o->image->opens.v[o->open].begins], add_before, o);
	for (int i = 0; i < o->image->befores.n; i++)
		vm_map_clear(&o->vm.maps[o->image->befores.v[i].begins]);
	return code;
}

/* ---- rows ---- */

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

/* How long it has been open, nothing else? */
static bool is_duration(const struct p_branch *b, const struct px *e)
{
	for (int i = b->steps.n - 1; i >= 0; i--)
		if (e->op == PX_LET && b->steps.v[i].kind == STEP_LET && b->steps.v[i].let == e->index)
			e = b->steps.v[i].expr;
	return e->op == PX_DURATION;
}

static void mark_least(const struct p_event *e, const struct p_query *q, struct cell *cells)
{
	const struct p_branch *b = e->actions.v[0].branches.v[0];

	for (int i = 0; i < q->n_columns; i++)
		cells[i].at_least |= cells[i].kind == CELL_INT && is_duration(b, b->columns[i]);
}

/* The row that was printed, if one was. */
static void take_printed(struct open_rows *o, const struct begin *b, const struct img_rows *rows, struct table *t,
			 struct arena *a)
{
	uint64_t head = o->vm.ring_used ? o->vm.ring[0] : 0;

	if (rows && head & RING_SUBMITTED && (head & RING_BYTES) >= rows->bytes) {
		struct cell *cells = table_add_row(a, t);

		record_cells(a, rows, (const void *)(o->vm.ring + 1), cells);
		if (b->before)
			mark_least(o->image->opens.v[b->open].prog.event, rows->query, cells);
	}
	o->vm.ring_used = 0;
}

static int run_all(struct open_rows *o, const struct img_rows *rows, uint64_t now_ns,
		   struct table *t, struct arena *a, struct err *e)
{
	o->now.time_ns = now_ns;
	o->vm.record = &o->now;
	for (int i = 0; i < o->begins.n; i++) {
		const struct begin *b = &o->begins.v[i];

		if (!vm_code_run(&o->codes[b->open], &o->vm, b->record, b->bytes))
			return err_push(e, -EFAULT, "program %s: %s", o->codes[b->open].name,
					o->vm.fault);
		take_printed(o, b, rows, t, a);
	}
	return 0;
}

struct table *open_rows_table(struct open_rows *o, const struct reading *of, uint64_t now_ns,
			      struct arena *a, struct err *e)
{
	const struct img_table *t = of->t;
	struct reading r = { .image = o->image, .t = t, .clear = true, .seconds = of->seconds,
			     .alike = of->alike };
	struct map_source maps = { o->vm.maps, vm_maps_read };
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
	const uint64_t *words = (const void *)o->vm.maps[o->image->counters].array;

	return words[counter];
}
