/*
 * Parts of a program that stand alone: expressions of our own tables, and what a
 * parameter's value is.
 */
#include "lang/parse_impl.h"

/* Nothing is behind it, and it was right. */
static bool ended(struct parser *p, int errors, const char *what)
{
	if (p->tok.id != T_EOF)
		parser_unexpected(p, DIAG_EXPECTED_TOKEN, what);
	return p->diag->errors == errors;
}

struct ax *parse_expr(struct arena *a, struct diag *d, const struct source_text *text)
{
	int errors = d->errors;
	struct parser p;
	struct ax *e;

	if (!parser_start(&p, a, d, text, NULL))
		return NULL;
	p.parens = 1;
	e = parser_expr(&p);
	return ended(&p, errors, "the end of the expression") ? e : NULL;
}

struct ast_sources *parse_sources(struct arena *a, struct diag *d, const struct source_text *text)
{
	int errors = d->errors;
	struct ast_sources *s;
	struct parser p;

	if (!parser_start(&p, a, d, text, NULL))
		return NULL;
	s = parser_sources(&p);
	return ended(&p, errors, "the end of the source") ? s : NULL;
}

struct ast_stage *parse_parts(struct arena *a, struct diag *d, const struct source_text *text)
{
	struct ast_stage *s = arena_new(a, struct ast_stage);
	int errors = d->errors;
	struct parser p;

	if (!parser_start(&p, a, d, text, NULL))
		return NULL;
	s->id = STAGE_SPLIT;
	parser_parts(&p, s);
	return ended(&p, errors, "the end of the parts") ? s : NULL;
}

struct ast_stage *parse_columns(struct arena *a, struct diag *d, const struct source_text *text)
{
	struct ast_stage *s = arena_new(a, struct ast_stage);
	int errors = d->errors;
	struct parser p;

	if (!parser_start(&p, a, d, text, NULL))
		return NULL;
	parser_columns(&p, s);
	return ended(&p, errors, "the end of the columns") ? s : NULL;
}
