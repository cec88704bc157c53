/* Periods of two events: begins and ends find each other by keys. language.md, "How the two ends of a
 * period find each other". */
#include "plan/build_period.h"

#include "lang/diag_tags.h"
#include "plan/build_event.h"
#include "plan/build_scope.h"
#include "plan/build_source.h"

static struct px *check_where(struct scope *s, const struct ax *where)
{
	return where ? check_cond(s, where) : NULL;
}

static void needs_key(struct build *b, const struct b_action *e)
{
	diag_error(b->diag, DIAG_NEEDS_KEY, e->loc, "this end has no key, but another has one");
	diag_help(b->diag, "write on KEY here; after the last end it is the key of all without their own");
}

static void resolve_ends(struct build *b, struct b_period *p, bool keyed)
{
	ax_list *begin_keys = NULL;

	for (int i = 0; i < p->ends.n + p->vias.n; i++) {
		struct b_action *e = i < p->ends.n ? &p->ends.v[i] : &p->vias.v[i - p->ends.n];
		struct split_where s = build_split_where(b, e->where, !keyed);
		struct scope lone = build_event_scope(b, e), both;

		e->plan->guard = check_where(&lone, s.rest);
		if (!keyed && s.end_keys.n) {
			ax_list *keys = arena_new(b->arena, ax_list);

			for (int k = 0; k < s.begin_keys.n; k++)
				vec_push(b->arena, keys, s.begin_keys.v[k]);
			begin_keys = begin_keys ? begin_keys : keys;
			build_check_keys(b, p, e, &s.end_keys, false);
		}
		both = build_period_scope(b, p, e);
		both.in_end = true;
		e->plan->record_guard = check_where(&both, s.record);
	}
	p->same_thread = !keyed && !begin_keys;
	if (p->same_thread)
		build_warn_others(b, p);
	for (int i = 0; i < p->begins.n && begin_keys; i++)
		build_check_keys(b, p, &p->begins.v[i], begin_keys, true);
	for (int i = 0; i < p->ends.n + p->vias.n && begin_keys && !b->diag->errors; i++) {
		const struct b_action *e = i < p->ends.n ? &p->ends.v[i] : &p->vias.v[i - p->ends.n];

		if (!e->plan->keys)
			needs_key(b, e);
	}
}

/* ---- entry points ---- */

/* Is e's function in this list of ends already, by another name? In some libraries aligned_alloc
 * is memalign, and two rows of one call would be one too many. */
static bool is_there_already(struct b_period *p, const struct b_action *e, enum act_kind kind,
		      const struct source_match *m)
{
	int first = kind == ACT_BEGIN ? 0 : p->begins.n;
	int end = kind == ACT_BEGIN ? p->begins.n : p->begins.n + p->ends.n + p->vias.n;

	for (int i = first; i < end; i++) {
		const struct b_action *x = build_action_at(p, i);

		if (x->is_via == e->is_via && x->where == e->where && x->on.n == e->on.n
		    && (!x->on.n || x->on.v[0] == e->on.v[0]) && build_is_another_name(x, m))
			return true;
	}
	return false;
}

static void add_ends(struct build *b, struct b_period *p, const struct ast_end *end,
		     enum act_kind kind, const ax_list *outer_on, struct ax *outer_where)
{
	bool begin = kind == ACT_BEGIN;
	const ax_list *on = end->on.n ? &end->on : outer_on;
	struct ax *where = build_and(b, outer_where, end->where ? where_prune(b->env, end->where)
							       : NULL);
	source_matches found = { 0 };

	if (!cond_holds(b->env, &end->cond))
		return;
	if (end->list) {
		for (int i = 0; i < end->list->v.n; i++)
			add_ends(b, p, end->list->v.v[i], kind, on, where);
		return;
	}
	build_end_matches(b, end->source, &found);
	for (int i = 0; i < found.n; i++) {
		struct b_action e = { .where = where, .loc = end->loc,
				      .is_via = kind == ACT_VIA };
		for (int k = 0; on && k < on->n; k++)
			vec_push(b->arena, &e.on, on->v[k]);
		if (!is_there_already(p, &e, kind, found.v[i]))
			build_action(b, found.v[i], e, begin ? p : NULL, begin ? NULL : p,
				     NULL);
	}
}

static bool check_on(struct build *b, struct b_period *p)
{
	int with = 0, n = p->begins.n + p->ends.n + p->vias.n;

	for (int i = 0; i < n; i++)
		with += build_action_at(p, i)->on.n > 0;
	for (int i = 0; i < n && with && with < n; i++) {
		struct b_action *e = build_action_at(p, i);

		if (e->on.n)
			continue;
		needs_key(b, e);
		break;
	}
	return with > 0;
}

/* The other side was not found, which was told: of this one the names of its keys are looked at. */
static void check_lone(struct build *b, struct b_period *p)
{
	for (int i = 0; i < p->begins.n + p->ends.n + p->vias.n; i++) {
		struct b_action *e = build_action_at(p, i);
		struct scope s = build_event_scope(b, e);

		for (int k = 0; k < e->on.n; k++)
			check_expr(&s, e->on.v[k]);
	}
}

static const char *names_of(struct build *b, struct b_period *p, int from, int end)
{
	const char *names = NULL;

	for (int i = from; i < end; i++)
		if (i == from || build_action_at(p, i)->match != build_action_at(p, i - 1)->match)
			names = build_name_list(b, names, build_action_at(p, i)->match->name);
	return end - from > 1 && strchr(names, ',') ? arena_printf(b->arena, "(%s)", names) : names;
}

struct b_period *build_span(struct build *b, const struct ast_span *s)
{
	struct b_period *p = build_known_period(b, s);
	bool keyed;

	if (p)
		return p;
	p = build_new_period(b, s, s->loc);
	p->plan->keep = s->keep;
	add_ends(b, p, s->from, ACT_BEGIN, &s->on, NULL);
	add_ends(b, p, s->to, ACT_END, &s->on, NULL);
	if (s->via)
		add_ends(b, p, s->via, ACT_VIA, &s->on, NULL);
	if (!p->begins.n || !p->ends.n) {
		check_lone(b, p);
		return p;
	}
	p->plan->name = arena_printf(b->arena, "%s to %s", names_of(b, p, 0, p->begins.n),
				     names_of(b, p, p->begins.n, p->begins.n + p->ends.n));
	build_add_actions(b, p);
	keyed = check_on(b, p);
	for (int i = 0; i < p->begins.n; i++) {
		struct b_action *e = &p->begins.v[i];
		struct scope lone = build_event_scope(b, e);

		e->plan->guard = check_where(&lone, e->where);
		if (keyed)
			build_check_keys(b, p, e, &e->on, true);
	}
	for (int i = p->begins.n; i < p->begins.n + p->ends.n + p->vias.n && keyed; i++)
		build_check_keys(b, p, build_action_at(p, i), &build_action_at(p, i)->on, false);
	resolve_ends(b, p, keyed);
	return p;
}
