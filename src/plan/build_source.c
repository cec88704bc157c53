/*
 * Sources of a query: which events and periods its text names, through
 * definitions, groups, unions and `else`. What a text means is the business of
 * event/; which begins belong to which ends that of build_period.c.
 */
#include "plan/build.h"

#include "lang/diag_tags.h"
#include "lang/habit.h"
#include "plan/param.h"

#define DEFS_DEEP_MOST 32
#define SOURCES_MOST 10000	/* five times all events of a kernel */

int build_event_number(struct build *b, const char *short_name)
{
	void **slot = map_put_str(b->arena, &b->event_numbers, str_of(short_name));
	struct enum_value *v = *slot;

	if (!v) {
		*slot = v = arena_new(b->arena, struct enum_value);
		*v = (struct enum_value){ short_name, SYSCALL_MOST + 1 + b->names_of_events.n };
		vec_push(b->arena, &b->names_of_events, *v);
	}
	return (int)v->value;
}

/* ---- events ---- */

/* What is looked up twice is a function twice; in some libraries one is there by two names. */
static bool has_same_calls(const struct cat_function *a, const struct cat_function *b)
{
	return source_func_within(a, b) == WITHIN_ALWAYS && source_func_within(b, a) == WITHIN_ALWAYS;
}

bool build_is_another_name(const struct b_action *e, const struct source_match *m)
{
	return e->match->event == m->event && e->match->functions.n == 1 && m->functions.n == 1
	       && m->functions.v[0]->path && has_same_calls(e->match->functions.v[0], m->functions.v[0]);
}

static bool same_functions(const struct p_event *e, const struct source_match *m)
{
	if (e->functions.n != m->functions.n || (e->functions.n && e->attach != m->attach))
		return false;
	for (int i = 0; i < e->functions.n; i++) {
		const struct cat_function *a = e->functions.v[i].function, *b = m->functions.v[i];

		if (a != b && (!has_same_calls(a, b) || strcmp(a->symbol, b->symbol)))
			return false;
	}
	return true;
}

/* Of one event of the catalog: is it asked for in the same way? A program for both ends belongs to
 * one period: the call's cookie is its own. */
static bool same_event(const struct p_event *e, const struct source_match *m)
{
	return !attach_is_session(m->attach) && same_functions(e, m) && e->sample.perf_type == m->sample.perf_type
	    && e->sample.perf_config == m->sample.perf_config && e->sample.freq == m->sample.freq
	    && e->sample.value == m->sample.value && e->interval_ns == m->interval_ns;
}

struct b_event *build_event(struct build *b, const struct source_match *m)
{
	void **of_event = map_put(b->arena, &b->events_of, &m->event, sizeof(m->event));
	struct b_event *p;

	for (p = *of_event; p; p = p->next)
		if (same_event(p->plan, m))
			return p;
	p = arena_new(b->arena, struct b_event);
	p->next = *of_event;
	*of_event = p;
	p->plan = arena_new(b->arena, struct p_event);
	*p->plan = (struct p_event){
		.id = b->events.n, .attach = m->attach, .cat = m->event, .sample = m->sample,
		.interval_ns = m->interval_ns, .loc = m->loc,
		.name = m->calls.n ? (m->event->kind == CAT_SYSCALL_ENTER
				      ? "raw_syscalls:sys_enter" : "raw_syscalls:sys_exit")
				   : m->name,
		.why = m->why,
	};
	for (int i = 0; i < m->functions.n; i++)
		vec_push(b->arena, &p->plan->functions, ((struct p_function){
			m->functions.v[i], build_event_number(b, m->functions.v[i]->name) }));
	vec_push(b->arena, &b->events, p);
	return p;
}

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

void build_action(struct build *b, struct source_match *m, struct b_action proto,
		  struct b_period *begin, struct b_period *end, struct b_action **rows)
{
	struct call_class **all;
	int n;

	if (m->functions.n) {
		build_func_action(b, m, proto, begin, end, rows);
		return;
	}
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

/* ---- expansion ---- */

/* `$function()` with what it stands for. NULL after a mistake. */
static const struct ast_source *with_values(struct build *b, const struct ast_source *s)
{
	struct source_text *text;
	struct ast_source *own;

	if (s->kind != AS_SOURCE || !params_in_source(s->text))
		return s;
	own = arena_new(b->arena, struct ast_source);
	*own = *s;
	if (!params_expand(b->env, s->text, s->loc, &own->text))
		return NULL;
	/* messages quote what the user wrote, not the tool's $function() */
	text = arena_new(b->arena, struct source_text);
	*text = (struct source_text){ .name = s->loc.text ? s->loc.text->name : "query", .text = own->text };
	own->loc = (struct loc){ text, 0, own->text.n };
	return own;
}

/* What a written source names, looked up once: definitions name it again and again. */
struct lookup {
	const struct ast_source *source;	/* NULL: of mistaken values */
	const struct source_ops *ops;
	source_matches found;
	bool reported;
};

static struct lookup *look_up(struct build *b, const struct ast_source *written)
{
	void **slot = map_put(b->arena, &b->lookups, &written, sizeof(written));
	struct diag quiet = { .arena = b->arena }, *diag = b->env->diag;
	struct lookup *l = *slot;

	if (l)
		return l;
	*slot = l = arena_new(b->arena, struct lookup);
	/* what is wrong with it report_none says */
	b->env->diag = &quiet;
	l->source = with_values(b, written);
	b->env->diag = diag;
	l->ops = l->source ? source_find_ops(b->env->registry, l->source) : NULL;
	if (l->ops)
		l->ops->find(&b->source_env, l->source, &l->found);
	return l;
}

static void report_none(struct build *b, const struct ast_source *written)
{
	struct lookup *l = look_up(b, written);

	if (l->reported || b->n_sources > SOURCES_MOST)
		return;
	l->reported = true;
	if (l->ops) {
		l->ops->report(&b->source_env, l->source);
		habit_help(b->diag, HABIT_SOURCE, l->source->text);
	} else if (with_values(b, written)) {
		diag_error(b->diag, DIAG_UNKNOWN_SOURCE, written->loc, "this is not a source");
	}
}

/* Definitions of unions of definitions grow without a bound; said once. */
static bool bound_sources(struct build *b, int n, struct loc loc)
{
	if (b->n_sources > SOURCES_MOST)
		return false;
	b->n_sources += n;
	if (b->n_sources <= SOURCES_MOST)
		return true;
	diag_error(b->diag, DIAG_TOO_LARGE, loc, "these are more than %d events and calls: name fewer", SOURCES_MOST);
	return false;
}

/* Its calls are the caller's own: those of a union join. */
static struct source_match *match_copy(struct build *b, const struct source_match *m)
{
	struct source_match *own = arena_new(b->arena, struct source_match);

	*own = *m;
	memset(&own->calls, 0, sizeof(own->calls));
	for (int i = 0; i < m->calls.n; i++)
		vec_push(b->arena, &own->calls, m->calls.v[i]);
	return own;
}

static void find(struct build *b, const struct ast_source *written, source_matches *out)
{
	const struct lookup *l = look_up(b, written);
	int n = 1;

	for (int i = 0; i < l->found.n; i++)
		n += 1 + l->found.v[i]->calls.n;
	if (!bound_sources(b, n, written->loc))
		return;
	for (int i = 0; i < l->found.n; i++)
		vec_push(b->arena, out, match_copy(b, l->found.v[i]));
}

bool build_finds(struct build *b, const struct ast_source *s)
{
	source_matches found = { 0 };

	find(b, s, &found);
	return found.n > 0;
}

const struct ast_def *build_def_of(const struct build *b, const struct ast_source *s)
{
	return s->kind == AS_NAME ? map_get_str(&b->defs, s->text) : NULL;
}

static bool def_enter(struct build *b, const struct ast_def *d, struct loc loc)
{
	if (!bound_sources(b, 1, loc))
		return false;
	for (int i = 0; i < b->open_defs.n; i++)
		if (b->open_defs.v[i] == d) {
			diag_error(b->diag, DIAG_RECURSIVE_DEF, loc,
				   "the definition '%.*s' refers to itself", STR_ARG(d->name));
			return false;
		}
	if (b->open_defs.n >= DEFS_DEEP_MOST) {
		diag_error(b->diag, DIAG_TOO_DEEP, loc, "definitions refer to each other more than %d levels deep",
			   DEFS_DEEP_MOST);
		return false;
	}
	vec_push(b->arena, &b->open_defs, d);
	return true;
}

/* `event == NAME` may ask for a function that is not here: no event is it. */
static void name_missing(struct build *b, const struct ast_source *alt)
{
	const struct ast_source *s = look_up(b, alt)->source;
	enum call_end end = CALL_NONE;
	struct str name = s ? source_func_name(s->text, &end) : (struct str){ "", 0 };
	const char *colon = memrchr(name.p, ':', (size_t)name.n);

	if (end != CALL_NONE && colon)
		name = str_sub(name, (int)(colon - name.p) + 1, -1);
	if (end != CALL_NONE)
		build_event_number(b, arena_strndup(b->arena, name.p, (size_t)name.n));
}

void build_end_matches(struct build *b, const struct ast_source *s, source_matches *out)
{
	for (const struct ast_source *alt = s; alt; alt = alt->otherwise) {
		const struct ast_def *d = build_def_of(b, alt);
		int before = out->n;

		if (build_skips(b, alt))
			continue;
		if (d && def_enter(b, d, alt->loc)) {
			if (d->stages.n)
				diag_error(b->diag, DIAG_NEEDS_KEY, alt->loc,
					   "'%.*s' has stages: 'from', 'via' and 'to' take a plain event",
					   STR_ARG(d->name));
			for (int i = 0; i < d->sources->v.n; i++)
				build_end_matches(b, d->sources->v.v[i], out);
			b->open_defs.n--;
			return;
		}
		if (alt->kind == AS_SPAN || alt->kind == AS_GROUP) {
			diag_error(b->diag, DIAG_NEEDS_KEY, alt->loc,
				   "'from', 'via' and 'to' take an event, not a period or a group");
			return;
		}
		find(b, alt, out);
		for (int i = before; i < out->n; i++)
			if (out->v[i]->call == CALL_PERIOD) {
				diag_error(b->diag, DIAG_NEEDS_KEY, alt->loc,
					   "'%s' is a period: 'from', 'via' and 'to' take an event",
					   out->v[i]->name);
				diag_help(b->diag, "write %s.enter or %s.return", out->v[i]->name,
					  out->v[i]->name);
				return;
			}
		if (out->n > before)
			return;
		name_missing(b, alt);
	}
	report_none(b, s);
}

static struct b_branch *add_branch(struct build *b, b_branches *out, const ast_stages *around)
{
	struct b_branch *w = arena_new(b->arena, struct b_branch);

	for (int i = 0; i < around->n; i++)
		vec_push(b->arena, &w->stages, around->v[i]);
	vec_push(b->arena, out, w);
	return w;
}

static void period_branches(struct build *b, struct b_period *p, b_branches *out,
			    const ast_stages *around)
{
	for (int i = 0; p->begins.n && i < p->ends.n; i++) {
		struct b_branch *w = add_branch(b, out, around);

		w->period = p;
		w->end = &p->ends.v[i];
	}
}

int build_actions_most(const struct source_match *m)
{
	int n = m->calls.n > m->functions.n ? m->calls.n : m->functions.n;

	return n ? n : 1;
}

static void match_branches(struct build *b, const void *of, struct source_match *m, b_branches *out,
			   const ast_stages *around)
{
	if (m->call == CALL_PERIOD || build_func_return_needs_entry(b, m)) {
		struct b_period *p = build_call(b, of, m, false);

		period_branches(b, p, out, around);
	} else {
		int most = build_actions_most(m);
		struct b_action **rows = arena_array(b->arena, struct b_action *, most);

		build_action(b, m, (struct b_action){ .loc = m->loc }, NULL, NULL, rows);
		for (int i = 0; i < most && rows[i]; i++)
			add_branch(b, out, around)->end = rows[i];
	}
}

static void expand_list(struct build *b, const struct ast_sources *s, b_branches *out,
			const ast_stages *around);

/* Stages inside come before those around. */
static ast_stages stages_join(struct build *b, const ast_stages *inner, const ast_stages *outer)
{
	ast_stages all = { 0 };

	for (int i = 0; i < inner->n; i++)
		vec_push(b->arena, &all, inner->v[i]);
	for (int i = 0; i < outer->n; i++)
		vec_push(b->arena, &all, outer->v[i]);
	return all;
}

static void expand_inner(struct build *b, const struct ast_sources *s, const ast_stages *inner,
			 b_branches *out, const ast_stages *around)
{
	ast_stages all = stages_join(b, inner, around);

	expand_list(b, s, out, &all);
}

#define NAMES_BYTES_MOST 100

/* "a, b, c, ...": what losses of a union are told of. */
const char *build_name_list(struct build *b, const char *names, const char *name)
{
	size_t n = names ? strlen(names) : 0;

	if (!n)
		return name;
	if (n > NAMES_BYTES_MOST)
		return strstr(names, ", ...") ? names : arena_printf(b->arena, "%s, ...", names);
	return arena_printf(b->arena, "%s, %s", names, name);
}

/* System calls of one union are one match: calls of one thread never overlap, so
 * they share the place of their begins. */
static bool join_calls(struct build *b, source_matches *calls, struct source_match *m)
{
	struct source_match *to = calls->n ? calls->v[0] : NULL;

	if (m->call != CALL_PERIOD || !m->calls.n)
		return false;
	if (!to) {
		vec_push(b->arena, calls, m);
		return true;
	}
	for (int i = 0; i < m->calls.n; i++)
		vec_push(b->arena, &to->calls, m->calls.v[i]);
	to->names = build_name_list(b, to->names ? to->names : to->name, m->name);
	return true;
}

static void expand(struct build *b, const struct ast_source *s, b_branches *out,
		   const ast_stages *around, source_matches *calls)
{
	for (const struct ast_source *alt = s; alt; alt = alt->otherwise) {
		const struct ast_sources *given = build_param_sources(b, alt);
		const struct ast_def *d = build_def_of(b, alt);
		source_matches found = { 0 };

		if (build_skips(b, alt))
			continue;
		if (d) {
			if (!def_enter(b, d, alt->loc))
				return;
			expand_inner(b, d->sources, &d->stages, out, around);
			b->open_defs.n--;
			return;
		}
		if (alt->kind == AS_GROUP) {
			expand_inner(b, alt->group, &alt->stages, out, around);
			return;
		}
		if (given) {
			expand_list(b, given, out, around);
			return;
		}
		if (alt->kind == AS_SPAN) {
			period_branches(b, build_span(b, alt->span), out, around);
			return;
		}
		find(b, alt, &found);
		for (int i = 0; i < found.n; i++)
			if (!join_calls(b, calls, found.v[i]))
				match_branches(b, alt, found.v[i], out, around);
		if (found.n)
			return;
	}
	report_none(b, s);
}

static void expand_list(struct build *b, const struct ast_sources *s, b_branches *out,
			const ast_stages *around)
{
	source_matches calls = { 0 };

	for (int i = 0; i < s->v.n; i++)
		if (cond_holds(b->env, &s->v.v[i]->cond))
			expand(b, s->v.v[i], out, around, &calls);
	/* a source that is named once and asked twice (in .. over) is one period */
	if (calls.n)
		match_branches(b, s->v.n == 1 ? (const void *)s->v.v[0] : s, calls.v[0], out, around);
}

void build_source_branches(struct build *b, struct ast_source *s, b_branches *out)
{
	struct ast_sources *one = arena_new(b->arena, struct ast_sources);

	one->loc = s->loc;
	vec_push(b->arena, &one->v, s);
	build_branches(b, one, out);
}

void build_branches(struct build *b, const struct ast_sources *s, b_branches *out)
{
	static const ast_stages none;

	expand_list(b, s, out, &none);
}
