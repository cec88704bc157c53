/*
 * replay: an image and its events: which programs an event runs, timers and
 * intervals by the events' time, and handing rows and tables out.
 *
 * What programs do is interp.c's, rp_map.c's and rp_helper.c's; what a table means is
 * agg/gather's. Where events come from it does not know: see made.c.
 */
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "agg/read.h"
#include "replay/open_rows.h"
#include "replay/vm.h"

/* Intervals without events that are shown one by one; the rest of a gap is left out. */
#define EMPTY_SHOWN_MOST 100

/* A kind of event that was met, and what it means here. */
struct class {
	const struct cat_event *event;
	struct program *first;		/* NULL: none; more by `next` */
	bool exits;			/* the running thread ends */
};

struct program {
	struct rp_code code;
	struct program *next;		/* of the same class, NULL: none */
	uint64_t interval_ns, due_ns;	/* a timer; 0: not one */
};

struct query {
	const struct p_query *plan;
	const struct img_table **tables;	/* its own, or one for each part */
	int n_tables;
	uint64_t begin_ns;
	int interval;
	bool done;			/* `first N` has its rows */
};

struct replay {
	struct arena arena;
	const struct plan *plan;
	const struct bpf_image *image;
	struct replay_options options;
	const struct img_rows **rows;	/* by query number */
	int n_rows;
	struct replay_sink sink;
	struct vm vm;
	struct program *programs;
	struct rp_native native;
	struct class *classes;		/* open addressing */
	uint32_t n_classes, cap_classes;
	struct query *queries;
	int n_queries, n_timers;
	uint64_t due_ns;		/* an interval ends or a timer runs; UINT64_MAX: never */
	bool counts_rows;		/* a query wants only its first rows */
	bool knows_threads;		/* some program asks which thread runs */
	struct open_rows *open_rows;	/* NULL: no query of `open` */
	const char *fault;		/* of the listing of what is open */
	bool started;
	uint64_t now_ns, lost;
};

/* ---- classes ---- */

static struct class *class_slot(struct class *classes, uint32_t cap, const struct cat_event *event)
{
	uint64_t hash = (uint64_t)(uintptr_t)event * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(hash >> 32) & (cap - 1);

	while (classes[i].event && classes[i].event != event)
		i = (i + 1) & (cap - 1);
	return &classes[i];
}

static void classes_grow(struct replay *r)
{
	uint32_t cap = r->cap_classes ? r->cap_classes * 2 : 64;
	struct class *classes = xcalloc(cap, sizeof(*classes));

	for (uint32_t i = 0; i < r->cap_classes; i++)
		if (r->classes[i].event)
			*class_slot(classes, cap, r->classes[i].event) = r->classes[i];
	free(r->classes);
	r->classes = classes;
	r->cap_classes = cap;
}

static __attribute__((noinline)) struct class *class_add(struct replay *r, const struct cat_event *event)
{
	struct class *c;

	if (r->n_classes >= r->cap_classes / 2)
		classes_grow(r);
	c = class_slot(r->classes, r->cap_classes, event);
	*c = (struct class){ .event = event };
	c->exits = event->kind == CAT_TRACEPOINT && !strcmp(event->system, "sched") &&
		   !strcmp(event->name, "sched_process_exit");
	r->n_classes++;
	return c;
}

static inline struct class *class_of(struct replay *r, const struct cat_event *event)
{
	struct class *c = class_slot(r->classes, r->cap_classes, event);

	return c->event ? c : class_add(r, event);
}

/* ---- opening ---- */

static int maps_open(struct replay *r, const struct replay_options *o, struct err *e)
{
	struct vm *vm = &r->vm;

	vm->maps = arena_array(&r->arena, struct rp_map, r->image->maps.n + 1);
	for (int i = 0; i < r->image->maps.n; i++) {
		const struct img_map *img = &r->image->maps.v[i];
		int err;

		vm->n_maps = i + 1;
		err = rp_map_init(&vm->maps[i], img, o->limits, e);
		if (err)
			return err;
		if (img->type == BPF_MAP_TYPE_TASK_STORAGE)
			vm->maps[i].storage = vm->tasks.n_storages++;
	}
	return 0;
}

/* Is something kept in threads, or does a program ask which one runs? */
static bool asks_thread(const struct img_prog *p)
{
	for (int i = 0; i < p->n_insns; i++)
		if (p->insns[i].code == (BPF_JMP | BPF_CALL) &&
		    (p->insns[i].imm == BPF_FUNC_get_current_task ||
		     p->insns[i].imm == BPF_FUNC_get_current_task_btf))
			return true;
	return false;
}

static int programs_open(struct replay *r, struct err *e)
{
	int n = r->image->progs.n;

	r->knows_threads = r->vm.tasks.n_storages > 0;
	classes_grow(r);
	r->programs = arena_array(&r->arena, struct program, n + 1);
	for (int i = n - 1; i >= 0; i--) {
		const struct img_prog *img = &r->image->progs.v[i];
		const struct cat_event *event = img->event ? img->event->cat : img->cat;
		struct program *p = &r->programs[i];
		int err = rp_code_init(&r->arena, &p->code, img, &r->vm, e);

		if (err)
			return err;
		r->knows_threads |= asks_thread(img);
		if (img->event && img->event->attach == ATTACH_TIMER) {
			p->interval_ns = img->event->interval_ns;
			r->n_timers++;
		} else if (event) {
			struct class *c = class_of(r, event);

			p->next = c->first;
			c->first = p;
		}
	}
	return 0;
}

static void make_native(struct replay *r)
{
	int n = r->image->progs.n;
	struct rp_code **codes = arena_array(&r->arena, struct rp_code *, n + 1);

	for (int i = 0; i < n; i++)
		codes[i] = &r->programs[i].code;
	rp_native_make(&r->native, codes, n);
}

static const struct img_table *table_of(const struct bpf_image *image, const struct p_query *q)
{
	for (int i = 0; i < image->tables.n; i++)
		if (image->tables.v[i].query == q)
			return &image->tables.v[i];
	return NULL;
}

static void query_add_table(struct replay *r, struct query *to, const struct p_query *q)
{
	const struct img_table *t = table_of(r->image, q);

	if (t)
		to->tables[to->n_tables++] = t;
}

static void queries_open(struct replay *r, const struct plan *plan)
{
	r->queries = arena_array(&r->arena, struct query, plan->queries.n + 1);
	r->n_rows = plan->queries.n;
	r->rows = arena_array(&r->arena, const struct img_rows *, r->n_rows + 1);
	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];
		struct query *to = &r->queries[r->n_queries];

		if (q->is_part)
			continue;
		to->plan = q;
		to->tables = arena_array(&r->arena, const struct img_table *, q->parts.n + 1);
		for (int k = 0; k < q->parts.n; k++)
			query_add_table(r, to, q->parts.v[k]);
		if (!q->parts.n)
			query_add_table(r, to, q);
		r->counts_rows |= q->first_n > 0;
		r->n_queries++;
	}
	for (int i = 0; i < r->image->rows.n; i++) {
		const struct img_rows *rows = &r->image->rows.v[i];

		if (rows->query->index >= 0 && rows->query->index < r->n_rows)
			r->rows[rows->query->index] = rows;
	}
}

struct replay *replay_open(struct err *e, const struct plan *plan,
			   const struct bpf_image *image, const struct replay_options *o,
			   const struct replay_sink *sink)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->plan = plan;
	r->image = image;
	r->options = *o;
	r->sink = *sink;
	r->vm.checked = o->checked;
	r->vm.ring = xmalloc(VM_RING_BYTES);
	if (maps_open(r, o, e) || programs_open(r, e)) {
		replay_close(r);
		return NULL;
	}
	if (!o->checked)
		make_native(r);
	if (image->opens.n && !(r->open_rows = open_rows_open(e, image, o->checked))) {
		replay_close(r);
		return NULL;
	}
	queries_open(r, plan);
	return r;
}

struct replay *replay_another(struct err *e, const struct replay *r)
{
	return replay_open(e, r->plan, r->image, &r->options, &r->sink);
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	open_rows_close(r->open_rows);
	rp_native_fini(&r->native);
	rp_tasks_fini(&r->vm.tasks);
	for (int i = 0; i < r->vm.n_maps; i++)
		rp_map_fini(&r->vm.maps[i]);
	free(r->vm.ring);
	free(r->classes);
	arena_fini(&r->arena);
	free(r);
}

/* ---- tables ---- */

static void keep_begin(void *arg, const void *key, const void *value)
{
	(void)key;
	open_rows_add(arg, value);
}

/* What was gathered, or of `open` what is open now. */
static struct table *query_table(struct replay *r, const struct img_table *t, struct arena *a,
				 uint64_t end_ns, double seconds)
{
	const struct bpf_image *image = r->image;
	struct err e = { .arena = a };
	struct table *out = NULL;

	if (!t->query->open) {
		read_table(&(struct map_source){ r->vm.maps, rp_maps_read },
			   &(struct reading){ image, t, 0, !t->query->every_keep, seconds }, a, &out);
		return out;
	}
	for (int i = 0; i < image->opens.n; i++) {
		if (image->opens.v[i].query != t->query)
			continue;
		open_rows_begin(r->open_rows, i);
		rp_map_each(&r->vm.maps[image->opens.v[i].begins], keep_begin, r->open_rows);
	}
	out = open_rows_table(r->open_rows, t, end_ns, seconds, a, &e);
	if (out)
		return out;
	for (int i = 0; i < e.causes.n && !r->fault; i++)
		r->fault = arena_strdup(&r->arena, e.causes.v[i]);
	return arena_new(a, struct table);
}

/* Hands the tables of the interval that ends out, and empties them. */
static void query_flush(struct replay *r, struct query *q, uint64_t end_ns)
{
	struct arena a = { 0 };
	struct replay_window w = { &a, q->interval, q->begin_ns, end_ns };
	struct table **t = arena_array(&a, struct table *, q->n_tables + 1);
	double seconds = (double)(end_ns - q->begin_ns) / 1e9;

	for (int i = 0; i < q->n_tables; i++) {
		t[i] = query_table(r, q->tables[i], &a, end_ns, seconds);
		t[i]->interval = q->interval;
		t[i]->begin_ns = q->begin_ns;
		t[i]->end_ns = end_ns;
	}
	if (q->n_tables && r->sink.tables)
		r->sink.tables(r->sink.self, q->plan, t, q->n_tables, &w);
	arena_fini(&a);
	q->interval++;
	q->begin_ns = end_ns;
}

static void query_pass_time(struct replay *r, struct query *q, uint64_t now_ns)
{
	uint64_t every = q->plan->every_ns, gap;

	for (int i = 0; every && now_ns - q->begin_ns >= every; i++) {
		if (i <= EMPTY_SHOWN_MOST) {
			query_flush(r, q, q->begin_ns + every);
			continue;
		}
		gap = (now_ns - q->begin_ns) / every;
		q->begin_ns += gap * every;
	}
}

/* Ends the intervals that are over. */
static void pass_time(struct replay *r, uint64_t now_ns)
{
	r->due_ns = UINT64_MAX;
	for (int i = 0; i < r->n_queries; i++) {
		struct query *q = &r->queries[i];
		uint64_t end_ns;

		query_pass_time(r, q, now_ns);
		if (q->plan->every_ns &&
		    !__builtin_add_overflow(q->begin_ns, q->plan->every_ns, &end_ns) &&
		    end_ns < r->due_ns)
			r->due_ns = end_ns;
	}
}

/* ---- events ---- */

static __attribute__((noinline)) int ring_drain(struct replay *r, struct err *e)
{
	struct vm *vm = &r->vm;
	uint32_t at = 0;

	while (at < vm->ring_used) {
		uint64_t head = vm->ring[at / 8], bytes = head & RING_BYTES;
		const struct img_record *rec = (const void *)(vm->ring + at / 8 + 1);
		const struct img_rows *rows;

		at += 8 + (uint32_t)((bytes + 7) & ~7ull);
		if (!(head & (RING_SUBMITTED | RING_DISCARDED)))
			return err_push(e, -EFAULT, "a record that was not submitted");
		if (!(head & RING_SUBMITTED))
			continue;
		rows = bytes >= sizeof(*rec) && rec->query < (uint32_t)r->n_rows ?
			       r->rows[rec->query] : NULL;
		if (!rows || bytes < rows->bytes)
			return err_push(e, -EFAULT, "a record of no query");
		if (r->sink.row)
			r->sink.row(r->sink.self, rows, rec);
	}
	vm->ring_used = 0;
	return 0;
}

static inline int program_run(struct replay *r, struct program *p, const struct record *rec,
		       struct err *e)
{
	struct vm *vm = &r->vm;

	vm->record = rec;
	if (!rp_code_run(&p->code, vm, &rec->valid, sizeof(*rec) - offsetof(struct record, valid)))
		return err_push(e, -EFAULT, "program %s: %s", p->code.name, vm->fault);
	return __builtin_expect(vm->ring_used, 0) ? ring_drain(r, e) : 0;
}

static int timers_run(struct replay *r, uint64_t now_ns, struct err *e)
{
	struct record rec = { 0 };
	int err = 0;

	r->vm.task = NULL;
	for (int i = 0; i < r->image->progs.n && !err; i++) {
		struct program *p = &r->programs[i];

		for (int n = 0; !err && p->interval_ns && p->due_ns <= now_ns; n++) {
			rec.time_ns = p->due_ns;
			if (n < EMPTY_SHOWN_MOST)
				err = program_run(r, p, &rec, e);
			else
				p->due_ns = now_ns;
			if (__builtin_add_overflow(p->due_ns, p->interval_ns, &p->due_ns))
				p->interval_ns = 0;
		}
		if (p->interval_ns && p->due_ns < r->due_ns)
			r->due_ns = p->due_ns;
	}
	return err;
}

/*
 * Events of this CPU are missing. What threads that ran there have begun may have ended
 * meanwhile; of what is kept by key nobody knows on which CPU it ends.
 */
static void abandon(struct replay *r, uint32_t cpu)
{
	uint64_t *words = r->image->counters < 0 ? NULL :
			  (void *)r->vm.maps[r->image->counters].array;

	for (int i = 0; i < r->image->maps.n; i++) {
		const struct p_period *p = r->image->maps.v[i].period;
		struct rp_map *m = &r->vm.maps[i];
		uint64_t n;

		if (!p)
			continue;
		n = m->storage >= 0 ? rp_tasks_abandon(&r->vm.tasks, m->storage, cpu) : m->n_used;
		if (m->storage < 0)
			rp_map_clear(m);
		if (words && p->c_abandoned >= 0 && !r->image->maps.v[i].by_thread)
			words[p->c_abandoned] += n;
	}
}

static void start(struct replay *r, uint64_t now_ns)
{
	r->started = true;
	for (int i = 0; i < r->n_queries; i++)
		r->queries[i].begin_ns = now_ns;
	for (int i = 0; i < r->image->progs.n; i++)
		r->programs[i].due_ns = now_ns + r->programs[i].interval_ns;
}

/* 1 when each query has the rows it wanted. */
static __attribute__((noinline)) int all_done(struct replay *r)
{
	int done = 0;

	for (int i = 0; i < r->n_queries; i++) {
		struct query *q = &r->queries[i];
		const uint64_t *words;

		if (q->plan->first_n && r->image->globals >= 0) {
			words = (const void *)r->vm.maps[r->image->globals].array;
			q->done = words[q->plan->g_first] >= q->plan->first_n;
		}
		done += q->done;
	}
	return r->n_queries && done == r->n_queries;
}

/* What was lost before the event, and what its time brings about. */
static __attribute__((noinline)) int see_to_time(struct replay *r, const struct record *rec, struct err *e)
{
	int err = 0;

	r->lost += rec->lost;
	if (rec->gap)
		abandon(r, rec->cpu);
	if (!r->started)
		start(r, rec->time_ns);
	pass_time(r, r->now_ns);
	if (r->n_timers)
		err = timers_run(r, r->now_ns, e);
	return !err && r->fault ? err_push(e, -EFAULT, "%s", r->fault) : err;
}

int replay_event(struct replay *r, const struct record *rec, struct err *e)
{
	const struct class *c;
	int err = 0;

	if (rec->time_ns > r->now_ns)
		r->now_ns = rec->time_ns;
	if (r->now_ns >= r->due_ns || rec->lost || rec->gap)
		err = see_to_time(r, rec, e);
	if (err || !rec->event)
		return err;
	c = class_of(r, rec->event);
	if (!c->first && !c->exits)
		return 0;
	if (r->knows_threads)
		r->vm.task = rp_task_current(&r->vm.tasks, rec);
	for (struct program *p = c->first; p && !err; p = p->next)
		err = program_run(r, p, rec, e);
	if (c->exits && r->vm.task)
		rp_task_exit(&r->vm.tasks, r->vm.task);
	return err || !r->counts_rows ? err : all_done(r);
}

void replay_finish(struct replay *r)
{
	for (int i = 0; i < r->n_queries; i++)
		query_flush(r, &r->queries[i], r->now_ns);
}

/* ---- several threads ---- */

void replay_merge(struct replay *r, const struct replay *other)
{
	const struct bpf_image *image = r->image;

	for (int i = 0; i < image->tables.n; i++)
		rp_table_merge(r->vm.maps, other->vm.maps, &image->tables.v[i]);
	for (int i = 0; image->counters >= 0 && i < r->plan->counters.n; i++) {
		uint64_t *words = (void *)r->vm.maps[image->counters].array;

		words[i] += replay_counter(other, i);
	}
	r->lost += other->lost;
	if (other->now_ns > r->now_ns)
		r->now_ns = other->now_ns;
}

/* ---- what was counted ---- */

const struct img_stack *replay_frames(const struct replay *r, const void *id)
{
	return r->image->stacks < 0 ? NULL : rp_map_lookup(&r->vm.maps[r->image->stacks], id);
}

uint64_t replay_counter(const struct replay *r, int counter)
{
	const uint64_t *words;

	if (r->image->counters < 0 || counter < 0)
		return 0;
	words = (const void *)r->vm.maps[r->image->counters].array;
	return words[counter] + (r->open_rows ? open_rows_counter(r->open_rows, counter) : 0);
}

uint64_t replay_lost(const struct replay *r)
{
	return r->lost;
}
