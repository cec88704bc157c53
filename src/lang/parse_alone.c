/*
 * Parts of a program that stand alone: expressions of our own tables, and what a
 * parameter's value is.
 */
#include "lang/parse_impl.h"
#include "lang/habit.h"

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

/* bcc's trace has all in one word: NAME (CONDITION) "FORMAT", ARGUMENT, ... */
static void help_probe(struct parser *p, struct str text)
{
	const char *blank = memchr(text.p, ' ', (size_t)text.n), *source;

	source = habit_find(p->arena, HABIT_SOURCE, str_sub(text, 0, blank ? (int)(blank - text.p) : -1));
	diag_help(p->diag, "%s%sa condition and what is shown are options of culprit trace: -f 'count > 20000' "
		  "-s '\"read %%d bytes\", count'; arguments have names: culprit list -v syscall:read",
		  source ? source : "", source ? "; " : "");
}

struct ast_sources *parse_sources(struct arena *a, struct diag *d, const struct source_text *text)
{
	int errors = d->errors;
	struct ast_sources *s;
	struct parser p;

	if (!parser_start(&p, a, d, text, NULL))
		return NULL;
	s = parser_sources(&p);
	if (p.diag->errors == errors && (p.tok.id == T_LPAREN || p.tok.id == T_STRING)) {
		if (parser_error(&p, DIAG_EXPECTED_TOKEN, parser_loc(&p), "a source to watch stands alone"))
			help_probe(&p, text->text);
		return NULL;
	}
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
