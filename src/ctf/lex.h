/* lex: tokens of TSDL, the metadata language of CTF 1.8. */
#ifndef CTF_LEX_H
#define CTF_LEX_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

enum tsdl_token {
	TSDL_END, TSDL_BAD, TSDL_NAME, TSDL_INT, TSDL_STRING,
	TSDL_ASSIGN_TYPE,	/* := */
	TSDL_DOTS,		/* ... */
	TSDL_PUNCT		/* one character: text.p[0] */
};

struct tsdl_lex {
	struct arena *arena;
	struct str text;
	int at, line;
	enum tsdl_token kind;	/* of the present token */
	struct str token;	/* its text; of a string the unescaped content */
	uint64_t value;
	int token_line;
};

/* Makes the next token the present one. */
void tsdl_next(struct tsdl_lex *l);

#endif
