/*
 * recorded: reads a trace as records: what its classes become and which of their fields
 * the programs use is found once; then event by event.
 */
#include "trace/impl.h"

#include <stdlib.h>


/* ---- opening ---- */

struct recorded *recorded_open(struct ctf *trace)
{
	struct recorded *r = xcalloc(1, sizeof(*r));

	r->trace = trace;
	r->classes = arena_array(&r->arena, struct rec_class, trace->n_classes);
	r->streams = arena_array(&r->arena, struct rec_stream, trace->n_streams);
	r->texts = xmalloc(RECORDED_TEXTS_BYTES);
	r->enter = (struct cat_event){ .kind = CAT_SYSCALL_ENTER, .system = "raw_syscalls",
				       .name = "sys_enter" };
	r->exit = (struct cat_event){ .kind = CAT_SYSCALL_EXIT, .system = "raw_syscalls",
				      .name = "sys_exit" };
	r->start = (struct cat_event){ .kind = CAT_TRACEPOINT, .system = "", .name = "cpu@start" };
	rec_names_make(r);
	return r;
}

void recorded_close(struct recorded *r)
{
	if (!r)
		return;
	rec_tasks_fini(&r->tasks);
	free(r->texts);
	arena_fini(&r->arena);
	free(r);
}

struct catalog recorded_catalog(struct recorded *r)
{
	return (struct catalog){ &recorded_catalog_ops, r };
}

static const char *disk_name(void *self, uint64_t dev)
{
	const struct rec_disk *disk = map_get(&((struct recorded *)self)->disks, &dev, sizeof(dev));

	return disk ? disk->name : NULL;
}

static uint64_t wall_ns(void *self, uint64_t time_ns)
{
	(void)self;
	return time_ns;
}

struct names recorded_names(struct recorded *r)
{
	return (struct names){ .self = r, .disk = disk_name, .wall_ns = wall_ns,
				.stack = rec_stack_show };
}

/* ---- what is asked for ---- */

static const struct recorded_event *asked(const struct recorded *r, const struct cat_event *event)
{
	return map_get(&r->asked, &event, sizeof(event));
}

/* ---- what is decoded ---- */

/* Words of a call that its entry tells. */
#define CALL_ARGUMENTS (RECORD_BIT(RECORD_FIELDS_MOST) - 1 - RECORD_BIT(RECORD_SYSNR) - \
			RECORD_BIT(RECORD_SYSRET))

static void want(struct recorded *r, struct rec_out *out, struct ctf_class *class,
		 const struct rec_field *from)
{
	struct rec_fetch f = { .word = from->word, .how = from->how, .more = { -1, -1, -1 } };

	f.slot = ctf_want(r->trace, class, from->scope, from->from);
	if (f.slot < 0)
		return;
	if (from->how == HOW_REQUEST) {
		f.more[0] = ctf_want(r->trace, class, CTF_PAYLOAD, "dev");
		f.more[1] = ctf_want(r->trace, class, CTF_PAYLOAD, "nr_sector");
		f.more[2] = ctf_want(r->trace, class, CTF_PAYLOAD, "rwbs");
	}
	r->needs |= rec_how_needs(f.how);
	vec_push(&r->arena, &out->fetches, f);
}

static struct rec_out *add_out(struct recorded *r, struct rec_class *c)
{
	if (!c->outs)
		c->outs = arena_array(&r->arena, struct rec_out, OUTS_MOST);
	return &c->outs[c->n_outs++];
}

static void add_form(struct recorded *r, struct rec_class *c, struct ctf_class *class,
		     const struct rec_form *f)
{
	const struct recorded_event *e = f->is_built ? asked(r, &f->cat) : NULL;
	uint64_t words = e ? e->words : 0;
	struct rec_out *out;

	if ((!e && !(r->wants->thread_ends && f->live && !strcmp(f->full, "sched:sched_process_exit"))) ||
	    c->n_outs >= OUTS_MOST)
		return;
	out = add_out(r, c);
	out->event = &f->cat;
	for (int i = 0; i < f->from.n; i++)
		if (words & RECORD_BIT(f->from.v[i].word))
			want(r, out, class, &f->from.v[i]);
}

/* The end of calls as it is asked for; NULL: not of this call. */
static const struct recorded_event *asked_call(const struct recorded *r, const struct rec_class *c,
					       const struct cat_event *end)
{
	const struct recorded_event *e = asked(r, end);

	if (e && !e->any_call && c->call && !(e->calls[c->call->cat.nr / 64] >> c->call->cat.nr % 64 & 1))
		return NULL;
	return e;
}

static void add_call(struct recorded *r, struct rec_class *c, struct ctf_class *class)
{
	const struct cat_event *event = c->end == CALL_ENTERS ? &r->enter : &r->exit;
	const struct recorded_event *here = asked_call(r, c, event), *later = asked_call(r, c, &r->exit);
	uint64_t words = here ? here->words : 0, at_exit = later ? later->words & CALL_ARGUMENTS : 0;
	struct rec_out *out;

	c->keeps = at_exit;
	if (!here && !c->keeps)
		return;
	if (c->keeps)
		words |= at_exit;
	out = add_out(r, c);
	out->event = here ? event : NULL;
	out->is_call = true;
	c->id = c->call ? -1 : ctf_want(r->trace, class, CTF_PAYLOAD, "id");
	c->ret = c->end == CALL_RETURNS && words & RECORD_BIT(RECORD_SYSRET) ?
		ctf_want(r->trace, class, CTF_PAYLOAD, "ret") : -1;
	for (int i = 0; c->call && i < c->call->from.n; i++)
		if (words & RECORD_BIT(c->call->from.v[i].word))
			want(r, out, class, &c->call->from.v[i]);
}

/* Returns the words that are read of any event. */
static uint64_t begin_asked(struct recorded *r, const struct recorded_wants *wants)
{
	uint64_t words = 0;

	r->wants = wants;
	for (int i = 0; i < wants->events.n; i++) {
		const struct recorded_event *e = &wants->events.v[i];

		*map_put(&r->arena, &r->asked, &e->event, sizeof(e->event)) = (void *)e;
		words |= e->words;
	}
	return words;
}

bool recorded_begin(struct recorded *r, const struct recorded_wants *wants,
		    const struct ctf_options *range)
{
	const uint64_t commons = ~0ull << RECORD_FIELDS_MOST, words = begin_asked(r, wants);
	const struct recorded_event *exits = asked(r, &r->exit);
	const struct ctf_event *first;
	struct ctf_options o = *range;

	if (wants->running || (words & commons) || (exits && exits->words & CALL_ARGUMENTS))
		r->needs |= MODEL_TASKS;
	r->common_words = (words & commons) | RECORD_BIT(RECORD_TID) | RECORD_BIT(RECORD_PID);
	for (int i = 0; i < r->trace->n_classes; i++) {
		struct ctf_class *class = r->trace->classes[i];
		struct rec_class *c = &r->classes[class->number];

		if (rec_start_is_told_by(r, c)) {
			*add_out(r, c) = (struct rec_out){ .event = &r->start, .is_start = true };
			r->needs |= MODEL_TASKS;
		}
		if (c->name->own)
			add_form(r, c, class, c->name->own);
		for (int k = 0; k < c->name->live.n; k++)
			add_form(r, c, class, c->name->live.v[k]);
		if (c->call)
			rec_call_tell(r, c->call);
		if (c->end != NOT_A_CALL)
			add_call(r, c, class);
	}
	rec_stacks_want(r);
	if (r->needs & MODEL_NAMES)
		r->common_words |= RECORD_BIT(RECORD_COMM) | RECORD_BIT(RECORD_PPID);
	rec_roles_make(r);
	for (int i = 0; i < r->trace->n_classes; i++) {
		struct rec_class *c = &r->classes[r->trace->classes[i]->number];

		rec_task_want(r, c, r->trace->classes[i]);
		c->is_plain = c->n_outs == 1 && !c->outs[0].is_call && !c->outs[0].is_start &&
			      !c->outs[0].fetches.n && !c->learns && !r->wants->stacks && !(r->needs & MODEL_TASKS);
	}
	o.any_order = wants->any_order && rec_tells_itself(r);
	rec_tasks_init(&r->tasks, r->needs);
	rec_start_init(r, range);
	rec_dump_learn(r, range);
	ctf_begin(r->trace, range);
	first = ctf_next(r->trace);
	r->record.time_ns = first ? (uint64_t)first->time_ns : 0;
	r->began = r->ended = !first;
	rec_skip(r);
	ctf_begin(r->trace, &o);
	return o.any_order;
}

/* ---- records ---- */

static void add_call_words(const struct rec_class *c, const struct ctf_event *e,
			   struct record *rec)
{
	const struct ctf_value *id = ctf_value(e, c->id), *ret = ctf_value(e, c->ret);

	if (c->call || (id->has && id->u < SYSCALL_MOST)) {
		rec->words[RECORD_SYSNR] = c->call ? (uint64_t)c->call->cat.nr : id->u;
		rec->valid |= RECORD_BIT(RECORD_SYSNR);
	}
	if (ret->has) {
		rec->words[RECORD_SYSRET] = ret->u;
		rec->valid |= RECORD_BIT(RECORD_SYSRET);
	}
}

static void add_commons(const struct rec_thread *t, struct record *rec)
{
	for (uint64_t left = t->valid; left; left &= left - 1) {
		int word = __builtin_ctzll(left);

		rec->words[word] = t->words[word - RECORD_FIELDS_MOST];
	}
	rec->valid |= t->valid;
	rec->strings |= t->valid & RECORD_BIT(RECORD_COMM);
}

/* The event as one of its names; NULL: it was only to be kept. */
static const struct record *make(struct recorded *r, const struct rec_class *c,
				 const struct rec_out *out)
{
	struct record *rec = &r->record;

	rec->event = out->event;
	rec->time_ns = (uint64_t)r->event->time_ns;
	if (out->is_start && !rec_start_make(r, rec))
		return NULL;
	rec->valid = rec->strings = 0;
	rec->lost = rec->lost_packets = 0;
	rec->gap = false;
	r->texts_used = 0;
	for (int i = 0; i < out->fetches.n; i++)
		rec_fetch(r, &out->fetches.v[i], r->event, rec);
	rec_stacks_take(r, c, rec);
	if (out->is_call)
		add_call_words(c, r->event, rec);
	if (r->thread)
		add_commons(r->thread, rec);
	if (out->is_call && c->keeps && r->thread) {
		if (c->end == CALL_ENTERS)
			rec_call_keep(r->thread, rec, r->gaps);
		else
			rec_call_give(r->thread, rec, r->gaps);
	}
	return out->event ? rec : NULL;
}

/* Only the time. */
static const struct record *make_time(struct recorded *r, bool gap)
{
	struct record *rec = &r->record;

	rec->event = NULL;
	rec->valid = rec->strings = 0;
	rec->lost = rec->lost_packets = 0;
	rec->gap = gap;
	return rec;
}

/* What the stream lost since it was counted last goes into the record. */
static bool count_lost(struct recorded *r, const struct ctf_stream *s)
{
	struct rec_stream *seen = &r->streams[s->number];
	uint64_t lost = s->discarded_events - seen->lost;
	uint64_t lost_packets = s->discarded_packets - seen->lost_packets;

	seen->lost = s->discarded_events;
	seen->lost_packets = s->discarded_packets;
	r->record.lost += lost;
	r->record.lost_packets += lost_packets;
	return lost || lost_packets;
}

/* A new packet: events may be missing before it, and up to the next one. */
static const struct record *enter_packet(struct recorded *r, const struct ctf_stream *s)
{
	struct rec_stream *seen = &r->streams[s->number];
	bool was_lossy = seen->was_lossy;

	make_time(r, true);
	seen->packets = s->packets;
	seen->was_lossy = count_lost(r, s);
	rec_start_packet(r, s, seen->was_lossy || was_lossy);
	if (!seen->was_lossy && !was_lossy)
		return NULL;
	r->gaps++;
	return &r->record;
}

static inline void learn(struct recorded *r, enum rec_when when)
{
	if (r->class->learns & 1 << when)
		rec_learn(r, r->class, r->event, r->record.cpu, when);
}

static inline const struct record *make_plain(struct recorded *r, const struct rec_class *c)
{
	struct record *rec = &r->record;

	rec->event = c->outs[0].event;
	rec->valid = rec->strings = 0;
	rec->lost = rec->lost_packets = 0;
	rec->gap = false;
	return rec;
}

/* The last record: the time at which the trace ends, and what was lost before packets that have no
 * event. */
static __attribute__((noinline)) const struct record *make_end(struct recorded *r)
{
	if (r->ended)
		return NULL;
	r->ended = true;
	r->record.time_ns = rec_last_ns(r);
	make_time(r, false);
	for (int i = 0; i < r->trace->n_streams; i++)
		count_lost(r, r->trace->streams[i]);
	return &r->record;
}

/* The next record of the event whose records are handed out, or NULL: it had all. */
static __attribute__((noinline)) const struct record *go_on(struct recorded *r)
{
	const struct record *rec = NULL;

	while (r->out < r->class->n_outs && !rec)
		rec = make(r, r->class, &r->class->outs[r->out++]);
	if (rec)
		return rec;
	learn(r, WHEN_DONE);
	r->event = NULL;
	return NULL;
}

/* The first record of the event, or NULL: it has none. enters: a packet begins with it. */
static __attribute__((noinline)) const struct record *
take(struct recorded *r, const struct rec_class *c, const struct ctf_event *e, bool enters)
{
	const struct record *rec;

	r->event = e;
	r->class = c;
	r->out = 0;
	learn(r, WHEN_FIRST);
	r->thread = (r->needs & MODEL_TASKS) && (c->n_outs || c->is_kernel) ?
		rec_task_of(r, c, e, &r->record) : NULL;
	learn(r, WHEN_KNOWN);
	rec = enters ? enter_packet(r, e->stream) : NULL;
	return rec ? rec : go_on(r);
}

const struct record *recorded_next(struct recorded *r)
{
	const struct record *rec = NULL;

	if (!r->began) {
		r->began = true;
		return make_time(r, false);
	}
	if (r->event)
		rec = go_on(r);
	while (!rec) {
		const struct ctf_event *e = ctf_next(r->trace);
		const struct rec_class *c;
		bool enters;

		if (!e)
			return make_end(r);
		c = &r->classes[e->class->number];
		r->record.time_ns = (uint64_t)e->time_ns;
		r->record.cpu = e->stream->cpu >= 0 ? (uint32_t)e->stream->cpu : 0;
		enters = e->stream->packets != r->streams[e->stream->number].packets;
		if (c->is_plain && !enters)
			return make_plain(r, c);
		rec = take(r, c, e, enters);
	}
	return rec;
}
