/*
 * Keys of periods: which terms of an end's `where` are keys, the check of what
 * stands behind `on`, and the warnings about keys that mix what is different.
 * language.md, "How the two ends of a period find each other".
 */
#include "plan/build_period.h"

#include "lang/diag_tags.h"
#include "plan/build_scope.h"

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

struct ax *build_and(struct build *b, struct ax *x, struct ax *y)
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

struct split_where build_split_where(struct build *b, struct ax *where, bool keys_here)
{
	struct split_where s = { 0 };
	ax_list terms = { 0 };

	flatten_and(b, where, &terms);
	for (int i = terms.n - 1; i >= 0; i--) {
		struct ax *t = terms.v[i];

		if (keys_here && is_key_term(t)) {
			int begin = has_begin(t->kids[1]);

			vec_push(b->arena, &s.begin_keys, build_at_begin(b, t->kids[begin]));
			vec_push(b->arena, &s.end_keys, t->kids[!begin]);
		} else if (has_begin(t) || build_has_via(t)) {
			if (keys_here && hides_key_term(t, false)) {
				diag_error(b->diag, DIAG_KEY_UNDER_OR, t->loc,
					   "a comparison with 'begin.' under || or ! cannot be a key");
				diag_help(b->diag, "write the key after 'on', or join the comparison with &&");
			}
			s.record = build_and(b, s.record, t);
		} else {
			s.rest = build_and(b, s.rest, t);
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
			     "'%.*s' is unique only within one process", STR_ARG(text));
		diag_help(b->diag, "add pid to the key: on (pid, %.*s)", STR_ARG(text));
	}
}

/* Thread 0 is every CPU's idle thread: a begin keyed by the thread of a switch
 * must leave it out. */
static void warn_idle(struct build *b, const struct b_action *e, const struct ax *key)
{
	struct str text = loc_text(key->loc);
	struct buf wanted = { 0 };
	struct str where = e->where ? loc_text(e->where->loc) : (struct str){ "", 0 };

	if (!str_is(text, "prev_pid") && !str_is(text, "next_pid"))
		return;
	buf_printf(&wanted, "%.*s != 0", STR_ARG(text));
	if (!memmem(where.p, (size_t)where.n, wanted.p, wanted.n)) {
		diag_warning(b->diag, DIAG_KEY_IDLE, key->loc,
			     "thread 0 is the idle thread of every CPU: as a key it mixes the CPUs");
		diag_help(b->diag, "leave it out: where %s", wanted.p);
	}
	buf_fini(&wanted);
}

static bool is_thread_and_process(const struct type *a, const struct type *b)
{
	return (a->kind == TY_TID && b->kind == TY_PID) || (a->kind == TY_PID && b->kind == TY_TID);
}

/* `on pid`, where one event has such a field, a thread, and of the other it is who runs. */
static void thread_and_process(struct build *b, struct loc loc, const struct type *t)
{
	diag_error(b->diag, DIAG_PID_TID_COMPARE, loc, "this key is a %s, that of the other event a %s",
		   t->kind == TY_TID ? "thread (tid)" : "process (pid)",
		   t->kind == TY_TID ? "process (pid)" : "thread (tid)");
	diag_help(b->diag, "give each event its own: from A on pid to B on next_pid");
}

static bool is_interrupt(const struct b_action *e)
{
	return e->side.event && e->side.event->interrupt;
}

void build_warn_others(struct build *b, struct b_period *p)
{
	bool begins_there = p->begins.n && is_interrupt(&p->begins.v[0]);

	for (int i = 0; i < p->begins.n + p->ends.n && !b->diag->errors; i++) {
		const struct b_action *e = build_action_at(p, i);
		const struct cat_event *event = e->side.event;

		/* both ends of an interrupt are in the thread that it found */
		if (!event || !(event->owner ? !event->owner_runs : is_interrupt(e) != begins_there))
			continue;
		diag_warning(b->diag, DIAG_KEY_OTHER, e->loc, "%s, and without a key the two ends are of one thread",
			     event->owner ? "this event is about another thread than the one that it happens in"
					  : "one of the ends happens in an interrupt, in any thread");
		diag_help(b->diag, "%s", event->owner
			  ? "give each end the thread that is meant: from A on pid to B on next_pid"
			  : "give both ends what they are about: from A to B on rq, of disk requests");
		return;
	}
}

void build_check_keys(struct build *b, struct b_period *p, struct b_action *e, const ax_list *on,
		      bool is_begin)
{
	struct p_period *period = p->plan;
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
		diag_error(b->diag, DIAG_KEY_COUNT, e->loc, "this end has %d key%s, but another has %d",
			   on->n, on->n == 1 ? "" : "s", period->n_keys);
		return;
	}
	for (int i = 0; i < on->n; i++) {
		struct type *t = &period->key_types[i];

		if (keys[i]->type.kind == TY_POISON)
			continue;
		/* Offline, of a call that began before the start, and of a NULL pointer, a key
		 * that is none pairs with nothing. */
		if (keys[i]->op == PX_NONE || keys[i]->type.kind == TY_STRUCT ||
		    keys[i]->type.kind == TY_ARRAY ||
		    (keys[i]->may_none && !b->options->has.replay && !e->side.function &&
		     !px_is_string_call(keys[i])))
			diag_error(b->diag, DIAG_BAD_KEY, on->v[i]->loc,
				   "a key must be a number or a string, and always there");
		else if (t->kind != TY_POISON && type_is_word(t) != type_is_word(&keys[i]->type))
			diag_error(b->diag, DIAG_KEY_TYPE, on->v[i]->loc,
				   "a key of type %s cannot be compared with a key of type %s",
				   type_name(&keys[i]->type), type_name(t));
		else if (is_thread_and_process(t, &keys[i]->type))
			thread_and_process(b, on->v[i]->loc, &keys[i]->type);
		if (keys[i]->type.bytes > t->bytes)
			t->bytes = keys[i]->type.bytes;
		if (is_begin)
			warn_idle(b, e, on->v[i]);
	}
	warn_process_local(b, keys, on);
	e->plan->keys = keys;
}
