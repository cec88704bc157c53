/*
 * replay: an image and its events: which programs an event runs, timers by the events'
 * time, and printed rows out of the ring.
 *
 * What programs do is interp.c's, map.c's and helper.c's. Where events come from it
 * does not know: see made.c.
 */
#include "replay/replay.h"

#include <errno.h>
#include <stdlib.h>

#include "bpf/insn.h"
#include "vm/vm.h"

#define FLUSH_ROWS 1024			/* a pipe's reader sees them so often */
/* Of a timer in a time without events: the rest is left out. */
#define EMPTY_RUN_MOST 100

/* A kind of event that was met, and what it means here. */
struct class {
	const struct cat_event *event;
	struct program *first;		/* NULL: none; more by `next` */
	bool exits;			/* the running thread ends */
};

struct program {
	struct vm_code code;
	struct program *next;		/* of the same class, NULL: none */
	uint64_t interval_ns, due_ns;	/* a timer; 0: not one */
};

struct replay {
	struct executor x;
	struct arena arena;
	const struct plan *plan;
	const struct bpf_image *image;
	struct replay_options options;
	struct record_source source;
	const struct record *next;	/* taken from the source and not run yet; NULL: none */
	struct vm vm;
	struct program *programs;
	struct vm_native native;
	struct class *classes;		/* open addressing */
	uint32_t n_classes, cap_classes;
	int n_timers;
	uint64_t due_ns;		/* a timer runs; UINT64_MAX: never */
	bool knows_threads;		/* some program asks which thread runs */
	uint32_t n_rows;		/* handed out since they were told of */
	uint64_t now_ns, lost, lost_packets;
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

static void classes_grow(struct replay *r, uint32_t cap)
{
	struct class *classes = arena_array(&r->arena, struct class, cap);

	for (uint32_t i = 0; i < r->cap_classes; i++)
		if (r->classes[i].event)
			*class_slot(classes, cap, r->classes[i].event) = r->classes[i];
	r->classes = classes;
	r->cap_classes = cap;
}

static __attribute__((noinline)) struct class *class_add(struct replay *r, const struct cat_event *event)
{
	struct class *c;

	if (r->n_classes >= r->cap_classes / 2)
		classes_grow(r, r->cap_classes * 2);
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

static bool has_rows(const struct img_table *t, int map)
{
	bool has = t->rows[0] == map || t->rows[1] == map;

	for (int i = 0; i < t->n_sets; i++)
		has |= t->sets[i].maps[0] == map || t->sets[i].maps[1] == map;
	return has;
}

static bool is_limited(const struct bpf_image *image, int map, const struct replay_options *o)
{
	bool limited = o->limits || (o->open_limit && image->maps.v[map].period);

	for (int i = 0; i < image->tables.n && o->rows_limit && !limited; i++)
		limited = has_rows(&image->tables.v[i], map);
	return limited;
}

static int maps_open(struct replay *r, const struct replay_options *o, struct err *e)
{
	struct vm *vm = &r->vm;

	vm->maps = arena_array(&r->arena, struct vm_map, r->image->maps.n);
	for (int i = 0; i < r->image->maps.n; i++) {
		const struct img_map *img = &r->image->maps.v[i];
		int err;

		vm->n_maps = i + 1;
		err = vm_map_init(&vm->maps[i], img, is_limited(r->image, i, o), e);
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
		if (insn_is_call(&p->insns[i]) &&
		    (p->insns[i].imm == BPF_FUNC_get_current_task ||
		     p->insns[i].imm == BPF_FUNC_get_current_task_btf))
			return true;
	return false;
}

static int programs_open(struct replay *r, struct err *e)
{
	int n = r->image->progs.n;
	uint32_t cap = 64;

	r->knows_threads = r->vm.tasks.n_storages > 0;
	while (cap <= 2 * (uint32_t)n)
		cap *= 2;
	classes_grow(r, cap);
	r->programs = arena_array(&r->arena, struct program, n);
	for (int i = n - 1; i >= 0; i--) {
		const struct img_prog *img = &r->image->progs.v[i];
		const struct cat_event *event = img->event ? img->event->cat : img->cat;
		struct program *p = &r->programs[i];
		int err = vm_code_init(&r->arena, &p->code, img, &r->vm, e);

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
	struct vm_code **codes = arena_array(&r->arena, struct vm_code *, n);

	for (int i = 0; i < n; i++)
		codes[i] = &r->programs[i].code;
	vm_native_make(&r->native, codes, n);
}

static const struct executor_ops ops;

struct replay *replay_open(struct err *e, const struct plan *plan,
			   const struct bpf_image *image, const struct replay_options *o,
			   const struct record_source *source)
{
	struct replay *r = xcalloc(1, sizeof(*r));

	r->x.ops = &ops;
	r->x.by_events = true;
	r->plan = plan;
	r->image = image;
	r->options = *o;
	r->source = *source;
	r->due_ns = UINT64_MAX;
	r->vm.checked = o->checked;
	r->vm.ring = xmalloc(VM_RING_BYTES);
	if (maps_open(r, o, e) || programs_open(r, e)) {
		replay_close(r);
		return NULL;
	}
	if (!o->checked)
		make_native(r);
	if (image->globals >= 0)
		r->x.globals = (void *)r->vm.maps[image->globals].array;
	return r;
}

struct executor *replay_executor(struct replay *r)
{
	return &r->x;
}

struct replay *replay_another(struct err *e, const struct replay *r)
{
	return replay_open(e, r->plan, r->image, &r->options, &(struct record_source){ .self = NULL });
}

void replay_close(struct replay *r)
{
	if (!r)
		return;
	vm_native_fini(&r->native);
	vm_tasks_fini(&r->vm.tasks);
	for (int i = 0; i < r->vm.n_maps; i++)
		vm_map_fini(&r->vm.maps[i]);
	free(r->vm.ring);
	arena_fini(&r->arena);
	free(r);
}

/* ---- events ---- */

static __attribute__((noinline)) int ring_drain(struct replay *r, struct err *e)
{
	struct vm *vm = &r->vm;
	uint32_t at = 0;

	while (at < vm->ring_used) {
		uint64_t head = vm->ring[at / 8], bytes = head & RING_BYTES;
		const struct img_record *rec = (const void *)(vm->ring + at / 8 + 1);

		at += 8 + (uint32_t)((bytes + 7) & ~7ull);
		if (!(head & RING_SUBMITTED))
			return err_push(e, -EFAULT, "a record that was not submitted");
		if (r->x.row && !r->x.row(r->x.sink, rec, (uint32_t)bytes))
			return err_push(e, -EFAULT, "a record of no query");
		r->n_rows++;
	}
	vm->ring_used = 0;
	return 0;
}

static inline int program_run(struct replay *r, struct program *p, const struct record *rec,
		       struct err *e)
{
	struct vm *vm = &r->vm;

	vm->record = rec;
	if (!vm_code_run(&p->code, vm, &rec->valid, sizeof(*rec) - offsetof(struct record, valid)))
		return err_push(e, -EFAULT, "program %s: %s", p->code.name, vm->fault);
	return __builtin_expect(vm->ring_used, 0) ? ring_drain(r, e) : 0;
}

static int timers_run(struct replay *r, uint64_t now_ns, struct err *e)
{
	struct record rec = { 0 };
	int err = 0;

	r->vm.task = NULL;
	r->due_ns = UINT64_MAX;
	for (int i = 0; i < r->image->progs.n && !err; i++) {
		struct program *p = &r->programs[i];

		for (int n = 0; !err && p->interval_ns && p->due_ns <= now_ns; n++) {
			rec.time_ns = p->due_ns;
			if (n < EMPTY_RUN_MOST)
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
 * Events of a CPU are missing. What is open may have ended among them, also what a thread began
 * elsewhere; and all of it, so that what is abandoned does not depend on where begins are kept.
 */
static void abandon(struct replay *r)
{
	uint64_t *words = r->image->counters < 0 ? NULL :
			  (void *)r->vm.maps[r->image->counters].array;

	for (int i = 0; i < r->image->maps.n; i++) {
		const struct p_period *p = r->image->maps.v[i].period;
		struct vm_map *m = &r->vm.maps[i];
		uint64_t n;

		if (!p)
			continue;
		n = m->storage >= 0 ? vm_tasks_abandon(&r->vm.tasks, m->storage) : m->n_used;
		if (m->storage < 0)
			vm_map_clear(m);
		if (words && p->c_abandoned >= 0 && !r->image->maps.v[i].by_thread)
			words[p->c_abandoned] += n;
	}
}

/* What the event tells of those before it. */
static void see(struct replay *r, const struct record *rec)
{
	if (rec->time_ns > r->now_ns)
		r->now_ns = rec->time_ns;
	if (__builtin_expect(rec->lost || rec->lost_packets || rec->gap, 0)) {
		r->lost += rec->lost;
		r->lost_packets += rec->lost_packets;
		if (rec->gap)
			abandon(r);
	}
}

static int run(struct replay *r, const struct record *rec, struct err *e)
{
	const struct class *c;
	int err = 0;

	if (r->now_ns >= r->due_ns && r->n_timers)
		err = timers_run(r, r->now_ns, e);
	if (err || !rec->event)
		return err;
	c = class_of(r, rec->event);
	if (!c->first && !c->exits)
		return 0;
	if (r->knows_threads)
		r->vm.task = vm_task_current(&r->vm.tasks, rec);
	for (struct program *p = c->first; p && !err; p = p->next)
		err = program_run(r, p, rec, e);
	if (c->exits && r->vm.task)
		vm_task_exit(&r->vm.tasks, r->vm.task);
	if (__builtin_expect(r->x.enough && !err, 0) && r->x.enough(r->x.sink))
		return EXECUTOR_ENOUGH;
	return err;
}

int replay_event(struct replay *r, const struct record *rec, struct err *e)
{
	see(r, rec);
	return run(r, rec, e);
}

/* ---- the executor ---- */

static struct replay *of(struct executor *x)
{
	return (struct replay *)x;
}

static bool fetch(struct replay *r)
{
	if (r->next)
		return true;
	r->next = r->source.next(r->source.self);
	if (r->next)
		see(r, r->next);
	return r->next;
}

/* With the first event's time. */
static int begin(struct executor *x, struct err *e)
{
	struct replay *r = of(x);
	int code = r->source.run ? r->source.run(r->source.self, r, e) : 0;

	if (code || !fetch(r))
		return code;
	x->begin_ns = r->next->time_ns;
	for (int i = 0; i < r->image->progs.n; i++) {
		struct program *p = &r->programs[i];

		p->due_ns = x->begin_ns + p->interval_ns;
		if (p->interval_ns && p->due_ns < r->due_ns)
			r->due_ns = p->due_ns;
	}
	return 0;
}

static int step(struct executor *x, uint64_t until_ns, struct err *e)
{
	struct replay *r = of(x);
	int code = 0;

	while (!code) {
		const struct record *rec;

		if (!fetch(r))
			return EXECUTOR_EVENTS;
		if (r->now_ns >= until_ns && until_ns != UINT64_MAX)
			return 0;
		rec = r->next;
		r->next = NULL;
		code = run(r, rec, e);
		if (r->n_rows >= FLUSH_ROWS && code >= 0) {
			r->n_rows = 0;
			return code | EXECUTOR_ROWS;
		}
	}
	return code;
}

static void stop(struct executor *x)
{
	(void)x;
}

static uint64_t now_ns(const struct executor *x)
{
	return ((const struct replay *)x)->now_ns;
}

static int read_map(void *x, const struct map_part *p, map_row_fn *each, void *arg)
{
	return vm_maps_read(of(x)->vm.maps, p, each, arg);
}

static const uint64_t *counters(const struct replay *r)
{
	return r->image->counters < 0 ? NULL : (const void *)r->vm.maps[r->image->counters].array;
}

static void read_counters(struct executor *x, uint64_t *counts, uint64_t *early)
{
	const uint64_t *words = counters(of(x));

	(void)early;			/* a trace's begin is not told from its rest */
	for (int i = 0; words && i < of(x)->plan->counters.n; i++)
		counts[i] = words[i];
}

static int losses(struct executor *x, struct arena *a, struct loss **l)
{
	*l = arena_array(a, struct loss, 2);
	(*l)[0] = (struct loss){ LOSS_LOST, "events that were lost while the trace was recorded",
				 of(x)->lost, true, 0 };
	(*l)[1] = (struct loss){ LOSS_LOST_PACKETS, "packets of events that were lost while the "
				 "trace was recorded", of(x)->lost_packets, true, 0 };
	return 2;
}

static const struct executor_ops ops = {
	.begin = begin, .step = step, .stop = stop, .now_ns = now_ns, .read = read_map,
	.counters = read_counters, .losses = losses,
};

/* ---- several threads ---- */

void replay_merge(struct replay *r, const struct replay *other)
{
	const struct bpf_image *image = r->image;

	for (int i = 0; i < image->tables.n; i++)
		vm_table_merge(r->vm.maps, other->vm.maps, &image->tables.v[i]);
	for (int i = 0; image->counters >= 0 && i < r->plan->counters.n; i++)
		((uint64_t *)(void *)r->vm.maps[image->counters].array)[i] += counters(other)[i];
	r->lost += other->lost;
	r->lost_packets += other->lost_packets;
	if (other->now_ns > r->now_ns)
		r->now_ns = other->now_ns;
}

/* ---- stacks ---- */

const struct img_stack *replay_frames(const struct replay *r, const void *id)
{
	return r->image->stacks < 0 ? NULL : vm_map_lookup(&r->vm.maps[r->image->stacks], id);
}
