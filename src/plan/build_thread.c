/*
 * Periods that are found by their thread: its number as a key, and what happens where a thread exits, or
 * gets another number by an exec: actions of our own at the scheduler's events.
 */
#include "plan/build_store.h"

#include "plan/build_event.h"
#include "plan/build_scope.h"

bool build_is_of_thread(struct build *b, struct b_period *p)
{
	bool same = p->same_thread || p->plan->n_keys == 1;

	for (int i = 0; i < build_n_actions(p) && same && !p->same_thread; i++) {
		struct b_action *e = build_action_at(p, i);
		const struct px *tid = build_text(b, e, true, "current.tid");

		same = tid && px_equal(tid, e->plan->keys[0]);
	}
	return same;
}

/* ---- keys ---- */

/* The idle thread's number is 0 on every CPU. */
static struct px *thread_key(struct build *b, struct b_action *e)
{
	return build_text(b, e, false,
		"current.tid as s64 == 0 ? -1 - (current.cpu as s64) : current.tid as s64");
}

/* Who asks for the period at an event finds it by its thread. */
static void key_readers(struct build *b, struct b_period *p)
{
	for (int i = 0; i < p->readers.n; i++) {
		p->readers.v[i].look->keys = arena_array(b->arena, struct px *, 1);
		p->readers.v[i].look->keys[0] = thread_key(b, p->readers.v[i].at);
	}
}

void build_key_by_thread(struct build *b, struct b_period *p)
{
	p->plan->n_keys = 1;
	p->plan->key_types = arena_new(b->arena, struct type);
	p->plan->key_types[0] = type_int;
	for (int i = 0; i < build_n_actions(p); i++) {
		struct b_action *e = build_action_at(p, i);

		e->plan->keys = arena_array(b->arena, struct px *, 1);
		e->plan->keys[0] = thread_key(b, e);
	}
	key_readers(b, p);
}

void build_latest_by_thread(struct build *b, struct b_period *p)
{
	p->plan->by_thread = true;
	for (int i = 0; i < p->begins.n; i++)
		p->begins.v[i].plan->thread = thread_key(b, &p->begins.v[i]);
	key_readers(b, p);
	build_exit(b, p);
}

/* ---- exit and exec ---- */

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
