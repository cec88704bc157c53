/*
 * parse_impl: what the files of the parser share.
 *
 * parse.c        the token in hand, mistakes, programs and queries
 * parse_alone.c  a source, an expression by themselves
 * parse_expr.c   expressions, keys, columns
 * parse_source.c sources, spans, groups
 * parse_stage.c  stages and sinks
 *
 * A mistake puts the parser into panic: nothing more is reported until
 * parser_sync has skipped to where a list or a pipe goes on. No function
 * returns NULL; a mistake yields a placeholder.
 */
#ifndef LANG_PARSE_IMPL_H
#define LANG_PARSE_IMPL_H

#include "lang/ast.h"
#include "lang/diag_tags.h"
#include "lang/lex.h"

struct parser {
	struct arena *arena;
	struct diag *diag;
	const struct source_text *text;
	struct lex before, lex;		/* before and behind tok */
	struct token tok;		/* the one in hand */
	int last_end;			/* where the token before it ended */
	int depth;
	int queries, stages, columns;	/* read so far */
	int parens;			/* open around an expression: `|` is bits there */
	bool in_definition;		/* it ends at a line break, see language.md */
	int in_where;			/* mistakes inside of `where` stages */
	bool panic;
	bool stopped;			/* too deep or too many: the rest is not read */
	struct buf *trace;		/* explain -dt, or NULL */
};

/* ---- parse.c ---- */

/* With the first token in hand; false: it isn't read at all, which was told. */
bool parser_start(struct parser *p, struct arena *a, struct diag *d, const struct source_text *text,
		  struct buf *trace);
void parser_advance(struct parser *p);
/* Reads the token in hand again, as a source. */
void parser_read_source(struct parser *p);
struct token parser_peek(const struct parser *p);

/* Is the token in hand this word, not back-quoted? */
bool parser_at_word(const struct parser *p, const char *word);
bool parser_take_word(struct parser *p, const char *word);
bool parser_take(struct parser *p, int id);
/* Is it NAME followed by `=`? */
bool parser_at_naming(const struct parser *p);
/* May a stage, a list's element, end here? */
bool parser_at_end(const struct parser *p);

bool parser_expect(struct parser *p, int id, const char *what);
bool parser_expect_word(struct parser *p, const char *word);
/* The closing parenthesis or bracket of `open`; after a mistake inside it
 * skips there. */
void parser_close(struct parser *p, struct token open, int id);

struct loc parser_loc(const struct parser *p);			/* of the token in hand */
struct loc parser_token_loc(const struct parser *p, struct token t);
struct loc parser_since(const struct parser *p, int at);	/* to the last token */

/* False in panic: nothing was reported, add no help. */
bool parser_error(struct parser *p, const char *tag, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* "expected WHAT, found ..."; a bad token's own mistake goes first. */
bool parser_unexpected(struct parser *p, const char *tag, const char *what);
/* Is what is in hand another tool's way (habit.h)? parser_unexpected then tells ours. */
bool parser_at_habit(const struct parser *p);
/* The word, or nothing, that ends before what is in hand. */
struct str parser_word_before(const struct parser *p);
/* Behind a source or a stage stands a name: helps with what is left out before it. */
void parser_help_left_out(struct parser *p);
/* Skips to `,` `|` `;` `)` or the end, outside nested parentheses. */
void parser_sync(struct parser *p);

/* Around what nests; false: too deep, and the parser has stopped. */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);
void parser_too_deep(struct parser *p, struct loc loc);
/* The n-th of something that is compiled in more than linear time. */
void parser_bound(struct parser *p, int n, int most, const char *what);

struct ast_query *parser_query(struct parser *p);

/* ---- parse_expr.c ---- */

struct ax *parser_expr(struct parser *p);
struct ax *parser_literal(struct parser *p);		/* of a parameter's default */
struct cond parser_cond(struct parser *p);
/* expr | ( expr, ... ) */
void parser_keys(struct parser *p, ax_list *keys);
/* [ NAME = ] expr [ cond ] { , ... } */
void parser_named_exprs(struct parser *p, named_exprs *list, bool must_name);
/* A string's text, unescaped; the token in hand is a STRING. */
struct str parser_string(struct parser *p);

/* ---- parse_source.c ---- */

struct ast_sources *parser_sources(struct parser *p);
struct ast_source *parser_alt(struct parser *p, bool with_cond);
/* Reports `source`, an element of a list, when it is a span without its
 * parentheses; the comma behind it is in hand or it is not the first. */
void parser_check_element(struct parser *p, const struct ast_source *source);

/* ---- parse_stage.c ---- */

struct ast_stage *parser_stage(struct parser *p);
/* What stands behind `split`. */
void parser_parts(struct parser *p, struct ast_stage *s);
/* [ FORMAT "," ] columns, as of print, into s. */
void parser_columns(struct parser *p, struct ast_stage *s);
/* { "|" row-stage }: one by one, NULL at the end. */
struct ast_stage *parser_next_row_stage(struct parser *p, const char *where);

#endif
