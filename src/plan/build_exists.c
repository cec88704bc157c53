/*
 * Which alternative of an `else` chain is there on this machine, where it is more than
 * one source: a definition, a group in parentheses or a span. Such a one exists when
 * all that it names exists. Looks only; what is wrong with the one that is taken is said
 * when it is built.
 */
#include "plan/build.h"

#define NESTED_MOST 64		/* what is deeper is taken, and refused when it is built */

static bool all_there(struct build *b, const struct ast_sources *s, int depth);
static bool exists(struct build *b, const struct ast_source *s, int depth);

static bool end_there(struct build *b, const struct ast_end *e, int depth)
{
	if (!e || !cond_holds(b->env, &e->cond))
		return true;
	if (e->source)
		return exists(b, e->source, depth);
	for (int i = 0; i < e->list->v.n; i++)
		if (!end_there(b, e->list->v.v[i], depth))
			return false;
	return true;
}

static bool one_there(struct build *b, const struct ast_source *s, int depth)
{
	const struct ast_def *d = build_def_of(b, s);

	if (d)
		return all_there(b, d->sources, depth);
	if (s->kind == AS_GROUP)
		return all_there(b, s->group, depth);
	if (s->kind == AS_SPAN)
		return end_there(b, s->span->from, depth) && end_there(b, s->span->via, depth) &&
		       end_there(b, s->span->to, depth);
	return build_finds(b, s);
}

static bool exists(struct build *b, const struct ast_source *s, int depth)
{
	if (depth >= NESTED_MOST)
		return true;
	for (; s; s = s->otherwise)
		if (one_there(b, s, depth + 1))
			return true;
	return false;
}

static bool all_there(struct build *b, const struct ast_sources *s, int depth)
{
	for (int i = 0; i < s->v.n; i++)
		if (cond_holds(b->env, &s->v.v[i]->cond) && !exists(b, s->v.v[i], depth))
			return false;
	return true;
}

bool build_skips(struct build *b, const struct ast_source *s)
{
	bool compound = build_def_of(b, s) || s->kind == AS_GROUP || s->kind == AS_SPAN;

	/* the last one is built, there or not: then it is told what is missing */
	return s->otherwise && compound && !one_there(b, s, 0);
}
