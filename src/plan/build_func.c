/*
 * Calls of functions: which of them are alike, and their two ends. Where their begins are kept is in
 * build_func_store.c.
 *
 * Functions whose used parameters are in the same places share one program. Their
 * returns find the begin by its frame, not by the thread alone: a thread can be in a
 * function many times.
 */
#include "plan/build_event.h"

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
bool build_is_in_program(const struct build *b, const struct cat_function *f)
{
	return f->path && !b->options->has.replay;
}

bool build_returns_in_child(const struct build *b, const struct b_period *p)
{
	return p->plan->is_call && p->begins.v[0].side.function && build_is_in_program(b, p->begins.v[0].side.function);
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

void build_func_action(struct build *b, struct source_match *m, struct b_action proto,
		       struct b_period *begin, struct b_period *end, struct b_action **rows)
{
	source_matches parts = { 0 };

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
