/*
 * What names mean at an event, and at a period's row, where each expression of the begin side gets a
 * slot of the record, unless the end can tell it as well. A return alone is such a row, too: what only
 * its entry knows is kept there.
 */
#include "plan/build_scope.h"

#include "lang/diag_tags.h"
#include "plan/build_event.h"
#include "plan/build_period.h"
#include "plan/func.h"

/* ---- an event ---- */

struct entry {
	struct build *build;
	struct b_action *at;
};

/* The call that this is the return of is a period of its own, which is looked up here. */
static struct px *entry_value(struct scope *s, const struct ax *e)
{
	const struct entry *entry = s->entry_arg;
	struct build *b = entry->build;
	struct b_action *at = entry->at;
	struct b_period *p = build_call_of_return(b, at->match, true);
	int slot = build_keep_slot(b, p, e);
	struct px *x = px_new(b->env, PX_OPEN_SLOT, e->loc, &p->plan->slots.v[slot].type);

	x->index = slot;
	x->may_none = true;
	x->look = build_look(b, p, at);
	return x;
}

static void add_entry(struct build *b, struct b_action *e, struct scope *s)
{
	struct entry *entry;

	if (!e->side.function || !e->side.is_return || e->side.knows_params || !e->match ||
	    e->match->call != CALL_RETURN)
		return;
	entry = arena_new(b->arena, struct entry);
	*entry = (struct entry){ b, e };
	s->entry_value = entry_value;
	s->entry_arg = entry;
}

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
	add_entry(b, e, &s);
	return s;
}

struct px *build_text(struct build *b, struct b_action *e, bool quiet, const char *text)
{
	struct source_text *src = arena_new(b->arena, struct source_text);
	struct diag unsaid = { .arena = b->arena };
	struct check_env env = *b->env;
	struct scope s = build_event_scope(b, e);
	struct ax *ax;
	struct px *px;

	*src = (struct source_text){ "option", str_of(text) };
	if (quiet)
		env.diag = &unsaid;
	s.env = &env;
	ax = parse_expr(b->arena, env.diag, src);
	px = ax ? check_expr(&s, ax) : NULL;
	return quiet && unsaid.errors ? NULL : px;
}

/* ---- a period's row ---- */

struct ax *build_at_begin(struct build *b, const struct ax *e)
{
	struct ax *copy = arena_new(b->arena, struct ax);

	*copy = *e;
	if (e->kind == AX_SIDE && (e->side == SIDE_BEGIN || e->side == SIDE_VIA))
		copy->kind = AX_NAME;
	if (e->kind == AX_MEMBER && e->kids[0]->kind == AX_SIDE
	    && (e->kids[0]->side == SIDE_BEGIN || e->kids[0]->side == SIDE_VIA) && str_is(e->kids[0]->text, "current")) {
		copy->kind = AX_SIDE;
		copy->side = SIDE_CURRENT;
		copy->n_kids = 0;
		return copy;
	}
	copy->kids = arena_array(b->arena, struct ax *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++)
		copy->kids[i] = build_at_begin(b, e->kids[i]);
	return copy;
}

bool build_has_via(const struct ax *e)
{
	if (e->kind == AX_SIDE && e->side == SIDE_VIA)
		return true;
	for (int i = 0; i < e->n_kids; i++)
		if (build_has_via(e->kids[i]))
			return true;
	return false;
}

/* ---- what is kept of the begin ---- */

struct keeper {
	struct build *build;
	struct b_period *period;
	struct b_action *end;
};

static int find_slot(struct keeper *k, const struct ax *asked, bool of_via);

static bool any_has(struct build *b, struct b_action *v, int n, struct str name, struct type *type)
{
	for (int i = 0; i < n; i++) {
		struct scope s = build_event_scope(b, &v[i]);

		if (check_side_has(&s, &s.end, name, type))
			return true;
	}
	return false;
}

static bool via_elsewhere(struct scope *s, struct str name, struct type *type)
{
	struct keeper *k = s->elsewhere_arg;

	return any_has(k->build, k->period->vias.v, k->period->vias.n, name, type);
}

static bool begin_elsewhere(struct scope *s, struct str name, struct type *type)
{
	struct keeper *k = s->elsewhere_arg;

	return any_has(k->build, k->period->begins.v, k->period->begins.n, name, type);
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
	return (px_is_string_call(e) || (e->op == PX_CALL && e->func->reads_text)) && e->space != SPACE_KERNEL;
}

/* in_flight(KEY) is asked: KEY is kept, too. */
static void keep_flight(struct keeper *k, const struct ax *asked, int slot)
{
	struct p_period *plan = k->period->plan;

	if (plan->in_flight) {
		diag_error(k->build->diag, DIAG_LIMIT_REACHED, asked->loc, "in_flight() is there once for a period, by one key");
	} else if (asked->kind != AX_CALL || !str_is(asked->text, "in_flight")) {
		diag_error(k->build->diag, DIAG_TYPE_MISMATCH, asked->loc, "in_flight() stands alone: let n = in_flight(begin.dev)");
	} else {
		plan->flight_slot = slot;
		plan->flight_key = find_slot(k, asked->kids[0], false);
		plan->in_flight = true;
	}
}

/* The slot of the expression, checked at each begin, or at each via. */
static int check_slot(struct keeper *k, const struct ax *asked, bool of_via)
{
	struct build *b = k->build;
	struct b_period *p = k->period;
	struct p_slot slot = { .type = type_none, .of_via = of_via,
			       .may_none = of_via || p->plan->may_lack_begin };
	struct px **values = arena_array(b->arena, struct px *, p->begins.n + p->vias.n);
	int from = of_via ? p->begins.n : 0, n = of_via ? p->vias.n : p->begins.n;
	int number;

	b->env->keeps = of_via || p->same_thread || p->plan->is_call ? NULL : p->plan;
	b->env->flight = false;
	for (int i = 0; i < n; i++) {
		struct b_action *at = of_via ? &p->vias.v[i] : &p->begins.v[i];
		struct scope s = build_event_scope(b, at);
		struct px *e;

		if (n > 1) {
			s.elsewhere = of_via ? via_elsewhere : begin_elsewhere;
			s.elsewhere_arg = k;
		}
		values[from + i] = e = check_expr(&s, asked);
		if (e->op == PX_COMMON && e->common == COMMON_EVENT && !at->side.syscall &&
		    !at->side.many_functions)
			values[from + i] = e = px_number(b->env, e->loc, s.event_number, &e->type);
		if (p->reads_again && is_call_string(e))
			e->absent_is_none = e->may_none = true;
		unify_slot(b, &slot, e, i == 0);
	}
	b->env->keeps = NULL;
	number = build_slot(b, p, slot, values);
	if (b->env->flight)
		keep_flight(k, asked, number);
	return number;
}

static bool is_name(const struct ax *e, const char *name)
{
	return (e->kind == AX_NAME || (e->kind == AX_SIDE && e->side == SIDE_CURRENT))
		&& str_is(e->text, name);
}

/* The same, looked up: what is asked twice is checked once, and mistaken once. */
static int find_slot(struct keeper *k, const struct ax *asked, bool of_via)
{
	struct b_period *p = k->period;
	int slot;

	for (int i = 0; i < p->kept.n; i++)
		if (p->kept.v[i].of_via == of_via && ax_equal(p->kept.v[i].asked, asked))
			return p->kept.v[i].slot;
	slot = check_slot(k, asked, of_via);
	vec_push(k->build->arena, &p->kept, ((struct kept){ asked, of_via, slot }));
	return slot;
}

int build_keep_slot(struct build *b, struct b_period *p, const struct ax *asked)
{
	return find_slot(&(struct keeper){ b, p, NULL }, asked, false);
}

static bool is_exec_argv(const struct scope *s, const struct ax *asked)
{
	return s->end.syscall && s->end.syscall->facts & CALL_EXECS && asked->kind == AX_CALL &&
	       str_is(asked->text, "argv") && asked->n_kids && str_is(asked->kids[0]->text, "argv");
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

/* Whose call it is, at the end: not what a condition may have left the begin out for, as uid. */
static bool is_owner(const struct b_period *p, const struct ax *asked)
{
	static const char *const names[] = { "comm", "tid", "cgroup" };

	if (asked->kind == AX_NAME && build_is_param(p, asked->text))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (is_name(asked, names[i]))
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

/* Of the thread as it is at the end, from its begin on; NULL: it may be another by then. The stack of a system
 * call is taken there so that `worst` takes those of the rows that it keeps alone. */
static struct px *same_at_end(struct scope *s, struct ax *asked, struct scope *at_end)
{
	struct keeper *k = s->keep_arg;
	const struct b_period *p = k->period;
	bool is_id = is_name(asked, "pid") || (is_name(asked, "tid") && !execs(k->end));

	if (!p->same_thread || s->open || at_end->interrupt)
		return NULL;
	if (is_id ? asked->kind != AX_SIDE && build_is_param(p, asked->text)
		  : !s->begin.syscall || !s->end.syscall || !is_name(asked, "ustack"))
		return NULL;
	asked->kind = AX_SIDE;
	asked->side = SIDE_CURRENT;
	return check_expr(at_end, asked);
}

/* The callback of the checker: an expression of the begin side. */
static struct px *keep_at_begin(struct scope *s, const struct ax *e)
{
	struct keeper *k = s->keep_arg;
	struct build *b = k->build;
	struct b_period *p = k->period;
	struct ax *asked = build_at_begin(b, e);
	struct scope at_end;
	struct px *same;
	int slot;

	if (build_has_via(e)) {
		slot = find_slot(k, asked, true);
		if (p->plan->slots.v[slot].type.kind == TY_NONE)
			return px_none(b->env, e->loc);
		return px_slot(b->env, p->plan, slot, e->loc);
	}
	if (is_name(asked, "time"))
		return begin_time(s, p->plan, e->loc);
	/* What is the same at the end is read there and not kept. */
	at_end = build_event_scope(b, k->end);
	if (p->begins.n > 1) {
		at_end.elsewhere = begin_elsewhere;
		at_end.elsewhere_arg = k;
	}
	same = same_at_end(s, asked, &at_end);
	if (same)
		return same;
	if (p->reads_again && !s->open && asked->kind == AX_NAME && build_is_param(p, asked->text)) {
		struct px *again = check_expr(&at_end, asked);

		/* what a function's char * points to may be gone */
		if (again->op != PX_LOAD)
			return again;
	}
	if (is_exec_argv(s, asked) && !s->open && !b->options->has.replay) {
		struct px *again = check_expr(&at_end, asked);

		return again->type.kind == TY_ARGS ? exec_argv(k, again) : again;
	}
	slot = find_slot(k, asked, false);
	/* of a call from before the start not all is told */
	p->plan->slots.v[slot].may_none |= s->open && s->begin.syscall && !b->options->has.replay;
	if (p->plan->slots.v[slot].type.kind == TY_NONE)
		return px_none(b->env, e->loc);
	if (p->reads_again && !s->open && p->slots[slot][0] && is_call_string(p->slots[slot][0]))
		return px_else(b->env, px_slot(b->env, p->plan, slot, e->loc), check_expr(&at_end, asked));
	if (p->plan->may_lack_begin && !s->open && is_owner(p, asked)) {
		asked->kind = AX_SIDE;
		asked->side = SIDE_CURRENT;
		return px_else(b->env, px_slot(b->env, p->plan, slot, e->loc), check_expr(&at_end, asked));
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

	return any_has(k->build, k->period->begins.v, k->period->begins.n, name, &type);
}

struct scope build_open_scope(struct build *b, struct b_period *p)
{
	struct scope s = build_period_scope(b, p, &p->ends.v[0]);

	s.open = true;
	s.begin_has = begin_has;
	return s;
}
