/*
 * What began before the start: no event tells of it, /proc does. Here it is decided
 * what of it a plan asks for, and for `open` the begin of a call is made a second time, over a
 * record of what /proc tells (lang/record.h): it runs in this process, so that a call from
 * before has the conditions and columns of all others. What /proc does not tell is none.
 */
#include "plan/build_store.h"

#include <string.h>

static bool is_call_event(const struct cat_event *cat)
{
	return cat->kind == CAT_SYSCALL_ENTER || cat->kind == CAT_SYSCALL_EXIT;
}

static void add_calls(struct p_calls *all, const struct p_calls *more)
{
	all->n = 0;
	for (int i = 0; i < SYSCALL_MOST / 64; i++) {
		all->bits[i] |= more ? more->bits[i] : ~0ull;
		all->n += __builtin_popcountll(all->bits[i]);
	}
}

/* ---- a begin over what /proc tells ---- */

static const bool common_in_proc[COMMONS] = {
	[COMMON_TIME] = true, [COMMON_PID] = true, [COMMON_TID] = true, [COMMON_COMM] = true,
	[COMMON_UID] = true, [COMMON_GID] = true, [COMMON_EVENT] = true,
};

/* Members of the thread's task_struct, by their way there. */
static const struct member {
	const char *path;
	struct cat_field field;
} members[] = {
	{ "current.task.real_parent.tgid", { .name = "ppid", .loc = LOC_RECORD, .index = BEFORE_PPID } },
	{ "current.task.start_boottime",
	  { .name = "started", .loc = LOC_RECORD, .index = BEFORE_STARTED } },
	{ "current.task.group_leader.start_boottime",
	  { .name = "started", .loc = LOC_RECORD, .index = BEFORE_PROCESS_STARTED } },
};

static struct px *proc_member(struct build *b, const struct px *e)
{
	struct px *field = px_none(b->env, e->loc);
	struct buf path = { 0 };

	px_print(e, &path);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (strcmp(path.p, members[i].path))
			continue;
		field = px_new(b->env, PX_FIELD, e->loc, &e->type);
		field->field = &members[i].field;
		field->may_none = true;
	}
	buf_fini(&path);
	return field;
}

static struct px *of_proc(struct build *b, const struct px *e);

/* A condition of what is not told is false; else a value of it is none. */
static struct px *proc_kids(struct build *b, const struct px *e)
{
	bool is_logic = e->op == PX_COND || e->c_op == OP_AND || e->c_op == OP_OR || e->c_op == OP_NOT;
	struct px *made = px_copy(b->env, e);

	made->kids = arena_array(b->arena, struct px *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++) {
		struct px *kid = made->kids[i] = of_proc(b, e->kids[i]);

		made->may_none |= kid->may_none;
		if (kid->op != PX_NONE || (e->op == PX_COND && i))
			continue;
		if (!is_logic)
			return e->type.kind == TY_BOOL ? px_bool(b->env, e->loc, false) : kid;
		made->kids[i] = px_bool(b->env, e->loc, false);
	}
	return made;
}

static struct px *of_proc(struct build *b, const struct px *e)
{
	struct px *made;

	switch (e->op) {
	case PX_NUMBER: case PX_TEXT:
		return px_copy(b->env, e);
	case PX_COMMON:
		return common_in_proc[e->common] ? px_copy(b->env, e) : px_none(b->env, e->loc);
	case PX_FIELD:
		if (e->n_kids || e->field->loc != LOC_SYSARG)
			break;
		made = px_copy(b->env, e);
		made->alt = NULL;
		return made;
	case PX_LOAD:
		return proc_member(b, e);
	case PX_UNARY: case PX_BINARY: case PX_MATCH: case PX_COND: case PX_IN: case PX_NARROW:
		return proc_kids(b, e);
	default:
		break;
	}
	return px_none(b->env, e->loc);
}

static void add_begin(struct build *b, const struct p_event *at, const struct p_action *begin)
{
	struct p_event *e = arena_new(b->arena, struct p_event);
	struct p_action *a = vec_add(b->arena, &e->actions);
	const struct p_period *p = begin->period;

	*e = (struct p_event){ .id = b->plan->befores.n, .attach = ATTACH_RECORD, .cat = at->cat,
			       .name = p->name, .actions = e->actions, .loc = begin->loc };
	*a = (struct p_action){ .kind = ACT_BEGIN, .calls = begin->calls, .period = begin->period,
				.loc = begin->loc };
	a->guard = begin->guard ? of_proc(b, begin->guard) : NULL;
	a->keys = arena_array(b->arena, struct px *, p->n_keys);
	for (int i = 0; i < p->n_keys; i++)
		a->keys[i] = of_proc(b, begin->keys[i]);
	a->slots = arena_array(b->arena, struct px *, p->slots.n);
	for (int i = 0; i < p->slots.n; i++) {
		struct px *slot = begin->slots[i] ? of_proc(b, begin->slots[i]) : NULL;

		a->slots[i] = slot && slot->op != PX_NONE ? slot : NULL;
	}
	vec_push(b->arena, &b->plan->befores, e);
}

/* A part of `split` and `tree` begin in what is around them. */
static bool stands_alone(const struct p_period *p)
{
	return p->listable && p->store == STORE_HASH && !p->tickets.n && !p->tree && !p->by_thread && !p->split;
}

/* ---- what is asked for ---- */

/* A call whose begin is not kept has only an end. */
static void look_at(struct build *b, const struct p_event *e, const struct p_action *a)
{
	if (!is_call_event(e->cat) || !a->period ||
	    (a->kind != ACT_BEGIN && (a->kind != ACT_END || !a->period->is_call)))
		return;
	add_calls(&b->plan->before_calls, a->calls);
	if (a->kind == ACT_BEGIN && stands_alone(a->period) && !b->options->pid_namespaced)
		add_begin(b, e, a);
}

static bool is_of_prev(const struct px *e, void *arg)
{
	(void)arg;
	return e->op == PX_FIELD && e->field && !strncmp(e->field->name, "prev", 4);
}

/* Does it begin where a thread leaves a CPU? */
static bool is_wait(const struct b_period *p)
{
	const struct b_action *begin = p->begins.v;

	if (p->begins.n != 1 || !begin->plan || begin->event->plan->cat->kind != CAT_TRACEPOINT ||
	    strcmp(begin->event->plan->cat->name, "sched_switch"))
		return false;
	if (begin->plan->task)
		return px_any(begin->plan->task, is_of_prev, NULL);
	return p->plan->n_keys == 1 && px_any(begin->plan->keys[0], is_of_prev, NULL);
}

void build_before(struct build *b)
{
	struct plan *p = b->plan;

	if (b->options->has.replay)
		return;
	for (int i = 0; i < p->events.n; i++)
		for (int k = 0; k < p->events.v[i]->actions.n; k++)
			look_at(b, p->events.v[i], &p->events.v[i]->actions.v[k]);
	for (int i = 0; i < b->periods.n; i++)
		p->before_waits |= is_wait(b->periods.v[i]);
}
