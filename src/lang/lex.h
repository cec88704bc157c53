/*
 * lex: text -> tokens, one at a time.
 *
 * There are two ways to read a place: lex_next reads expressions and words,
 * lex_source reads a source as far as white space or one of `|,;)`. Only the
 * parser knows which of them a place needs, so it reads a token again where a
 * source belongs. A lexer is small and copied to look ahead.
 *
 * Nothing is reported here: a mistake is a token T_BAD that says what is wrong.
 */
#ifndef LANG_LEX_H
#define LANG_LEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/str.h"

enum token_id {
#define TOKEN(id, text, description) T_##id,
#include "lang/token.def"
#undef TOKEN
	TOKENS
};

extern const char *const token_text[TOKENS];		/* "" for a class */
extern const char *const token_description[TOKENS];

struct token {
	uint8_t id;
	uint8_t unit;		/* INT: enum ax_unit */
	bool quoted;		/* NAME in back-quotes; SOURCE with a quoted part */
	bool first_on_line;
	int column;		/* bytes since the line began */
	int at, n;		/* place */
	struct str text;	/* NAME, PARAM: without ` and $; STRING: between the quotes,
				 * as written; others: all */
	int64_t number;		/* INT: in ns or bytes; wraps above INT64_MAX */
	double real;		/* REAL */
	const char *bad_tag, *bad_message, *bad_help;	/* BAD; help may be NULL */
};

struct lex {
	struct str text;
	int at;			/* next byte */
	int line_at;		/* where its line begins */
	bool line_begun;	/* a token stood on the line already */
};

struct token lex_next(struct lex *l);
struct token lex_source(struct lex *l);

/* The place of the first byte that no text may have, or -1. Says why. */
int lex_bad_byte(struct str text, const char **why);

/* A string's text with its escapes done; NULL text and why when one is wrong. */
struct str lex_unescape(struct arena *a, struct str raw, const char **why);
/* A source's text without its quotes. */
struct str lex_unquote(struct arena *a, struct token t);

bool lex_is_word_byte(char c);		/* letter, digit, _ */
bool lex_is_identifier(struct str s);
bool lex_is_reserved(struct str word);

#endif
