/*
 * Filters first: what a query's first `where` stages ask of a call's entry is asked
 * there, so that of the calls that are not wanted nothing is kept.
 *
 * A term goes to the entry when it speaks only of the call's own numbers and of the
 * thread (a string's page may be absent there and present at the return), and when
 * every kind of rows made of the call has it. It stays where it was, too: that is
 * what the rows are judged by.
 *
 * The answer must not depend on it. A thread's system calls never overlap: one that is left out ends
 * what is open there, a call whose return was not seen, as keeping it would.
 *
 * A function's return must not take another call's begin for that of one that was left out.
 * In a session it does not come then; with fentry it asks the same of the arguments, which
 * it still has; else nothing is asked early.
 */
#include "plan/build_stage.h"

#include "plan/build_period.h"
#include "plan/build_scope.h"

static bool asks_twice(const struct b_period *p)
{
	return p->begins.v[0].side.function && p->reads_again;
}

/* If it is asked twice, only what is the same at both ends. */
static bool is_thread_name(const struct b_period *p, struct str name)
{
	static const char *const names[] = { "pid", "tid", "ppid", "uid", "gid", "cpu" };
	size_t n = asks_twice(p) ? 1 : sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < n; i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

/* Only operators over numbers, parameters of the query, and names known there. */
static bool is_early(const struct b_period *p, const struct ax *e)
{
	switch (e->kind) {
	case AX_NAME:
		/* both: which one is meant depends on the other sources */
		return build_is_param(p, e->text) != is_thread_name(p, e->text);
	case AX_SIDE:
		return e->side == SIDE_BEGIN && build_is_param(p, e->text);
	case AX_INT: case AX_PARAM:
		return true;
	case AX_UNARY: case AX_COND:
		/* what lacks a begin would pass where a begin that is left out does not */
		if (p->plan->may_lack_begin && (e->kind == AX_COND || e->op == OP_NOT))
			return false;
		break;
	case AX_BINARY: case AX_IN: case AX_AS_INT:
		break;
	default:
		return false;
	}
	for (int i = 0; i < e->n_kids; i++)
		if (!is_early(p, e->kids[i]))
			return false;
	return true;
}

static void add_term(struct build *b, struct b_period *p, const struct ax *e)
{
	for (int i = 0; i < p->early.n; i++)
		if (p->early.v[i].term == e) {
			p->early.v[i].n_branches++;
			return;
		}
	vec_push(b->arena, &p->early, ((struct early){ e, 1 }));
}

void build_early_where(struct build *b, struct b_branch *w, const struct ax *e)
{
	struct b_period *p = w->period;

	if (!p || !p->begins.n || !p->plan->is_call || w->scope.lets.n)
		return;
	for (int i = 0; i < w->plan->steps.n; i++)
		if (w->plan->steps.v[i].kind != STEP_WHERE)
			return;
	for (; e->kind == AX_BINARY && e->op == OP_AND; e = e->kids[0])
		if (is_early(p, e->kids[1]))
			add_term(b, p, e->kids[1]);
	if (is_early(p, e))
		add_term(b, p, e);
}

static void guard(struct build *b, struct b_action *at, const struct ax *term)
{
	struct diag own = { .arena = b->arena };
	struct check_env env = *b->env;
	struct scope s = build_event_scope(b, at);
	struct px *cond;

	env.diag = &own;
	s.env = &env;
	cond = check_cond(&s, build_at_begin(b, term));
	if (own.errors || !at->plan)
		return;
	at->plan->guard = px_both(b->env, OP_AND, at->plan->guard, cond);
	at->plan->left_out_ends = at->plan->kind == ACT_BEGIN && at->side.syscall;
}

/* A return that comes for another begin of its program would look for this one, too. */
static bool can_leave_out(const struct b_period *p)
{
	if (!p->begins.v[0].side.function || asks_twice(p))
		return true;
	for (int i = 0; i < p->begins.n; i++)
		if (!attach_is_session(p->begins.v[i].match->attach) ||
		    p->begins.v[i].event->actions[ACT_BEGIN].n > 1)
			return false;
	return true;
}

void build_early(struct build *b)
{
	for (int i = 0; i < b->periods.n; i++) {
		struct b_period *p = b->periods.v[i];
		const struct p_period *period = p->plan;

		/* asked by `in`, `open`, `split`: open is what has begun, wanted or not */
		if (!p->early.n || period->store == STORE_ELIDED || build_is_asked(p) ||
		    period->needs_depth || period->tree || !can_leave_out(p))
			continue;
		for (int k = 0; k < p->early.n; k++) {
			if (p->early.v[k].n_branches != p->n_branches)
				continue;
			for (int n = 0; n < p->begins.n; n++)
				guard(b, &p->begins.v[n], p->early.v[k].term);
			for (int n = 0; asks_twice(p) && n < p->ends.n; n++)
				guard(b, &p->ends.v[n], p->early.v[k].term);
		}
	}
}
