/*
 * Periods: begins and ends find each other by keys, and what is used of the
 * begin becomes slots of its record. language.md, "How the two ends of a period
 * find each other".
 */
#include "plan/build.h"

#include "lang/diag_tags.h"
#include "plan/func.h"

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

struct keeper {
	struct build *build;
	struct b_period *period;
	struct b_action *end;
};

/* ---- the record ---- */

static bool via_elsewhere(struct scope *s, struct str name, struct type *type)
{
	struct keeper *k = s->elsewhere_arg;

	for (int i = 0; i < k->period->vias.n; i++) {
		struct scope other = build_event_scope(k->build, &k->period->vias.v[i]);

		if (check_side_has(&other, &other.end, name, type))
			return true;
	}
	return false;
}

static bool begin_elsewhere(struct scope *s, struct str name, struct type *type)
{
	struct keeper *k = s->elsewhere_arg;

	for (int i = 0; i < k->period->begins.n; i++) {
		struct scope other = build_event_scope(k->build, &k->period->begins.v[i]);

		if (check_side_has(&other, &other.end, name, type))
			return true;
	}
	return false;
}

static void unify_slot(struct build *b, struct p_slot *slot, const struct px *e, bool first)
{
	if (e->op == PX_NONE) {
		slot->may_none = true;
		return;
	}
	slot->may_none |= e->may_none;
	if (first || slot->type.kind == TY_NONE) {
		slot->type = e->type;
		return;
	}
	if (!type_comparable(&slot->type, &e->type))
		diag_error(b->diag, DIAG_TYPE_MISMATCH, e->loc,
			   "this has type %s at one begin and type %s at another", type_name(&slot->type),
			   type_name(&e->type));
	if (e->type.bytes > slot->type.bytes)
		slot->type.bytes = e->type.bytes;
}

static bool is_call_string(const struct px *e)
{
	return e->op == PX_CALL && e->func->is_string && e->space != SPACE_KERNEL;
}

static bool same_values(const struct b_period *p, struct px *const *a, struct px *const *b)
{
	bool any = false;

	for (int i = 0; i < p->begins.n + p->vias.n; i++) {
		if (!a[i] != !b[i] || (a[i] && !px_equal(a[i], b[i])))
			return false;
		any |= a[i] != NULL;
	}
	return any;
}

int build_slot(struct build *b, struct b_period *p, struct p_slot slot, struct px **values)
{
	int n = p->plan->slots.n;
	struct px ***grown;

	for (int i = 0; i < n; i++)
		if (same_values(p, p->slots[i], values)) {
			p->plan->slots.v[i].may_none |= slot.may_none;
			return i;
		}
	grown = arena_array(b->arena, struct px **, n + 1);
	vec_push(b->arena, &p->plan->slots, slot);
	if (n)
		memcpy(grown, p->slots, sizeof(*grown) * (size_t)n);
	grown[n] = values;
	p->slots = grown;
	return n;
}

/* The slot of the expression, checked at each begin, or at each via. */
static int check_slot(struct keeper *k, const struct ax *own, bool of_via)
{
	struct build *b = k->build;
	struct b_period *p = k->period;
	struct p_slot slot = { .type = type_none, .of_via = of_via,
			       .may_none = of_via || p->plan->may_lack_begin };
	struct px **values = arena_array(b->arena, struct px *, p->begins.n + p->vias.n);
	int from = of_via ? p->begins.n : 0, n = of_via ? p->vias.n : p->begins.n;

	for (int i = 0; i < n; i++) {
		struct b_action *at = of_via ? &p->vias.v[i] : &p->begins.v[i];
		struct scope s = build_event_scope(b, at);
		struct px *e;

		if (n > 1) {
			s.elsewhere = of_via ? via_elsewhere : begin_elsewhere;
			s.elsewhere_arg = k;
		}
		values[from + i] = e = check_expr(&s, own);
		if (e->op == PX_COMMON && e->common == COMMON_EVENT && !at->side.syscall &&
		    !at->side.many_functions)
			values[from + i] = e = px_number(b->env, e->loc, s.event_number, &e->type);
		if (p->reads_again && is_call_string(e))
			e->absent_is_none = e->may_none = true;
		unify_slot(b, &slot, e, i == 0);
	}
	return build_slot(b, p, slot, values);
}

static bool is_name(const struct ax *e, const char *name)
{
	return (e->kind == AX_NAME || (e->kind == AX_SIDE && e->side == SIDE_CURRENT))
		&& str_is(e->text, name);
}

/* The same, looked up: what is asked twice is checked once, and mistaken once. */
static int find_slot(struct keeper *k, const struct ax *own, bool of_via)
{
	struct b_period *p = k->period;
	int slot;

	for (int i = 0; i < p->kept.n; i++)
		if (p->kept.v[i].of_via == of_via && ax_equal(p->kept.v[i].asked, own))
			return p->kept.v[i].slot;
	slot = check_slot(k, own, of_via);
	vec_push(k->build->arena, &p->kept, ((struct kept){ own, of_via, slot }));
	return slot;
}

int build_keep_slot(struct build *b, struct b_period *p, const struct ax *own)
{
	return find_slot(&(struct keeper){ b, p, NULL }, own, false);
}

static bool is_exec_argv(const struct scope *s, const struct ax *own)
{
	return s->end.syscall && s->end.syscall->facts & CALL_EXECS && own->kind == AX_CALL &&
	       str_is(own->text, "argv") && own->n_kids && str_is(own->kids[0]->text, "argv");
}

/*
 * argv(argv) of exec is read when that returns, because before it a literal's page need not
 * be there: the new program has the arguments in its memory, one that was refused left
 * registers and memory as they were.
 */
static struct px *exec_argv(struct keeper *k, const struct px *first)
{
	unsigned n = first->type.bytes - TEXT_HEAD_BYTES;

	return build_text(k->build, k->end, false,
			  arena_printf(k->build->arena,
				       "ret == 0 ? cmdline(task, %u) : argv(argv, %u)", n, n));
}

/* Whose call it is: at the end, too, though it may have changed. */
static bool is_owner(const struct b_period *p, const struct ax *own)
{
	static const char *const names[] = { "comm", "tid", "ppid", "uid", "gid", "cgroup" };

	if (own->kind == AX_NAME && build_is_param(p, own->text))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_name(own, names[i]))
			return true;
	return false;
}

static struct px *begin_time(const struct scope *s, const struct p_period *p, struct loc loc)
{
	struct px *time = px_new(s->env, PX_BEGIN_TIME, loc, &type_time);

	time->may_none = p->may_lack_begin && !s->open;
	return time;
}

/* A thread that execs becomes its process's first: with that one's number. */
static bool execs(const struct b_action *end)
{
	bool any = false;

	for (int i = 0; end->side.syscall && i < end->match->calls.n; i++)
		any |= end->match->calls.v[i]->facts & CALL_EXECS;
	return any;
}

/* The callback of the checker: an expression of the begin side. */
static struct px *keep_at_begin(struct scope *s, const struct ax *e)
{
	struct keeper *k = s->keep_arg;
	struct build *b = k->build;
	struct b_period *p = k->period;
	struct ax *own = build_at_begin(b, e);
	struct scope at_end;
	int slot;

	if (build_has_via(e)) {
		slot = find_slot(k, own, true);
		if (p->plan->slots.v[slot].type.kind == TY_NONE)
			return px_none(b->env, e->loc);
		return px_slot(b->env, p->plan, slot, e->loc);
	}
	if (is_name(own, "time"))
		return begin_time(s, p->plan, e->loc);
	/* What is the same at the end is read there and not kept. */
	at_end = build_event_scope(b, k->end);
	if (p->begins.n > 1) {
		at_end.elsewhere = begin_elsewhere;
		at_end.elsewhere_arg = k;
	}
	if (p->same_thread && !s->open && !at_end.interrupt &&
	    (is_name(own, "pid") || (is_name(own, "tid") && !execs(k->end)))
	    && (own->kind == AX_SIDE || !build_is_param(p, own->text))) {
		own->kind = AX_SIDE;
		own->side = SIDE_CURRENT;
		return check_expr(&at_end, own);
	}
	/* so that `worst` takes the stacks of those that it keeps alone */
	if (p->same_thread && !s->open && !at_end.interrupt && s->begin.syscall &&
	    s->end.syscall && is_name(own, "ustack")) {
		own->kind = AX_SIDE;
		own->side = SIDE_CURRENT;
		return check_expr(&at_end, own);
	}
	if (p->reads_again && !s->open && own->kind == AX_NAME && build_is_param(p, own->text)) {
		struct px *again = check_expr(&at_end, own);

		/* what a function's char * points to may be gone */
		if (again->op != PX_LOAD)
			return again;
	}
	if (is_exec_argv(s, own) && !s->open && !b->options->has.replay) {
		struct px *again = check_expr(&at_end, own);

		return again->type.kind == TY_ARGS ? exec_argv(k, again) : again;
	}
	slot = find_slot(k, own, false);
	if (p->plan->slots.v[slot].type.kind == TY_NONE)
		return px_none(b->env, e->loc);
	if (p->reads_again && !s->open && p->slots[slot][0] && is_call_string(p->slots[slot][0]))
		return px_else(b->env, px_slot(b->env, p->plan, slot, e->loc), check_expr(&at_end, own));
	if (p->plan->may_lack_begin && !s->open && is_owner(p, own)) {
		own->kind = AX_SIDE;
		own->side = SIDE_CURRENT;
		return px_else(b->env, px_slot(b->env, p->plan, slot, e->loc), check_expr(&at_end, own));
	}
	return px_slot(b->env, p->plan, slot, e->loc);
}

struct scope build_period_scope(struct build *b, struct b_period *p, struct b_action *end)
{
	struct scope s = build_event_scope(b, end);
	struct keeper *k = arena_new(b->arena, struct keeper);

	*k = (struct keeper){ b, p, end };
	s.begin = p->begins.n ? p->begins.v[0].side : (struct side){ 0 };
	s.period = p->plan;
	s.keep = keep_at_begin;
	s.keep_arg = k;
	s.has_via = p->vias.n > 0;
	s.same_thread = p->same_thread;
	/* The common fields are the begin's. */
	s.interrupt = p->begins.n && p->begins.v[0].side.event->interrupt;
	for (int i = 0; p->plan->is_call && end->side.function && i < p->ends.n; i++)
		if (end == &p->ends.v[i])	/* the entry of the same functions */
			s.begin = p->begins.v[i].side;
	s.many_begins = p->begins.n > 1 && !end->side.syscall && !end->side.function;
	if (p->begins.n && !end->side.syscall && !end->side.function && p->begins.v[0].match)
		s.event_number = build_event_number(b, p->begins.v[0].match->short_name);
	return s;
}

static bool begin_has(struct scope *s, struct str name)
{
	struct keeper *k = s->keep_arg;
	struct type type;

	for (int i = 0; i < k->period->begins.n; i++) {
		struct scope other = build_event_scope(k->build, &k->period->begins.v[i]);

		if (check_side_has(&other, &other.end, name, &type))
			return true;
	}
	return false;
}

struct scope build_open_scope(struct build *b, struct b_period *p)
{
	struct scope s = build_period_scope(b, p, &p->ends.v[0]);

	s.open = true;
	s.begin_has = begin_has;
	return s;
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
		diag_error(b->diag, DIAG_NEEDS_KEY, e->loc, "this end has no key, but another has one");
		diag_help(b->diag, "write on KEY here; after the last end it is the key of all without their own");
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
