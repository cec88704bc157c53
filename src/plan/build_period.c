/*
 * Periods: begins and ends become pairings with keys, and what is used of the
 * begin becomes slots of its record. language.md, "How the two ends of a period
 * find each other".
 */
#include "plan/build.h"

#include "lang/diag_tags.h"

/* ---- scopes ---- */

struct scope build_event_scope(struct build *b, struct endpoint *e)
{
	struct scope s = { .env = b->env, .end = e->side };

	s.interrupt = e->side.event && e->side.event->interrupt;
	s.event_names = b->plan->event_names;
	s.n_event_numbers = SYSCALL_MOST + 64;
	if (e->side.function)
		s.event_number = build_event_number(b, e->side.function->name);
	else if (e->side.syscall)
		s.event_number = e->side.syscall->nr;
	else if (e->match && e->match->short_name)
		s.event_number = build_event_number(b, e->match->short_name);
	s.end_event_number = s.event_number;
	return s;
}

/* Calls whose registers at the return are no longer those of the entry. */
static bool clobbers_registers(const struct cat_syscall *c)
{
	static const char *const names[] = { "execve", "execveat", "rt_sigreturn", "sigreturn" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(c->name, names[i]))
			return true;
	return false;
}

/* begin.X is X where the begin is; begin.current.X is current.X. */
static struct ax *at_begin(struct build *b, const struct ax *e)
{
	struct ax *own = arena_new(b->arena, struct ax);

	*own = *e;
	if (e->kind == AX_SIDE && e->side == SIDE_BEGIN)
		own->kind = AX_NAME;
	if (e->kind == AX_MEMBER && e->kids[0]->kind == AX_SIDE && e->kids[0]->side == SIDE_BEGIN
	    && str_is(e->kids[0]->text, "current")) {
		own->kind = AX_SIDE;
		own->side = SIDE_CURRENT;
		own->n_kids = 0;
		return own;
	}
	own->kids = arena_array(b->arena, struct ax *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++)
		own->kids[i] = at_begin(b, e->kids[i]);
	return own;
}

struct keeper {
	struct build *build;
	struct pairing *pairing;
	struct endpoint *end;
};

/* ---- the record ---- */

static struct px *slot_px(struct build *b, const struct pairing *p, int slot, struct loc loc)
{
	struct px *e = arena_new(b->arena, struct px);

	*e = (struct px){ .op = PX_SLOT, .index = slot, .loc = loc,
			  .type = p->period->slots.v[slot].type,
			  .may_none = p->period->slots.v[slot].may_none };
	return e;
}

static bool begin_elsewhere(struct scope *s, struct str name, struct type *type)
{
	struct keeper *k = s->elsewhere_arg;

	for (int i = 0; i < k->pairing->begins.n; i++) {
		struct scope other = build_event_scope(k->build, &k->pairing->begins.v[i]);

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
			   "the begins give %s and %s here", type_name(&slot->type),
			   type_name(&e->type));
	if (e->type.bytes > slot->type.bytes)
		slot->type.bytes = e->type.bytes;
}

static bool is_call_string(const struct px *e)
{
	return e->op == PX_CALL && e->func == FUNC_STR && e->space != SPACE_KERNEL;
}

/* Adds a slot for the expression, checked at each begin. */
static int add_slot(struct keeper *k, const struct ax *own, struct str text)
{
	struct build *b = k->build;
	struct pairing *p = k->pairing;
	struct p_slot slot = { .type = type_none };
	struct px **values = arena_array(b->arena, struct px *, p->begins.n);
	int n = p->period->slots.n;
	struct px ***grown;

	for (int i = 0; i < p->begins.n; i++) {
		struct scope s = build_event_scope(b, &p->begins.v[i]);

		if (p->begins.n > 1) {
			s.elsewhere = begin_elsewhere;
			s.elsewhere_arg = k;
		}
		values[i] = check_expr(&s, own);
		if (p->reads_again && is_call_string(values[i])) {
			values[i]->absent_is_none = true;
			values[i]->may_none = true;
		}
		unify_slot(b, &slot, values[i], i == 0);
	}
	vec_push(b->arena, &p->period->slots, slot);
	grown = arena_array(b->arena, struct px **, n + 1);
	if (n)
		memcpy(grown, p->slots, sizeof(*grown) * (size_t)n);
	grown[n] = values;
	p->slots = grown;
	vec_push(b->arena, &p->kept, ((struct kept){ text, n }));
	return n;
}

static bool is_name(const struct ax *e, const char *name)
{
	return (e->kind == AX_NAME || (e->kind == AX_SIDE && e->side == SIDE_CURRENT))
		&& str_is(e->text, name);
}

static struct px *or_else(struct build *b, struct px *kept, struct px *again)
{
	struct px *e = arena_new(b->arena, struct px);

	*e = (struct px){ .op = PX_ELSE, .type = kept->type, .loc = kept->loc,
			  .may_none = again->may_none, .n_kids = 2 };
	e->kids = arena_array(b->arena, struct px *, 2);
	e->kids[0] = kept;
	e->kids[1] = again;
	return e;
}

/* The callback of the checker: an expression of the begin side. */
static struct px *keep_at_begin(struct scope *s, const struct ax *e)
{
	struct keeper *k = s->keep_arg;
	struct build *b = k->build;
	struct pairing *p = k->pairing;
	struct ax *own = at_begin(b, e);
	struct str text = loc_text(e->loc);
	struct scope at_end;
	int slot = -1;

	if (is_name(own, "time")) {
		struct px *time = arena_new(b->arena, struct px);

		*time = (struct px){ .op = PX_BEGIN_TIME, .type = type_time, .loc = e->loc };
		return time;
	}
	/* What is the same at the end is read there and not kept. */
	at_end = build_event_scope(b, k->end);
	if (p->begins.n > 1) {
		at_end.elsewhere = begin_elsewhere;
		at_end.elsewhere_arg = k;
	}
	if (p->same_thread && !at_end.interrupt && (is_name(own, "pid") || is_name(own, "tid"))
	    && (own->kind == AX_SIDE || !build_is_param(p, own))) {
		own->kind = AX_SIDE;
		own->side = SIDE_CURRENT;
		return check_expr(&at_end, own);
	}
	if (p->reads_again && build_is_param(p, own)) {
		struct px *again = check_expr(&at_end, own);

		/* what a function's char * points to may be gone */
		if (again->op != PX_LOAD)
			return again;
	}
	for (int i = 0; i < p->kept.n; i++)
		if (str_eq(p->kept.v[i].text, text))
			slot = p->kept.v[i].slot;
	if (slot < 0)
		slot = add_slot(k, own, text);
	if (p->period->slots.v[slot].type.kind == TY_NONE) {
		struct px *none = slot_px(b, p, slot, e->loc);

		none->op = PX_NONE;
		return none;
	}
	if (p->reads_again && p->slots[slot][0] && is_call_string(p->slots[slot][0]))
		return or_else(b, slot_px(b, p, slot, e->loc), check_expr(&at_end, own));
	return slot_px(b, p, slot, e->loc);
}

struct scope build_period_scope(struct build *b, struct pairing *p, struct endpoint *end)
{
	struct scope s = build_event_scope(b, end);
	struct keeper *k = arena_new(b->arena, struct keeper);

	*k = (struct keeper){ b, p, end };
	s.begin = p->begins.n ? p->begins.v[0].side : (struct side){ 0 };
	s.period = p->period;
	s.keep = keep_at_begin;
	s.keep_arg = k;
	s.same_thread = p->same_thread;
	/* The common fields are the begin's. */
	s.interrupt = p->begins.n && p->begins.v[0].side.event->interrupt;
	for (int i = 0; end->side.function && i < p->ends.n; i++)
		if (end == &p->ends.v[i])	/* the entry of the same functions */
			s.begin = p->begins.v[i].side;
	s.many_begins = p->begins.n > 1 && !end->side.syscall && !end->side.function;
	if (p->begins.n && !end->side.syscall && !end->side.function && p->begins.v[0].match)
		s.event_number = build_event_number(b, p->begins.v[0].match->short_name);
	return s;
}

/* ---- keys ---- */

static bool has_begin(const struct ax *e)
{
	if (e->kind == AX_SIDE && e->side == SIDE_BEGIN)
		return true;
	for (int i = 0; i < e->n_kids; i++)
		if (has_begin(e->kids[i]))
			return true;
	return false;
}

/* `expr == begin.expr`: exactly one side speaks of the begin. */
static bool is_key_term(const struct ax *e)
{
	return e->kind == AX_BINARY && e->op == OP_EQ && has_begin(e->kids[0]) != has_begin(e->kids[1]);
}

static bool hides_key_term(const struct ax *e, bool hidden)
{
	bool below = hidden || (e->kind == AX_BINARY && e->op == OP_OR)
		|| (e->kind == AX_UNARY && e->op == OP_NOT);

	if (hidden && is_key_term(e))
		return true;
	for (int i = 0; i < e->n_kids; i++)
		if (hides_key_term(e->kids[i], below))
			return true;
	return false;
}

static void flatten_and(struct build *b, struct ax *e, ax_list *terms)
{
	while (e && e->kind == AX_BINARY && e->op == OP_AND) {
		flatten_and(b, e->kids[1], terms);
		e = e->kids[0];
	}
	if (e)
		vec_push(b->arena, terms, e);
}

static struct ax *join_and(struct build *b, struct ax *x, struct ax *y)
{
	struct ax *e;

	if (!x || !y)
		return x ? x : y;
	e = arena_new(b->arena, struct ax);
	*e = (struct ax){ .kind = AX_BINARY, .op = OP_AND, .loc = loc_join(x->loc, y->loc),
			  .n_kids = 2 };
	e->kids = arena_array(b->arena, struct ax *, 2);
	e->kids[0] = x;
	e->kids[1] = y;
	return e;
}

/* The where of an end in three: keys, what needs the record, the rest. */
struct split_where {
	ax_list end_keys, begin_keys;
	struct ax *record, *rest;
};

static struct split_where split_where(struct build *b, struct ax *where, bool keys_here)
{
	struct split_where s = { 0 };
	ax_list terms = { 0 };

	flatten_and(b, where, &terms);
	for (int i = terms.n - 1; i >= 0; i--) {
		struct ax *t = terms.v[i];

		if (keys_here && is_key_term(t)) {
			int begin = has_begin(t->kids[1]);

			vec_push(b->arena, &s.begin_keys, at_begin(b, t->kids[begin]));
			vec_push(b->arena, &s.end_keys, t->kids[!begin]);
		} else if (has_begin(t)) {
			if (keys_here && hides_key_term(t, false)) {
				diag_error(b->diag, DIAG_KEY_UNDER_OR, t->loc,
					   "a comparison with the begin under || or ! is no key");
				diag_help(b->diag, "write the key behind 'on', or join it with &&");
			}
			s.record = join_and(b, s.record, t);
		} else {
			s.rest = join_and(b, s.rest, t);
		}
	}
	return s;
}

static void warn_process_local(struct build *b, struct px *const *keys, const ax_list *on)
{
	bool has_pid = false;

	for (int i = 0; i < on->n; i++)
		has_pid |= keys[i]->type.kind == TY_PID || keys[i]->type.kind == TY_TID;
	for (int i = 0; i < on->n && !has_pid; i++) {
		struct str text = loc_text(on->v[i]->loc);

		if (!str_is(text, "fd") && (keys[i]->type.kind != TY_PTR || !keys[i]->type.user))
			continue;
		diag_warning(b->diag, DIAG_OWN_PROCESS_KEY, on->v[i]->loc,
			     "'%.*s' means something only within one process", STR_ARG(text));
		diag_help(b->diag, "on (pid, %.*s)", STR_ARG(text));
	}
}

/* Thread 0 is every CPU's idle thread: a begin keyed by the thread of a switch
 * must leave it out. */
static void warn_idle(struct build *b, const struct endpoint *e, const struct ax *key)
{
	struct str text = loc_text(key->loc);
	struct buf wanted = { 0 };
	struct str where = e->where ? loc_text(e->where->loc) : (struct str){ "", 0 };

	if (!str_is(text, "prev_pid") && !str_is(text, "next_pid"))
		return;
	buf_printf(&wanted, "%.*s != 0", STR_ARG(text));
	if (!where.n || !memmem(where.p, (size_t)where.n, wanted.p, wanted.n)) {
		diag_warning(b->diag, DIAG_KEY_IDLE, key->loc,
			     "thread 0 is the idle thread of every CPU: as a key it mixes them");
		diag_help(b->diag, "where %s", wanted.p);
	}
	buf_fini(&wanted);
}

static void check_keys(struct build *b, struct pairing *p, struct endpoint *e, const ax_list *on,
		       bool is_begin)
{
	struct p_period *period = p->period;
	struct scope s = build_event_scope(b, e);
	struct px **keys = arena_array(b->arena, struct px *, on->n);

	for (int i = 0; i < on->n; i++)
		keys[i] = check_expr(&s, on->v[i]);
	if (!period->key_types) {
		period->n_keys = on->n;
		period->key_types = arena_array(b->arena, struct type, on->n);
		for (int i = 0; i < on->n; i++)
			period->key_types[i] = keys[i]->type;
	}
	if (on->n != period->n_keys) {
		diag_error(b->diag, DIAG_KEY_COUNT, e->loc, "this end has %d key%s, another has %d",
			   on->n, on->n == 1 ? "" : "s", period->n_keys);
		return;
	}
	for (int i = 0; i < on->n; i++) {
		struct type *t = &period->key_types[i];

		if (keys[i]->type.kind == TY_POISON)
			continue;
		/* Offline a key that is none pairs with nothing. */
		if (keys[i]->op == PX_NONE || keys[i]->type.kind == TY_STRUCT ||
		    keys[i]->type.kind == TY_ARRAY ||
		    (keys[i]->may_none && !b->options->has.replay))
			diag_error(b->diag, DIAG_BAD_KEY, on->v[i]->loc,
				   "a key is a number or a string that is always there");
		else if (t->kind != TY_POISON && type_is_word(t) != type_is_word(&keys[i]->type))
			diag_error(b->diag, DIAG_KEY_TYPE, on->v[i]->loc,
				   "a key of type %s can't be compared with one of type %s",
				   type_name(&keys[i]->type), type_name(t));
		if (keys[i]->type.bytes > t->bytes)
			t->bytes = keys[i]->type.bytes;
		if (is_begin)
			warn_idle(b, e, on->v[i]);
	}
	warn_process_local(b, keys, on);
	e->action->keys = keys;
}

/* ---- actions ---- */

static struct p_action *add_action(struct build *b, struct endpoint *e, enum act_kind kind,
				   struct p_period *period)
{
	struct p_action *a = arena_new(b->arena, struct p_action);

	a->kind = (uint8_t)kind;
	a->calls = e->calls;
	a->at_return = e->at_return;
	a->loc = e->loc;
	a->period = period;
	e->action = a;
	vec_push(b->arena, &e->point->actions[kind], a);
	return a;
}

static void add_actions(struct build *b, struct pairing *p)
{
	for (int i = 0; i < p->begins.n; i++)
		add_action(b, &p->begins.v[i], ACT_BEGIN, p->period);
	for (int i = 0; i < p->ends.n; i++)
		add_action(b, &p->ends.v[i], ACT_END, p->period);
}

static struct px *check_where(struct scope *s, const struct ax *where)
{
	return where ? check_cond(s, where) : NULL;
}

static void resolve_ends(struct build *b, struct pairing *p, bool keyed)
{
	ax_list *begin_keys = NULL;

	for (int i = 0; i < p->ends.n; i++) {
		struct endpoint *e = &p->ends.v[i];
		struct split_where s = split_where(b, e->where, !keyed);
		struct scope lone = build_event_scope(b, e), both;

		e->action->guard = check_where(&lone, s.rest);
		if (!keyed && s.end_keys.n) {
			ax_list *keys = arena_new(b->arena, ax_list);

			for (int k = 0; k < s.begin_keys.n; k++)
				vec_push(b->arena, keys, s.begin_keys.v[k]);
			begin_keys = begin_keys ? begin_keys : keys;
			check_keys(b, p, e, &s.end_keys, false);
		}
		both = build_period_scope(b, p, e);
		both.in_end = true;
		e->action->record_guard = check_where(&both, s.record);
	}
	p->same_thread = !keyed && !begin_keys;
	for (int i = 0; i < p->begins.n && begin_keys; i++)
		check_keys(b, p, &p->begins.v[i], begin_keys, true);
}

/* ---- entry points ---- */

static struct pairing *cached(struct build *b, const void *of)
{
	for (int i = 0; i < b->pairings.n; i++)
		if (b->pairings.v[i]->of == of)
			return b->pairings.v[i];
	return NULL;
}

static struct pairing *new_pairing(struct build *b, const void *of, struct loc loc)
{
	struct pairing *p = arena_new(b->arena, struct pairing);

	p->of = of;
	p->period = arena_new(b->arena, struct p_period);
	*p->period = (struct p_period){ .id = b->pairings.n, .loc = loc, .c_dropped = -1,
		.c_unmatched = -1, .c_restarted = -1, .c_abandoned = -1, .name = "" };
	vec_push(b->arena, &b->pairings, p);
	return p;
}

static void add_ends(struct build *b, struct pairing *p, const struct ast_end *end, bool begin,
		     const ax_list *outer_on, struct ax *outer_where)
{
	const ax_list *on = end->on.n ? &end->on : outer_on;
	struct ax *where = join_and(b, outer_where, end->where ? where_prune(b->env, end->where)
							       : NULL);
	source_matches found = { 0 };

	if (!cond_holds(b->env, &end->cond))
		return;
	if (end->list) {
		for (int i = 0; i < end->list->v.n; i++)
			add_ends(b, p, end->list->v.v[i], begin, on, where);
		return;
	}
	build_end_matches(b, end->source, &found);
	for (int i = 0; i < found.n; i++) {
		struct endpoint e = { .where = where, .loc = end->loc };

		for (int k = 0; on && k < on->n; k++)
			vec_push(b->arena, &e.on, on->v[k]);
		build_endpoint(b, found.v[i], e, begin ? p : NULL, begin ? NULL : p, NULL);
	}
}

static bool check_on(struct build *b, struct pairing *p)
{
	int with = 0, n = p->begins.n + p->ends.n;

	for (int i = 0; i < n; i++) {
		struct endpoint *e = i < p->begins.n ? &p->begins.v[i]
						     : &p->ends.v[i - p->begins.n];

		with += e->on.n > 0;
	}
	for (int i = 0; i < n && with && with < n; i++) {
		struct endpoint *e = i < p->begins.n ? &p->begins.v[i]
						     : &p->ends.v[i - p->begins.n];

		if (e->on.n)
			continue;
		diag_error(b->diag, DIAG_NEEDS_KEY, e->loc, "another end has a key, this one none");
		diag_help(b->diag, "an 'on' behind the last end is the key of all without own");
		break;
	}
	return with > 0;
}

struct pairing *build_span(struct build *b, const struct ast_span *s)
{
	struct pairing *p = cached(b, s);
	bool keyed;

	if (p)
		return p;
	p = new_pairing(b, s, s->loc);
	p->period->keep = s->keep;
	add_ends(b, p, s->from, true, &s->on, NULL);
	add_ends(b, p, s->to, false, &s->on, NULL);
	if (!p->begins.n || !p->ends.n)
		return p;
	p->period->name = arena_printf(b->arena, "%s to %s", vec_last(&p->begins).match->name,
				       vec_last(&p->ends).match->name);
	add_actions(b, p);
	keyed = check_on(b, p);
	for (int i = 0; i < p->begins.n; i++) {
		struct endpoint *e = &p->begins.v[i];
		struct scope lone = build_event_scope(b, e);

		e->action->guard = check_where(&lone, e->where);
		if (keyed)
			check_keys(b, p, e, &e->on, true);
	}
	for (int i = 0; i < p->ends.n && keyed; i++)
		check_keys(b, p, &p->ends.v[i], &p->ends.v[i].on, false);
	resolve_ends(b, p, keyed);
	return p;
}

struct pairing *build_call(struct build *b, const void *of, struct source_match *m)
{
	struct pairing *p = cached(b, of);
	const struct catalog *c = b->env->catalog;
	struct source_match *enter;

	if (p)
		return p;
	p = new_pairing(b, of, m->loc);
	p->same_thread = true;
	p->period->is_call = true;
	p->period->name = m->name;
	if (m->functions.n) {
		build_func_call(b, p, m);
		add_actions(b, p);
		return p;
	}
	p->reads_again = !b->options->has.replay;
	for (int i = 0; i < m->calls.n; i++)
		p->reads_again &= !clobbers_registers(m->calls.v[i]);
	enter = arena_new(b->arena, struct source_match);
	*enter = *m;
	enter->event = c->ops->syscall_event(c->self, CAT_SYSCALL_ENTER);
	if (!enter->event)
		return p;
	build_endpoint(b, enter, (struct endpoint){ .loc = m->loc }, p, NULL, NULL);
	build_endpoint(b, m, (struct endpoint){ .loc = m->loc }, NULL, p, NULL);
	add_actions(b, p);
	return p;
}
