/* Where the begins of calls of functions are kept. */
#include "plan/build_store.h"

#include "plan/build_event.h"
#include "plan/build_period.h"
#include "plan/build_scope.h"

static void key_by_frame(struct build *b, struct b_period *p)
{
	p->plan->n_keys = 2;
	p->plan->key_types = arena_array(b->arena, struct type, 2);
	p->plan->key_types[0] = p->plan->key_types[1] = type_int;
	for (int i = 0; i < p->begins.n + p->ends.n; i++) {
		struct b_action *e = build_action_at(p, i);

		e->plan->keys = arena_array(b->arena, struct px *, 2);
		e->plan->keys[0] = build_text(b, e, false, "current.tid as s64");
		e->plan->keys[1] = px_new(b->env, PX_FRAME, e->loc, &type_int);
	}
}

static bool use_thread(struct build *b, struct b_period *p)
{
	if (!b->options->has.task_storage || build_watches_allocator(p))
		return false;
	for (int i = 0; i < p->begins.n + p->ends.n; i++) {
		struct b_action *e = build_action_at(p, i);

		e->plan->task = build_text(b, e, false, "current.task");
	}
	return true;
}

/* Whoever asks for it finds the thread's latest. */
static void use_table(struct build *b, struct b_period *p)
{
	struct p_period *period = p->plan;
	bool asked = build_is_asked(p);

	key_by_frame(b, p);
	if (period->listable || period->looked_up || period->needs_depth)
		build_latest_by_thread(b, p);
	period->store = STORE_HASH;
	period->why = asked ? "what is open is asked for: the begins are in a table, by thread and frame"
			    : "the thread cannot keep the begins: they are in a table, by thread and "
			      "frame";
}

/* The copy that a fork made of the begin is older than the child. */
static void leave_out_child(struct build *b, struct b_period *p)
{
	for (int i = 0; i < p->ends.n; i++) {
		struct b_action *e = &p->ends.v[i];
		struct px *born = build_text(b, e, true, "current.task.start_time");

		if (!born)
			continue;
		e->plan->record_guard = px_both(b->env, OP_AND, e->plan->record_guard,
			px_both(b->env, OP_GE, px_new(b->env, PX_BEGIN_TIME, e->loc, &type_time), born));
		p->plan->needs_time = true;
	}
}

/* A return alone is one where its own thread entered. */
static void enter_before(struct build *b, struct b_action *e)
{
	struct px *open;

	if (!e->call || !e->plan)
		return;
	open = px_new(b->env, PX_OPEN, e->loc, &type_bool);
	open->look = build_look(b, e->call, e);
	open->may_none = true;
	e->plan->guard = px_both(b->env, OP_AND, open, e->plan->guard);
}

void build_func_returns(struct build *b)
{
	for (int i = 0; i < b->rows.n; i++)
		enter_before(b, b->rows.v[i]);
	for (int i = 0; i < b->periods.n; i++)
		for (int k = 0; k < build_n_actions(b->periods.v[i]); k++)
			enter_before(b, build_action_at(b->periods.v[i], k));
}

bool build_func_store(struct build *b, struct b_period *p)
{
	struct p_period *period = p->plan;

	if (!period->is_call || !p->begins.v[0].side.function)
		return false;
	if (build_is_asked(p)) {
		use_table(b, p);
	} else if (attach_is_session(p->begins.v[0].match->attach) && !plan_n_kept(period) &&
		   !period->needs_depth) {
		period->store = STORE_COOKIE;
		period->why = "only the time of the begin is used: the kernel hands it to the return";
		leave_out_child(b, p);
	} else if (use_thread(b, p)) {
		period->store = STORE_CALLS;
		plan_layout_period(period);
		period->why = arena_printf(b->arena, "a thread can be in it many times: its last %d "
					   "calls, by their frames, are kept in the thread",
					   period->calls_kept);
		if (build_misses_returns(b, p->begins.v[0].match))
			build_exit(b, p);
	} else {
		use_table(b, p);
	}
	return true;
}

/* MAX_URETPROBE_DEPTH: behind that the kernel leaves a return alone, and says so only in its log. */
void build_too_deep(struct build *b, struct b_period *p)
{
	for (int i = 0; p->plan->is_call && i < p->begins.n; i++) {
		struct b_action *e = &p->begins.v[i];

		if (e->plan && e->side.function && build_is_in_program(b, e->side.function))
			e->plan->too_deep = build_text(b, e, true, "current.task.utask.depth >= 64");
	}
}
