/*
 * What is to happen at events: an action for each class of system calls that are alike in the parameters
 * that the program names. Those of functions are in build_func.c.
 */
#include "plan/build_event.h"

/* ---- system calls that are alike ---- */

static bool call_has(const struct cat_syscall *c, struct str name)
{
	for (int i = 0; i < c->n_params; i++)
		if (str_is(name, c->params[i].name))
			return true;
	return false;
}

bool build_calls_have(const struct source_match *m, struct str name)
{
	for (int i = 0; i < m->calls.n; i++)
		if (!call_has(m->calls.v[i], name))
			return false;
	return m->calls.n > 0;
}

/* Where the used names are among the parameters, and of what type. A common name
 * means the common value, unless all calls have such a parameter. */
static void signature(const struct build *b, const struct source_match *m,
		      const struct cat_syscall *c, struct buf *out)
{
	buf_clear(out);
	for (int i = 0; i < c->n_params; i++) {
		const struct cat_field *f = &c->params[i];

		if (map_get_str(&b->names, str_of(f->name))
		    && (check_common(str_of(f->name)) < 0 || build_calls_have(m, str_of(f->name))))
			buf_printf(out, "%s/%d/%d/%d/%d ", f->name, f->index, f->type.kind,
				   f->type.is_signed, f->of_return);
	}
}

struct call_class {
	struct p_calls *calls;
	const struct cat_syscall *first;
	bool no_result;				/* rt_sigreturn is one of them */
};

/* Calls with the named parameters in the same places are one class: what nobody names can't
 * differ. What a name means is not known yet: build_merge.c joins those that are alike in all. */
static int classes(struct build *b, const struct source_match *m, struct call_class ***out)
{
	struct map seen = { 0 };
	struct buf text = { 0 };
	VEC(struct call_class *) all = { 0 };

	for (int i = 0; i < m->calls.n; i++) {
		const struct cat_syscall *c = m->calls.v[i];
		struct call_class *class;
		void **slot;

		signature(b, m, c, &text);
		slot = map_put(b->arena, &seen, text.n ? text.p : "", (int)text.n);
		if (!*slot) {
			*slot = class = arena_new(b->arena, struct call_class);
			class->calls = arena_new(b->arena, struct p_calls);
			class->first = c;
			vec_push(b->arena, &all, class);
		}
		class = *slot;
		class->no_result |= c->facts & CALL_NO_RESULT;
		if (c->nr >= 0 && c->nr < SYSCALL_MOST) {
			uint64_t bit = 1ull << (c->nr % 64);

			class->calls->n += !(class->calls->bits[c->nr / 64] & bit);
			class->calls->bits[c->nr / 64] |= bit;
		}
	}
	buf_fini(&text);
	*out = all.v;
	return all.n;
}

static void count_each(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
}

bool build_is_every_call(struct build *b, const struct p_calls *set)
{
	const struct catalog *c = b->env->catalog;
	int n = 0;

	c->ops->list(c->self, LIST_SYSCALLS, str_of("*"), count_each, &n);
	return set->n >= n;
}

/* ---- actions ---- */

struct b_action *build_add_action(struct build *b, struct b_action e, struct b_period *begin,
				  struct b_period *end)
{
	struct b_action *row;

	e.side.form = &e.event->form;
	e.side.name = e.match->name;
	if (begin)
		return *vec_add(b->arena, &begin->begins) = e, &vec_last(&begin->begins);
	if (end && e.is_via)
		return *vec_add(b->arena, &end->vias) = e, &vec_last(&end->vias);
	if (end)
		return *vec_add(b->arena, &end->ends) = e, &vec_last(&end->ends);
	row = arena_new(b->arena, struct b_action);
	*row = e;
	return row;
}

void build_event_action(struct build *b, struct source_match *m, struct b_action proto,
		  struct b_period *begin, struct b_period *end, struct b_action **rows)
{
	struct call_class **all;
	int n;

	proto.match = m;
	proto.event = build_event(b, m);
	proto.side.event = m->event;
	if (!m->calls.n) {
		struct b_action *e = build_add_action(b, proto, begin, end);

		if (rows)
			*rows = e;
		return;
	}
	n = classes(b, m, &all);
	for (int i = 0; i < n; i++) {
		struct b_action *e;

		proto.side.syscall = all[i]->first;
		proto.side.many_syscalls = all[i]->calls->n > 1;
		proto.side.is_return = m->event->kind == CAT_SYSCALL_EXIT;
		proto.side.ret_may_none = all[i]->no_result;
		proto.calls = build_is_every_call(b, all[i]->calls) ? NULL : all[i]->calls;
		e = build_add_action(b, proto, begin, end);
		if (rows)
			rows[i] = e;
	}
}

int build_actions_most(const struct source_match *m)
{
	int n = m->calls.n > m->functions.n ? m->calls.n : m->functions.n;

	return n ? n : 1;
}
