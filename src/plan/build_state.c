/*
 * split state: actions where a thread's state changes, and the states as parts of the row's
 * duration. What is done with them is in bpf/cg_split.c.
 */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"
#include "plan/build_event.h"
#include "plan/build_period.h"
#include "plan/build_scope.h"
#include "plan/build_store.h"

/*
 * In this order: the scheduler's; those of a thread that waits for a lock of the kernel, whatever
 * the scheduler says meanwhile; what runs on top of a thread, a hard interrupt also on top of a softirq.
 * What the catalog cannot tell is left out.
 */
enum {
	PART_RUNNING, PART_RUNNABLE, PART_DISK, PART_UNINTERRUPTIBLE, PART_SLEEPING, PART_STOPPED,
	PART_THROTTLED,
	PART_LOCK, PART_SPINNING,
	PART_SOFTIRQ, PART_IRQ,
	PART_STATES
};

static const struct state {
	const char *name;
	const char *system, *event;	/* that tells of it; NULL: it is always told */
} states[PART_STATES] = {
	[PART_RUNNING] = { "running", NULL, NULL },
	[PART_RUNNABLE] = { "runnable", NULL, NULL },
	[PART_DISK] = { "disk", NULL, NULL },
	[PART_UNINTERRUPTIBLE] = { "uninterruptible", NULL, NULL },
	[PART_SLEEPING] = { "sleeping", NULL, NULL },
	[PART_STOPPED] = { "stopped", NULL, NULL },
	[PART_THROTTLED] = { "throttled", NULL, NULL },		/* see throttled_by() */
	[PART_LOCK] = { "lock", "lock", "contention_begin" },
	[PART_SPINNING] = { "spinning", "lock", "contention_begin" },
	[PART_SOFTIRQ] = { "softirq", "irq", "softirq_entry" },
	[PART_IRQ] = { "irq", "irq", "irq_handler_entry" },
};

/* x86's vectors without a handler's number are those that may take long; IPIs that only reschedule do not. */
static const struct interrupt {
	const char *system, *begins, *ends;
	int state;
} interrupts[] = {
	{ "irq", "softirq_entry", "softirq_exit", PART_SOFTIRQ },
	{ "irq", "irq_handler_entry", "irq_handler_exit", PART_IRQ },
	{ "irq_vectors", "local_timer_entry", "local_timer_exit", PART_IRQ },
	{ "irq_vectors", "call_function_entry", "call_function_exit", PART_IRQ },
	{ "irq_vectors", "call_function_single_entry", "call_function_single_exit", PART_IRQ },
};

/* What a thread is in once it was switched from, %s where it is ready to run; the first that this catalog can say. */
static const char *const left[] = {
	"prev_state in (running, preempted) ? %s : prev_state == disk ? prev.in_iowait ? 2 : 3"
	" : prev_state in (stopped, traced) ? 5 : prev_state == idle ? 3 : 4",
	"prev_state in (running, preempted) ? 1 : prev_state == disk ? 2"
	" : prev_state in (stopped, traced) ? 5 : prev_state == idle ? 3 : 4",
};

/*
 * Has its cgroup used up its quota (cpu.max)? Since 6.18 a thread is throttled by itself, on its way to the program;
 * before, all that its queue has, and what wakes into it.
 */
static const struct throttled {
	const char *type, *member;
	const char *ready, *woken;	/* the state then; NULL: as ever */
} throttled[] = {
	{ "task_struct", "throttled", "(prev.throttled ? 6 : 1)", NULL },
	{ "cfs_rq", "throttle_count", "(prev.se.cfs_rq.throttle_count > 0 ? 6 : 1)",
	  "p.se.cfs_rq.throttle_count > 0 ? 6 : 1" },
};

static const struct cat_event *event_named(struct build *b, const char *system, const char *name)
{
	const struct catalog *c = b->env->catalog;

	return c->ops->event(c->self, str_of(system), str_of(name));
}

static uint8_t attach_of(const struct build *b, const struct cat_event *event)
{
	return b->options->has.replay ? ATTACH_RECORD
	       : b->options->has.tp_btf && event->btf_id ? ATTACH_TP_BTF : ATTACH_TP_PERF;
}

static struct b_action *event_at(struct build *b, const char *system, const char *name, struct loc loc)
{
	struct source_match *m = arena_new(b->arena, struct source_match);
	struct b_action *e = arena_new(b->arena, struct b_action);

	m->event = event_named(b, system, name);
	if (!m->event) {
		diag_error(b->diag, DIAG_NO_EVENT, loc, "there is no event %s:%s", system, name);
		return NULL;
	}
	m->attach = attach_of(b, m->event);
	m->name = arena_printf(b->arena, "%s:%s", system, name);
	m->loc = loc;
	e->match = m;
	e->event = build_event(b, m);
	e->side = (struct side){ .event = m->event, .form = &e->event->form, .name = m->name };
	e->loc = loc;
	return e;
}

/* A change of the row's state, or NULL. */
static struct p_action *add_state(struct build *b, struct b_period *row, struct b_action *e,
				  const char *thread, enum state_when when, int state)
{
	struct p_action *a = arena_new(b->arena, struct p_action);

	if (!e)
		return NULL;
	a->kind = ACT_STATE;
	a->period = row->plan;
	a->loc = e->loc;
	a->when = when;
	a->state = px_number(b->env, e->loc, state, &type_int);
	a->guard = build_text(b, e, false, arena_printf(b->arena, "%s != 0", thread));
	a->keys = arena_array(b->arena, struct px *, 1);
	a->keys[0] = build_text(b, e, false, thread);
	vec_push(b->arena, &e->event->actions[ACT_STATE], a);
	return a;
}

/* The first of these that this event's form can say. */
static struct px *one_of(struct build *b, struct b_action *e, const char *const *texts, int n)
{
	struct px *found = NULL;

	for (int i = 0; i < n && !found; i++)
		found = build_text(b, e, i + 1 < n, texts[i]);
	return found;
}

/* How this kernel tells; NULL: not. A task's members are those of arguments. */
static const struct throttled *throttled_by(struct build *b)
{
	const struct catalog *c = b->env->catalog;
	const struct cat_event *at = event_named(b, "sched", "sched_switch");
	struct cat_member m;

	for (size_t i = 0; at && attach_of(b, at) == ATTACH_TP_BTF && i < sizeof(throttled) / sizeof(*throttled); i++) {
		uint32_t type = c->ops->struct_type(c->self, str_of(throttled[i].type));

		if (type && c->ops->member(c->self, type, str_of(throttled[i].member), &m))
			return &throttled[i];
	}
	return NULL;
}

/* What all of a row's states are made with. */
struct row_states {
	struct build *build;
	struct b_period *row;
	struct loc loc;
	int at[PART_STATES];		/* the state's number */
};

static void add_switches(const struct row_states *t)
{
	struct build *b = t->build;
	const struct throttled *by = throttled_by(b);
	struct b_action *e = event_at(b, "sched", "sched_switch", t->loc);
	struct p_action *from = add_state(b, t->row, e, "prev_pid", STATE_SWITCHED, PART_RUNNABLE), *woken;

	if (from && e->match->attach != ATTACH_TP_PERF)
		from->state = build_text(b, e, true, arena_printf(b->arena, left[0], by ? by->ready : "1"));
	if (from && !from->state)
		from->state = build_text(b, e, false, left[1]);
	add_state(b, t->row, e, "next_pid", STATE_SWITCHED, PART_RUNNING);
	add_state(b, t->row, event_at(b, "sched", "sched_waking", t->loc), "pid", STATE_WOKEN, PART_RUNNABLE);
	if (!by || !by->woken)
		return;
	e = event_at(b, "sched", "sched_wakeup", t->loc);	/* it has its queue now */
	woken = add_state(b, t->row, e, "pid", STATE_WOKEN, PART_RUNNABLE);
	if (woken)
		woken->state = build_text(b, e, false, by->woken);
}

static void add_lock(const struct row_states *t, const char *event, enum state_when when, int state, bool may_spin)
{
	static const char *const address[] = { "lock_addr", "lock" };	/* the format's, an argument's */
	struct b_action *e = event_at(t->build, "lock", event, t->loc);
	struct p_action *a = add_state(t->build, t->row, e, "current.tid", when, state);

	if (!a)
		return;
	a->lock = one_of(t->build, e, address, 2);
	if (may_spin)			/* LCB_F_SPIN: on a spinlock, or on a mutex while its owner runs */
		a->state = build_text(t->build, e, false, arena_printf(t->build->arena, "(flags & 1) != 0 ? %d : %d",
				      t->at[PART_SPINNING], t->at[PART_LOCK]));
}

static void add_locks(const struct row_states *t)
{
	struct p_split *split = t->row->plan->split;

	split->locks = split->n_own + t->at[PART_LOCK];
	split->lock = build_row_slot(t->build, t->row, type_int);
	add_lock(t, "contention_begin", STATE_LOCK_BEGINS, t->at[PART_LOCK], true);
	add_lock(t, "contention_end", STATE_LOCK_ENDS, PART_RUNNING, false);
}

static void add_interrupts(const struct row_states *t)
{
	struct build *b = t->build;
	struct p_split *split = t->row->plan->split;

	split->under = build_row_slot(b, t->row, type_int);
	split->interrupts = split->n_own + t->at[PART_SOFTIRQ];
	for (size_t i = 0; i < sizeof(interrupts) / sizeof(*interrupts); i++) {
		const struct interrupt *in = &interrupts[i];

		if (!event_named(b, in->system, in->begins) || !event_named(b, in->system, in->ends))
			continue;
		add_state(b, t->row, event_at(b, in->system, in->begins, t->loc), "current.tid",
			  STATE_INTERRUPTED, t->at[in->state]);
		add_state(b, t->row, event_at(b, in->system, in->ends, t->loc), "current.tid",
			  STATE_GOES_ON, t->at[in->state]);
	}
}

static bool is_known(struct build *b, int part)
{
	const struct state *s = &states[part];

	return part == PART_THROTTLED ? throttled_by(b) != NULL : !s->event || event_named(b, s->system, s->event);
}

int build_count_states(struct build *b)
{
	int n = 0;

	for (int i = 0; i < PART_STATES; i++)
		n += is_known(b, i);
	return n;
}

void build_states(struct build *b, struct b_period *row, struct loc loc)
{
	struct row_states t = { .build = b, .row = row, .loc = loc };
	struct p_split *split = row->plan->split;

	split->state = build_row_slot(b, row, type_int);
	for (int i = 0, n = 0; i < PART_STATES; i++) {
		t.at[i] = n;
		if (is_known(b, i))
			split->parts[split->n_own + n++] = (struct p_part){ .name = states[i].name, .on_thread = true };
	}
	if (!build_is_of_thread(b, row)) {
		diag_error(b->diag, DIAG_NO_OWNER, loc,
			   "'split state' needs a thread, but this period may end on another than it began");
		diag_help(b->diag, "if it never does: without a key, or on tid at each end");
		return;
	}
	add_switches(&t);
	if (is_known(b, PART_LOCK))
		add_locks(&t);
	if (is_known(b, PART_SOFTIRQ) || is_known(b, PART_IRQ))
		add_interrupts(&t);
}
