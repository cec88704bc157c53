/*
 * What began before the start: no event tells of it, /proc does. Here it is decided
 * what of it a plan asks for.
 */
#include "plan/build.h"

#include <string.h>

static bool is_call_event(const struct cat_event *cat)
{
	return cat->kind == CAT_SYSCALL_ENTER || cat->kind == CAT_SYSCALL_EXIT;
}

static void add_calls(struct p_calls *all, const struct p_calls *more)
{
	all->n = 0;
	for (int i = 0; i < SYSCALL_MOST / 64; i++) {
		all->bits[i] |= more ? more->bits[i] : ~0ull;
		all->n += __builtin_popcountll(all->bits[i]);
	}
}

/* A call whose begin is not kept has only an end. */
static void look_at(struct plan *p, const struct p_event *e, const struct p_action *a)
{
	if (is_call_event(e->cat) && a->period &&
	    (a->kind == ACT_BEGIN || (a->kind == ACT_END && a->period->is_call)))
		add_calls(&p->before_calls, a->calls);
}

static bool is_of_prev(const struct px *e, void *arg)
{
	(void)arg;
	return e->op == PX_FIELD && e->field && !strncmp(e->field->name, "prev", 4);
}

/* Does it begin where a thread leaves a CPU? */
static bool is_wait(const struct b_period *p)
{
	const struct b_action *begin = p->begins.v;

	if (p->begins.n != 1 || !begin->plan || begin->event->plan->cat->kind != CAT_TRACEPOINT ||
	    strcmp(begin->event->plan->cat->name, "sched_switch"))
		return false;
	if (begin->plan->task)
		return px_any(begin->plan->task, is_of_prev, NULL);
	return p->plan->n_keys == 1 && px_any(begin->plan->keys[0], is_of_prev, NULL);
}

void build_before(struct build *b)
{
	struct plan *p = b->plan;

	if (b->options->has.replay)
		return;
	for (int i = 0; i < p->events.n; i++)
		for (int k = 0; k < p->events.v[i]->actions.n; k++)
			look_at(p, p->events.v[i], &p->events.v[i]->actions.v[k]);
	for (int i = 0; i < b->periods.n; i++)
		p->before_waits |= is_wait(b->periods.v[i]);
}
