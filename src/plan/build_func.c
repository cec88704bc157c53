/*
 * Calls of functions: which of them are alike, their two ends, and where their begins
 * are kept.
 *
 * Functions whose used parameters are in the same places share one program. Their
 * returns find the begin by its frame, not by the thread alone: a thread can be in a
 * function many times.
 */
#include "plan/build.h"

#include "lang/diag_tags.h"

/* ---- functions that are alike ---- */

static bool has_param(const struct cat_function *f, struct str name)
{
	for (int i = 0; i < f->n_params; i++)
		if (str_is(name, f->params[i].name))
			return true;
	return false;
}

static bool all_have(const struct source_match *m, struct str name)
{
	for (int i = 0; i < m->functions.n; i++)
		if (!has_param(m->functions.v[i], name))
			return false;
	return true;
}

/* Does the program speak of it, and as a parameter? */
static bool is_used(const struct build *b, const struct source_match *m, const char *name)
{
	struct str s = str_of(name);

	return map_get_str(&b->names, s) && (check_common(s) < 0 || all_have(m, s));
}

static void field_signature(const struct cat_field *f, struct buf *out)
{
	buf_printf(out, "%s/%d/%d/%d/%d/%u ", f->name, f->index, f->type.kind, f->type.size,
		   f->type.is_signed, f->type.ktype);
	if (f->operand)
		buf_printf(out, "%d/%d/%d/%d/%lld ", f->operand->kind, f->operand->base,
			   f->operand->index, f->operand->scale, (long long)f->operand->number);
}

/* Programs of fentry are for one function each. */
static void signature(const struct build *b, const struct source_match *m,
		      const struct cat_function *f, struct buf *out)
{
	buf_clear(out);
	if (m->attach == ATTACH_FENTRY)
		buf_printf(out, "%s ", f->symbol);
	if (f->path)
		buf_printf(out, "%lld %s ", (long long)f->pid, f->path);
	for (int i = 0; i < f->n_params; i++)
		if (is_used(b, m, f->params[i].name) && !f->params[i].unable)
			field_signature(&f->params[i], out);
	if (f->ret && map_get_str(&b->names, str_of("ret")))
		field_signature(f->ret, out);
}

/* The match in parts, one for each program. */
static void classes(struct build *b, const struct source_match *m, source_matches *out)
{
	struct map seen = { 0 };
	struct buf text = { 0 };

	for (int i = 0; i < m->functions.n; i++) {
		struct source_match *part;
		void **slot;

		signature(b, m, m->functions.v[i], &text);
		slot = map_put(b->arena, &seen, text.n ? text.p : "", (int)text.n);
		part = *slot;
		if (!part) {
			*slot = part = arena_new(b->arena, struct source_match);
			*part = *m;
			memset(&part->functions, 0, sizeof(part->functions));
			part->short_name = m->functions.v[i]->name;
			vec_push(b->arena, out, part);
		}
		vec_push(b->arena, &part->functions, m->functions.v[i]);
	}
	for (int i = 0; i < out->n && out->n > 1; i++) {
		const struct cat_function *f = out->v[i]->functions.v[0];

		if (out->v[i]->functions.n == 1)
			out->v[i]->name = arena_printf(b->arena, "%s%s", f->symbol,
						       f->is_probe ? "" : "()");
	}
	buf_fini(&text);
}

/* A running program's: the kernel keeps its open calls in the thread, 64 at most, and fork copies them. */
static bool is_in_program(const struct build *b, const struct cat_function *f)
{
	return f->path && !b->options->has.replay;
}

bool build_returns_in_child(const struct build *b, const struct b_period *p)
{
	return p->plan->is_call && p->begins.v[0].side.function && is_in_program(b, p->begins.v[0].side.function);
}

/* A kernel's probe of returns has few slots for the calls that are open; fentry needs none. */
bool build_misses_returns(const struct build *b, const struct source_match *m)
{
	return (m->attach == ATTACH_KPROBE || m->attach == ATTACH_KPROBE_MULTI) &&
	       !source_can(b->env->catalog, CAN_TELL_MISSED);
}

/* ---- actions ---- */

static struct b_action with_side(struct b_action e, struct source_match *part)
{
	e.match = part;
	e.side.event = part->event;
	e.side.function = part->functions.v[0];
	e.side.many_functions = part->functions.n > 1;
	e.side.is_return = part->event->kind == CAT_FUNC_RETURN;
	e.side.knows_params = e.side.is_return && part->attach == ATTACH_FENTRY;
	e.at_return = e.side.is_return;
	return e;
}

static struct source_match *whole_call(struct build *b, const struct source_match *m)
{
	struct source_match *call = arena_new(b->arena, struct source_match);

	*call = *m;
	call->call = CALL_PERIOD;
	call->name = arena_strndup(b->arena, call->name, strlen(call->name) - strlen(".return"));
	return call;
}

void build_func_action(struct build *b, struct source_match *m, struct b_action proto,
		       struct b_period *begin, struct b_period *end, struct b_action **rows)
{
	source_matches parts = { 0 };

	/* of a return alone the entry still tells that it will not, or did not come, or is a child's */
	if (m->call == CALL_RETURN && is_in_program(b, m->functions.v[0]))
		proto.call = build_call(b, m, whole_call(b, m), true);
	else if (m->call == CALL_RETURN && build_misses_returns(b, m))
		build_call(b, m, whole_call(b, m), false);
	classes(b, m, &parts);
	for (int i = 0; i < parts.n; i++) {
		struct b_action e = with_side(proto, parts.v[i]);
		struct b_action *added;

		e.event = build_event(b, parts.v[i]);
		added = build_add_action(b, e, begin, end);
		if (rows)
			rows[i] = added;
	}
}

void build_func_call(struct build *b, struct b_period *p, struct source_match *m)
{
	source_matches parts = { 0 };

	p->reads_again = m->attach == ATTACH_FENTRY;
	p->plan->many_functions = m->functions.n > 1;
	classes(b, m, &parts);
	for (int i = 0; i < parts.n; i++) {
		struct source_match *leave = parts.v[i];
		struct source_match *enter = arena_new(b->arena, struct source_match);
		struct b_action e;

		*enter = *leave;
		if (!attach_is_session(m->attach)) {	/* two programs */
			enter->name = arena_printf(b->arena, "%s.enter", leave->name);
			leave->name = arena_printf(b->arena, "%s.return", leave->name);
		}
		enter->event = source_func_event(CAT_FUNC_ENTER);
		e = with_side((struct b_action){ .loc = m->loc }, enter);
		e.event = build_event(b, enter);
		build_add_action(b, e, p, NULL);
		leave->event = source_func_event(CAT_FUNC_RETURN);
		e = with_side((struct b_action){ .loc = m->loc, .event = e.event }, leave);
		if (!attach_is_session(m->attach))
			e.event = build_event(b, leave);
		build_add_action(b, e, NULL, p);
	}
}

bool build_func_return_needs_entry(const struct build *b, const struct source_match *m)
{
	if (!m->functions.n || m->call != CALL_RETURN || m->attach == ATTACH_FENTRY)
		return false;
	for (int i = 0; i < m->functions.n; i++)
		for (int k = 0; k < m->functions.v[i]->n_params; k++)
			if (is_used(b, m, m->functions.v[i]->params[k].name))
				return true;
	return false;
}

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
	struct b_period *p = build_call(b, at->match, whole_call(b, at->match), true);
	int slot = build_keep_slot(b, p, e);
	struct px *x = px_new(b->env, PX_OPEN_SLOT, e->loc, &p->plan->slots.v[slot].type);

	x->index = slot;
	x->may_none = true;
	x->look = build_look(b, p, at);
	return x;
}

void build_func_entry(struct build *b, struct b_action *e, struct scope *s)
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

bool build_is_param(const struct b_period *p, struct str name)
{
	for (int k = 0; k < p->begins.n; k++) {
		const struct cat_syscall *c = p->begins.v[k].side.syscall;
		const struct cat_function *f = p->begins.v[k].side.function;
		const struct cat_field *params = f ? f->params : c ? c->params : NULL;

		for (int i = 0; i < (f ? f->n_params : c ? c->n_params : 0); i++)
			if (str_is(name, params[i].name))
				return true;
	}
	return false;
}

/* ---- stores ---- */

bool build_watches_allocator(const struct b_period *p)
{
	static const char *const globs[] = { "*kmalloc*", "*kmem_cache*", "*slab*", "kfree*" };

	for (int i = 0; i < p->begins.n; i++) {
		const struct source_match *m = p->begins.v[i].match;

		for (int k = 0; k < m->functions.n; k++)
			for (size_t g = 0; g < sizeof(globs) / sizeof(globs[0]); g++)
				if (!m->functions.v[k]->path &&
				    str_glob(str_of(globs[g]), str_of(m->functions.v[k]->symbol)))
					return true;
	}
	return false;
}

static void key_by_frame(struct build *b, struct b_period *p)
{
	p->plan->n_keys = 2;
	p->plan->key_types = arena_array(b->arena, struct type, 2);
	p->plan->key_types[0] = p->plan->key_types[1] = type_int;
	for (int i = 0; i < p->begins.n + p->ends.n; i++) {
		struct b_action *e = build_action_at(p, i);

		e->plan->keys = arena_array(b->arena, struct px *, 2);
		e->plan->keys[0] = build_text(b, e, false, "current.tid as s64");
		e->plan->keys[1] = px_new(b->env, PX_FRAME, e->loc, &type_int);
	}
}

static bool use_thread(struct build *b, struct b_period *p)
{
	if (!b->options->has.task_storage || build_watches_allocator(p))
		return false;
	for (int i = 0; i < p->begins.n + p->ends.n; i++) {
		struct b_action *e = build_action_at(p, i);

		e->plan->task = build_text(b, e, false, "current.task");
	}
	return true;
}

bool build_is_asked(const struct b_period *p)
{
	const struct p_period *period = p->plan;

	return period->listable || period->looked_up || period->tickets.n || period->split;
}

/* Whoever asks for it finds the thread's latest. */
static void use_table(struct build *b, struct b_period *p)
{
	struct p_period *period = p->plan;
	bool asked = build_is_asked(p);

	key_by_frame(b, p);
	if (period->listable || period->looked_up || period->needs_depth)
		build_latest_by_thread(b, p);
	period->store = STORE_HASH;
	period->why = asked ? "what is open is asked for: the begins are in a table, by thread and frame"
			    : "the thread cannot keep the begins: they are in a table, by thread and "
			      "frame";
}

/* The copy that a fork made of the begin is older than the child. */
static void leave_out_child(struct build *b, struct b_period *p)
{
	for (int i = 0; i < p->ends.n; i++) {
		struct b_action *e = &p->ends.v[i];
		struct px *born = build_text(b, e, true, "current.task.start_time");

		if (!born)
			continue;
		e->plan->record_guard = px_both(b->env, OP_AND, e->plan->record_guard,
			px_both(b->env, OP_GE, px_new(b->env, PX_BEGIN_TIME, e->loc, &type_time), born));
		p->plan->needs_time = true;
	}
}

/* A return alone is one where its own thread entered. */
static void enter_before(struct build *b, struct b_action *e)
{
	struct px *open;

	if (!e->call || !e->plan)
		return;
	open = px_new(b->env, PX_OPEN, e->loc, &type_bool);
	open->look = build_look(b, e->call, e);
	open->may_none = true;
	e->plan->guard = px_both(b->env, OP_AND, open, e->plan->guard);
}

void build_func_returns(struct build *b)
{
	for (int i = 0; i < b->rows.n; i++)
		enter_before(b, b->rows.v[i]);
	for (int i = 0; i < b->periods.n; i++)
		for (int k = 0; k < build_n_actions(b->periods.v[i]); k++)
			enter_before(b, build_action_at(b->periods.v[i], k));
}

bool build_func_store(struct build *b, struct b_period *p)
{
	struct p_period *period = p->plan;

	if (!period->is_call || !p->begins.v[0].side.function)
		return false;
	if (build_is_asked(p)) {
		use_table(b, p);
	} else if (attach_is_session(p->begins.v[0].match->attach) && !plan_n_kept(period) &&
		   !period->needs_depth) {
		period->store = STORE_COOKIE;
		period->why = "only the time of the begin is used: the kernel hands it to the return";
		leave_out_child(b, p);
	} else if (use_thread(b, p)) {
		period->store = STORE_CALLS;
		plan_layout_period(period);
		period->why = arena_printf(b->arena, "a thread can be in it many times: its last %d "
					   "calls, by their frames, are kept in the thread",
					   period->calls_kept);
		if (build_misses_returns(b, p->begins.v[0].match))
			build_exit(b, p);
	} else {
		use_table(b, p);
	}
	return true;
}

/* MAX_URETPROBE_DEPTH: behind that the kernel leaves a return alone, and says so only in its log. */
void build_too_deep(struct build *b, struct b_period *p)
{
	for (int i = 0; p->plan->is_call && i < p->begins.n; i++) {
		struct b_action *e = &p->begins.v[i];

		if (e->plan && e->side.function && is_in_program(b, e->side.function))
			e->plan->too_deep = build_text(b, e, true, "current.task.utask.depth >= 64");
	}
}

void build_func_finish(struct build *b, struct p_event *e)
{
	bool entry = false, leave = false;

	(void)b;
	for (int i = 0; i < e->actions.n; i++) {
		entry |= !e->actions.v[i].at_return;
		leave |= e->actions.v[i].at_return;
	}
	if (!attach_is_session(e->attach) || (entry && leave))
		return;
	e->attach = e->attach == ATTACH_KPROBE_SESSION ? ATTACH_KPROBE_MULTI : ATTACH_UPROBE_MULTI;
	e->cat = source_func_event(leave ? CAT_FUNC_RETURN : CAT_FUNC_ENTER);
	e->why = "one link for all: of these calls one end is enough";
}
