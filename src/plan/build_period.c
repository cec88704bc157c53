/*
 * Periods: begins and ends find each other by keys, and what is used of the
 * begin becomes slots of its record. language.md, "How the two ends of a period
 * find each other".
 */
#include "plan/build.h"

#include "lang/diag_tags.h"

/* ---- scopes ---- */

struct scope build_event_scope(struct build *b, struct b_action *e)
{
	struct scope s = { .env = b->env, .end = e->side };

	s.interrupt = e->side.event && e->side.event->interrupt;
	s.event_names = b->plan->event_names;
	s.n_event_numbers = SYSCALL_MOST + 1 + 64;
	if (e->side.function)
		s.event_number = build_event_number(b, e->side.function->name);
	else if (e->side.syscall)
		s.event_number = e->side.syscall->nr;
	else if (e->match && e->match->short_name)
		s.event_number = build_event_number(b, e->match->short_name);
	s.end_event_number = s.event_number;
	build_func_entry(b, e, &s);
	return s;
}

struct ax *build_at_begin(struct build *b, const struct ax *e)
{
	struct ax *own = arena_new(b->arena, struct ax);

	*own = *e;
	if (e->kind == AX_SIDE && (e->side == SIDE_BEGIN || e->side == SIDE_VIA))
		own->kind = AX_NAME;
	if (e->kind == AX_MEMBER && e->kids[0]->kind == AX_SIDE
	    && (e->kids[0]->side == SIDE_BEGIN || e->kids[0]->side == SIDE_VIA) && str_is(e->kids[0]->text, "current")) {
		own->kind = AX_SIDE;
		own->side = SIDE_CURRENT;
		own->n_kids = 0;
		return own;
	}
	own->kids = arena_array(b->arena, struct ax *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++)
		own->kids[i] = build_at_begin(b, e->kids[i]);
	return own;
}

/* ---- actions ---- */

static struct p_action *add_action(struct build *b, struct b_action *e, enum act_kind kind,
				   const struct b_period *p)
{
	struct p_period *period = p->plan;
	struct p_action *a = arena_new(b->arena, struct p_action);

	a->kind = (uint8_t)kind;
	a->calls = e->calls;
	a->at_return = e->at_return;
	a->loc = e->loc;
	a->period = period;
	e->plan = a;
	vec_push(b->arena, &e->event->actions[kind == ACT_END && p->outlives ? ACT_KINDS : kind],
		 a);
	return a;
}

static void add_actions(struct build *b, struct b_period *p)
{
	for (int i = 0; i < p->begins.n; i++)
		add_action(b, &p->begins.v[i], ACT_BEGIN, p);
	for (int i = 0; i < p->ends.n; i++)
		add_action(b, &p->ends.v[i], ACT_END, p);
	for (int i = 0; i < p->vias.n; i++)
		add_action(b, &p->vias.v[i], ACT_VIA, p);
}

static struct px *check_where(struct scope *s, const struct ax *where)
{
	return where ? check_cond(s, where) : NULL;
}

int build_n_actions(const struct b_period *p)
{
	return p->begins.n + p->ends.n + p->vias.n;
}

struct b_action *build_action_at(struct b_period *p, int i)
{
	if (i < p->begins.n)
		return &p->begins.v[i];
	i -= p->begins.n;
	return i < p->ends.n ? &p->ends.v[i] : &p->vias.v[i - p->ends.n];
}

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

static struct b_period *cached(struct build *b, const void *of)
{
	for (int i = 0; i < b->periods.n; i++)
		if (b->periods.v[i]->of == of)
			return b->periods.v[i];
	return NULL;
}

static struct b_period *new_period(struct build *b, const void *of, struct loc loc)
{
	struct b_period *p = arena_new(b->arena, struct b_period);

	p->of = of;
	p->plan = arena_new(b->arena, struct p_period);
	*p->plan = (struct p_period){ .id = b->periods.n, .loc = loc, .c_dropped = -1,
		.c_unmatched = -1, .c_restarted = -1, .c_abandoned = -1, .c_too_deep = -1,
		.c_let_go = -1, .c_denied = -1, .name = "" };
	vec_push(b->arena, &b->periods, p);
	return p;
}

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
	struct b_period *p = cached(b, s);
	bool keyed;

	if (p)
		return p;
	p = new_period(b, s, s->loc);
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
	add_actions(b, p);
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

struct b_period *build_call(struct build *b, const void *of, struct source_match *m, bool asked)
{
	struct b_period *p = cached(b, of);
	const struct catalog *c = b->env->catalog;
	struct source_match *enter;

	if (p)
		return p;
	p = new_period(b, of, m->loc);
	p->same_thread = true;
	p->outlives = asked;
	p->plan->is_call = true;
	p->plan->name = m->names ? m->names : m->name;
	if (m->functions.n) {
		build_func_call(b, p, m);
		add_actions(b, p);
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
	build_action(b, enter, (struct b_action){ .loc = m->loc }, p, NULL, NULL);
	build_action(b, m, (struct b_action){ .loc = m->loc }, NULL, p, NULL);
	add_actions(b, p);
	return p;
}
