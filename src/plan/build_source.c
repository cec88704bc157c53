/*
 * What a written source names: looked up once, through definitions and `else`. What a text means is
 * the business of event/.
 */
#include "plan/build_source.h"

#include "lang/diag_tags.h"
#include "lang/habit.h"
#include "plan/build_event.h"
#include "plan/param.h"

#define DEFS_DEEP_MOST 32
#define SOURCES_MOST 10000	/* five times all events of a kernel */

/* `$function()` with what it stands for. NULL after a mistake. */
static const struct ast_source *with_values(struct build *b, const struct ast_source *s)
{
	struct source_text *text;
	struct ast_source *copy;

	if (s->kind != AS_SOURCE || !params_in_source(s->text))
		return s;
	copy = arena_new(b->arena, struct ast_source);
	*copy = *s;
	if (!params_expand(b->env, s->text, s->loc, &copy->text))
		return NULL;
	/* messages quote what the user wrote, not the tool's $function() */
	text = arena_new(b->arena, struct source_text);
	*text = (struct source_text){ .name = s->loc.text ? s->loc.text->name : "query", .text = copy->text };
	copy->loc = (struct loc){ text, 0, copy->text.n };
	return copy;
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

void build_report_none(struct build *b, const struct ast_source *written)
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
	struct source_match *copy = arena_new(b->arena, struct source_match);

	*copy = *m;
	memset(&copy->calls, 0, sizeof(copy->calls));
	for (int i = 0; i < m->calls.n; i++)
		vec_push(b->arena, &copy->calls, m->calls.v[i]);
	return copy;
}

void build_find(struct build *b, const struct ast_source *written, source_matches *out)
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

const struct ast_def *build_def_of(const struct build *b, const struct ast_source *s)
{
	return s->kind == AS_NAME ? map_get_str(&b->defs, s->text) : NULL;
}

bool build_def_enter(struct build *b, const struct ast_def *d, struct loc loc)
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

/* ---- which of an `else` chain is there ---- */

/* A definition, a group or a span is there when all that it names is. Looks only: what is wrong with the
 * one that is taken is said when it is built. */
#define NESTED_MOST 64		/* what is deeper is taken, and refused when it is built */

static bool finds(struct build *b, const struct ast_source *s)
{
	source_matches found = { 0 };

	build_find(b, s, &found);
	return found.n > 0;
}

static bool all_there(struct build *b, const struct ast_sources *s, int depth);
static bool exists(struct build *b, const struct ast_source *s, int depth);

static bool end_there(struct build *b, const struct ast_end *e, int depth)
{
	if (!e || !cond_holds(b->env, &e->cond))
		return true;
	if (e->source)
		return exists(b, e->source, depth);
	for (int i = 0; i < e->list->v.n; i++)
		if (!end_there(b, e->list->v.v[i], depth))
			return false;
	return true;
}

static bool one_there(struct build *b, const struct ast_source *s, int depth)
{
	const struct ast_def *d = build_def_of(b, s);

	if (d)
		return all_there(b, d->sources, depth);
	if (s->kind == AS_GROUP)
		return all_there(b, s->group, depth);
	if (s->kind == AS_SPAN)
		return end_there(b, s->span->from, depth) && end_there(b, s->span->via, depth) &&
		       end_there(b, s->span->to, depth);
	return finds(b, s);
}

static bool exists(struct build *b, const struct ast_source *s, int depth)
{
	if (depth >= NESTED_MOST)
		return true;
	for (; s; s = s->otherwise)
		if (one_there(b, s, depth + 1))
			return true;
	return false;
}

static bool all_there(struct build *b, const struct ast_sources *s, int depth)
{
	for (int i = 0; i < s->v.n; i++)
		if (cond_holds(b->env, &s->v.v[i]->cond) && !exists(b, s->v.v[i], depth))
			return false;
	return true;
}

bool build_skips(struct build *b, const struct ast_source *s)
{
	bool compound = build_def_of(b, s) || s->kind == AS_GROUP || s->kind == AS_SPAN;

	/* the last one is built, there or not: then it is told what is missing */
	return s->otherwise && compound && !one_there(b, s, 0);
}

/* ---- ends ---- */

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
		if (d && build_def_enter(b, d, alt->loc)) {
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
		build_find(b, alt, out);
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
	build_report_none(b, s);
}
