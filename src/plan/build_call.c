/* Calls as periods: their two ends, and those of which a return alone is asked. */
#include "plan/build_period.h"

#include "plan/build_event.h"

bool build_end_tells_begin(const struct plan_options *o)
{
	return !o->n_cpus && !o->n_tids && o->uid < 0 && !o->comm_glob && !o->cgroup_id;
}

struct b_period *build_call(struct build *b, const void *of, struct source_match *m, bool asked)
{
	struct b_period *p = build_known_period(b, of);
	const struct catalog *c = b->env->catalog;
	struct source_match *enter;

	if (p)
		return p;
	p = build_new_period(b, of, m->loc);
	p->same_thread = true;
	p->outlives = asked;
	p->plan->is_call = true;
	p->plan->name = m->names ? m->names : m->name;
	if (m->functions.n) {
		build_func_call(b, p, m);
		build_add_actions(b, p);
		return p;
	}
	p->reads_again = !b->options->has.replay;
	for (int i = 0; i < m->calls.n; i++)
		p->reads_again &= !(m->calls.v[i]->facts & CALL_NEW_REGISTERS);
	p->plan->may_lack_begin = build_end_tells_begin(b->options);
	p->plan->many_calls = b->options->has.replay && m->calls.n > 1;
	enter = arena_new(b->arena, struct source_match);
	*enter = *m;
	enter->event = c->ops->syscall_event(c->self, CAT_SYSCALL_ENTER);
	if (!enter->event)
		return p;
	build_event_action(b, enter, (struct b_action){ .loc = m->loc }, p, NULL, NULL);
	build_event_action(b, m, (struct b_action){ .loc = m->loc }, NULL, p, NULL);
	build_add_actions(b, p);
	return p;
}

static struct source_match *whole_call(struct build *b, const struct source_match *m)
{
	struct source_match *call = arena_new(b->arena, struct source_match);

	*call = *m;
	call->call = CALL_PERIOD;
	call->name = arena_strndup(b->arena, call->name, strlen(call->name) - strlen(".return"));
	return call;
}

struct b_period *build_call_of_return(struct build *b, struct source_match *m, bool asked)
{
	return build_call(b, m, whole_call(b, m), asked);
}

void build_action(struct build *b, struct source_match *m, struct b_action proto,
		  struct b_period *begin, struct b_period *end, struct b_action **rows)
{
	if (!m->functions.n) {
		build_event_action(b, m, proto, begin, end, rows);
		return;
	}
	/* of a return alone the entry still tells that it will not, or did not come, or is a child's */
	if (m->call == CALL_RETURN && build_is_in_program(b, m->functions.v[0]))
		proto.call = build_call_of_return(b, m, true);
	else if (m->call == CALL_RETURN && build_misses_returns(b, m))
		build_call_of_return(b, m, false);
	build_func_action(b, m, proto, begin, end, rows);
}
