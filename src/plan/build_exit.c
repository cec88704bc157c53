/* Periods of threads that exit, and of those that exec: actions of our own at the scheduler's events. */
#include "plan/build.h"

/* An action of our own at an event of the scheduler; NULL: there is none. */
static struct b_action *own_action(struct build *b, struct b_period *p, const char *event, enum act_kind kind)
{
	const struct catalog *c = b->env->catalog;
	struct source_match *m = arena_new(b->arena, struct source_match);
	struct b_action *e = arena_new(b->arena, struct b_action);
	struct p_action *a = arena_new(b->arena, struct p_action);

	m->event = c->ops->event(c->self, str_of("sched"), str_of(event));
	if (!m->event)
		return NULL;
	m->attach = b->options->has.replay ? ATTACH_RECORD
		  : b->options->has.tp_btf && m->event->btf_id ? ATTACH_TP_BTF : ATTACH_TP_PERF;
	m->name = arena_printf(b->arena, "sched:%s", event);
	m->loc = p->plan->loc;
	e->match = m;
	e->event = build_event(b, m);
	e->side.event = m->event;
	e->side.form = &e->event->form;
	e->side.name = m->name;
	e->loc = m->loc;
	e->plan = a;
	a->kind = kind;
	a->period = p->plan;
	a->loc = m->loc;
	a->keys = arena_array(b->arena, struct px *, 1);
	return e;
}

void build_exit(struct build *b, struct b_period *p)
{
	struct b_action *e = own_action(b, p, "sched_process_exit", ACT_EXIT);

	if (!e)
		return;
	e->plan->keys[0] = build_text(b, e, false, "current.tid as s64");
	if (p->plan->store == STORE_CALLS)
		e->plan->task = build_text(b, e, false, "current.task");
	vec_push(b->arena, &e->event->actions[ACT_EXIT], e->plan);
}

/* Can it be open while its thread execs? The only call that can is the exec itself. */
static bool spans_exec(const struct b_period *p)
{
	const struct source_match *m = p->begins.v[0].match;
	bool execs = !p->plan->is_call;

	for (int i = 0; p->plan->is_call && i < m->calls.n; i++)
		execs |= m->calls.v[i]->facts & CALL_EXECS;
	return execs;
}

void build_move(struct build *b, struct b_period *p)
{
	struct b_action *e = spans_exec(p) ? own_action(b, p, "sched_process_exec", ACT_MOVE) : NULL;

	if (!e)
		return;
	e->plan->keys[0] = build_text(b, e, true, "old_pid as s64");
	e->plan->thread = build_text(b, e, true, "current.tid as s64");
	e->plan->guard = build_text(b, e, true, "old_pid as s64 != current.tid as s64");
	if (e->plan->keys[0] && e->plan->thread && e->plan->guard)
		vec_push(b->arena, &e->event->actions[ACT_MOVE], e->plan);
}
