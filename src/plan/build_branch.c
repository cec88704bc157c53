/*
 * The kinds of rows that a query's sources make, through definitions, groups, unions and `else`. What a
 * source names is in build_source.c, which begins belong to which ends in build_span.c.
 */
#include "plan/build_source.h"

#include "plan/build_event.h"
#include "plan/build_period.h"

static struct b_branch *add_branch(struct build *b, b_branches *out, const ast_stages *around)
{
	struct b_branch *w = arena_new(b->arena, struct b_branch);

	for (int i = 0; i < around->n; i++)
		vec_push(b->arena, &w->stages, around->v[i]);
	vec_push(b->arena, out, w);
	return w;
}

static void period_branches(struct build *b, struct b_period *p, b_branches *out,
			    const ast_stages *around)
{
	for (int i = 0; p->begins.n && i < p->ends.n; i++) {
		struct b_branch *w = add_branch(b, out, around);

		w->period = p;
		w->end = &p->ends.v[i];
	}
}

static void match_branches(struct build *b, const void *of, struct source_match *m, b_branches *out,
			   const ast_stages *around)
{
	if (m->call == CALL_PERIOD || build_func_return_needs_entry(b, m)) {
		struct b_period *p = build_call(b, of, m, false);

		period_branches(b, p, out, around);
	} else {
		int most = build_actions_most(m);
		struct b_action **rows = arena_array(b->arena, struct b_action *, most);

		build_action(b, m, (struct b_action){ .loc = m->loc }, NULL, NULL, rows);
		for (int i = 0; i < most && rows[i]; i++)
			add_branch(b, out, around)->end = rows[i];
	}
}

static void expand_list(struct build *b, const struct ast_sources *s, b_branches *out,
			const ast_stages *around);

/* Stages inside come before those around. */
static ast_stages stages_join(struct build *b, const ast_stages *inner, const ast_stages *outer)
{
	ast_stages all = { 0 };

	for (int i = 0; i < inner->n; i++)
		vec_push(b->arena, &all, inner->v[i]);
	for (int i = 0; i < outer->n; i++)
		vec_push(b->arena, &all, outer->v[i]);
	return all;
}

static void expand_inner(struct build *b, const struct ast_sources *s, const ast_stages *inner,
			 b_branches *out, const ast_stages *around)
{
	ast_stages all = stages_join(b, inner, around);

	expand_list(b, s, out, &all);
}

/* System calls of one union are one match: calls of one thread never overlap, so
 * they share the place of their begins. */
static bool join_calls(struct build *b, source_matches *calls, struct source_match *m)
{
	struct source_match *to = calls->n ? calls->v[0] : NULL;

	if (m->call != CALL_PERIOD || !m->calls.n)
		return false;
	if (!to) {
		vec_push(b->arena, calls, m);
		return true;
	}
	for (int i = 0; i < m->calls.n; i++)
		vec_push(b->arena, &to->calls, m->calls.v[i]);
	to->names = build_name_list(b, to->names ? to->names : to->name, m->name);
	return true;
}

static void expand(struct build *b, const struct ast_source *s, b_branches *out,
		   const ast_stages *around, source_matches *calls)
{
	for (const struct ast_source *alt = s; alt; alt = alt->otherwise) {
		const struct ast_sources *given = build_param_sources(b, alt);
		const struct ast_def *d = build_def_of(b, alt);
		source_matches found = { 0 };

		if (build_skips(b, alt))
			continue;
		if (d) {
			if (!build_def_enter(b, d, alt->loc))
				return;
			expand_inner(b, d->sources, &d->stages, out, around);
			b->open_defs.n--;
			return;
		}
		if (alt->kind == AS_GROUP) {
			expand_inner(b, alt->group, &alt->stages, out, around);
			return;
		}
		if (given) {
			expand_list(b, given, out, around);
			return;
		}
		if (alt->kind == AS_SPAN) {
			period_branches(b, build_span(b, alt->span), out, around);
			return;
		}
		build_find(b, alt, &found);
		for (int i = 0; i < found.n; i++)
			if (!join_calls(b, calls, found.v[i]))
				match_branches(b, alt, found.v[i], out, around);
		if (found.n)
			return;
	}
	build_report_none(b, s);
}

static void expand_list(struct build *b, const struct ast_sources *s, b_branches *out,
			const ast_stages *around)
{
	source_matches calls = { 0 };

	for (int i = 0; i < s->v.n; i++)
		if (cond_holds(b->env, &s->v.v[i]->cond))
			expand(b, s->v.v[i], out, around, &calls);
	/* a source that is named once and asked twice (in .. over) is one period */
	if (calls.n)
		match_branches(b, s->v.n == 1 ? (const void *)s->v.v[0] : s, calls.v[0], out, around);
}

void build_source_branches(struct build *b, struct ast_source *s, b_branches *out)
{
	struct ast_sources *one = arena_new(b->arena, struct ast_sources);

	one->loc = s->loc;
	vec_push(b->arena, &one->v, s);
	build_branches(b, one, out);
}

void build_branches(struct build *b, const struct ast_sources *s, b_branches *out)
{
	static const ast_stages none;

	expand_list(b, s, out, &none);
}

/* vfs_read() is called vfs_read, syscall:read read, syscall:* syscall, a definition by
 * its name. */
struct str build_source_name(const struct ast_source *s)
{
	struct str t = s->text;
	int n = 0;

	if (!t.n)			/* a span */
		return t;
	while (n < t.n && t.p[n] != '(')
		n++;
	t = str_sub(t, 0, n);
	for (int i = t.n - 1; i >= 0; i--) {
		if (t.p[i] == '*' || t.p[i] == '?')
			t = str_sub(t, 0, i);
		if (t.p[i] != ':')
			continue;
		return i + 1 < t.n ? str_sub(t, i + 1, -1) : str_sub(t, 0, i);
	}
	return t;
}
