/*
 * Filters first: what a query's first `where` stages ask of a system call's entry is
 * asked there, so that of the calls that are not wanted nothing is kept.
 *
 * A term goes to the entry when it speaks only of the call's own numbers and of the
 * thread (a string's page may be absent there and present at the return), and when
 * every kind of rows made of the call has it. It stays where it was, too: that is
 * what the rows are judged by.
 */
#include "plan/build.h"

static bool is_thread_name(struct str name)
{
	static const char *const names[] = { "pid", "tid", "ppid", "uid", "gid", "cpu" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

static bool is_param_name(const struct pairing *p, struct str name)
{
	for (int i = 0; i < p->begins.n; i++) {
		const struct cat_syscall *c = p->begins.v[i].side.syscall;

		for (int k = 0; k < c->n_params; k++)
			if (str_is(name, c->params[k].name))
				return true;
	}
	return false;
}

/* Only operators over numbers, parameters of the query, and names known there. */
static bool is_early(const struct pairing *p, const struct ax *e)
{
	switch (e->kind) {
	case AX_NAME:
		/* both: which one is meant depends on the other sources */
		return is_param_name(p, e->text) != is_thread_name(e->text);
	case AX_INT: case AX_PARAM:
		return true;
	case AX_UNARY: case AX_BINARY: case AX_COND: case AX_IN: case AX_AS_INT:
		break;
	default:
		return false;
	}
	for (int i = 0; i < e->n_kids; i++)
		if (!is_early(p, e->kids[i]))
			return false;
	return true;
}

static void add_term(struct build *b, struct pairing *p, const struct ax *e)
{
	for (int i = 0; i < p->early.n; i++)
		if (p->early.v[i].term == e) {
			p->early.v[i].n_ways++;
			return;
		}
	vec_push(b->arena, &p->early, ((struct early){ e, 1 }));
}

void build_early_where(struct build *b, struct way *w, const struct ax *e)
{
	struct pairing *p = w->pairing;

	if (!p || !p->begins.n || !p->begins.v[0].side.syscall || w->scope.lets.n)
		return;
	for (int i = 0; i < w->branch->steps.n; i++)
		if (w->branch->steps.v[i].kind != STEP_WHERE)
			return;
	for (; e->kind == AX_BINARY && e->op == OP_AND; e = e->kids[0])
		if (is_early(p, e->kids[1]))
			add_term(b, p, e->kids[1]);
	if (is_early(p, e))
		add_term(b, p, e);
}

static void guard_begin(struct build *b, struct endpoint *begin, const struct ax *term)
{
	struct diag own = { .arena = b->arena };
	struct check_env env = *b->env;
	struct scope s = build_event_scope(b, begin);
	struct px *cond;

	env.diag = &own;
	s.env = &env;
	cond = check_cond(&s, term);
	if (!own.errors && begin->action)
		begin->action->guard = build_and_px(b, begin->action->guard, cond);
}

void build_early(struct build *b)
{
	for (int i = 0; i < b->pairings.n; i++) {
		struct pairing *p = b->pairings.v[i];

		/* asked by `in`, `open`, `split`: open is what has begun, wanted or not */
		if (p->period->store == STORE_ELIDED || build_is_asked(p))
			continue;
		for (int k = 0; k < p->early.n; k++)
			for (int n = 0; p->early.v[k].n_ways == p->n_ways && n < p->begins.n; n++)
				guard_begin(b, &p->begins.v[n], p->early.v[k].term);
	}
}
