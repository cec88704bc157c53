/*
 * Parameters that are a piece of the query: of type `source` or `sources` where `$NAME` alone
 * stands for a source, of type `parts` behind `split`. Their text is parsed once, so that what
 * a program names twice is one period.
 */
#include "plan/build_source.h"

#include "lang/diag_tags.h"
#include "plan/param.h"

/* A name that is no definition's, without what would say that it is no function's. */
static bool is_bare(struct build *b, const struct ast_source *s, bool module)
{
	struct str t = s->text;
	bool user;

	if ((s->kind != AS_NAME && s->kind != AS_SOURCE) || map_get_str(&b->defs, t))
		return false;
	user = memchr(t.p, '/', (size_t)t.n) || memmem(t.p, (size_t)t.n, ".so", 3) ||
	       str_has_prefix(t, "pid:");
	return !memchr(t.p, '(', (size_t)t.n) && !memchr(t.p, '@', (size_t)t.n) &&
	       !str_has_prefix(t, "usdt:") && !str_has_prefix(t, "syscall:") &&
	       (user || module || !memchr(t.p, ':', (size_t)t.n));
}

/* Who calls functions by their bare names on a command line means vfs_read(). */
static void name_functions(struct build *b, struct ast_source *s, bool module)
{
	for (; s; s = s->otherwise) {
		if (is_bare(b, s, module)) {
			s->kind = AS_SOURCE;
			s->text = str_of(arena_printf(b->arena, "%.*s()", STR_ARG(s->text)));
		}
		for (int i = 0; s->kind == AS_GROUP && i < s->group->v.n; i++)
			name_functions(b, s->group->v.v[i], module);
	}
}

/* A parameter's text; false and a mistake: it has none. */
static bool text_of(struct build *b, const struct param *p, struct loc loc,
		    struct source_text *text)
{
	struct px *v = p->value;

	if (!v || v->op != PX_TEXT || !v->text.n) {
		diag_error(b->diag, DIAG_PARAM_VALUE, loc, "$%.*s has no value",
			   STR_ARG(p->name));
		diag_help(b->diag, "give it: --%.*s VALUE", STR_ARG(p->name));
		return false;
	}
	*text = (struct source_text){ arena_printf(b->arena, "--%.*s", STR_ARG(p->name)), v->text };
	return true;
}

/* The parameter that a source is: `$NAME`, or `$NAME()` of a list, whose names are functions' then. */
static const struct param *whole_source(struct build *b, const struct ast_source *s, bool *functions)
{
	const struct param *p;
	struct str name = s->text;

	*functions = name.n > 2 && str_is(str_sub(name, name.n - 2, -1), "()");
	if (s->kind != AS_SOURCE)
		return NULL;
	p = *functions ? NULL : params_whole(b->env, name, "source");
	name.n -= *functions ? 2 : 0;
	return p ? p : params_whole(b->env, name, "sources");
}

bool build_param_is_unset(struct build *b, const struct ast_source *s)
{
	bool functions;
	const struct param *p = whole_source(b, s, &functions);

	return p && !p->value;
}

struct ast_sources *build_param_sources(struct build *b, const struct ast_source *s)
{
	bool functions;
	const struct param *p = whole_source(b, s, &functions);
	struct source_text *text;
	struct ast_sources *all;
	void **to;

	if (!p)
		return NULL;
	to = map_put_str(b->arena, &b->parsed_params, s->text);
	if (*to)
		return *to;
	text = arena_new(b->arena, struct source_text);
	all = text_of(b, p, s->loc, text) ? parse_sources(b->arena, b->diag, text) : NULL;
	*to = all = all ? all : arena_new(b->arena, struct ast_sources);
	for (int i = 0; i < all->v.n; i++)
		name_functions(b, all->v.v[i], functions);
	return all;
}

const struct ast_stage *build_param_parts(struct build *b, const struct ast_stage *st)
{
	const struct ast_source *s = st->parts.n == 1 ? st->parts.v[0].source : NULL;
	const struct param *p = s && s->kind == AS_SOURCE ?
		params_whole(b->env, s->text, "parts") : NULL;
	struct source_text *text;
	struct ast_stage *parts;
	void **to;

	if (!p)
		return st;
	to = map_put_str(b->arena, &b->parsed_params, s->text);
	if (*to)
		return *to;
	text = arena_new(b->arena, struct source_text);
	parts = text_of(b, p, s->loc, text) ? parse_parts(b->arena, b->diag, text) : NULL;
	*to = parts = parts ? parts : arena_new(b->arena, struct ast_stage);
	for (int i = 0; i < parts->parts.n; i++)
		name_functions(b, parts->parts.v[i].source, false);
	return parts;
}
