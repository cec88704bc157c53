/* tsdl: what the two halves of the parser of TSDL share. */
#ifndef CTF_TSDL_H
#define CTF_TSDL_H

#include "ctf/impl.h"
#include "ctf/lex.h"

/* Names of types: "uint32_t", "struct x"; those of an inner block hide outer ones. */
struct tsdl_names {
	struct tsdl_names *up;
	struct map types;
};

/* Types by their text: tsdl_share. */
struct tsdl_known {
	struct arena arena;
	struct map types;
};

struct tsdl {
	struct tsdl_lex lex;
	struct ctf_meta *meta;
	struct tsdl_names *names, global;
	struct tsdl_known integers, bodies;
	int depth;
	bool failed;
};

/* Before the first token; then all blocks of lex.text, to its end or the first mistake. */
void tsdl_open(struct tsdl *p, struct ctf_meta *m, struct str text);
void tsdl_blocks(struct tsdl *p);

/* Records what is wrong, at the present token; false. */
bool tsdl_fail(struct tsdl *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool tsdl_is(const struct tsdl *p, const char *text);		/* a name or punctuation */
bool tsdl_take(struct tsdl *p, const char *text);		/* and goes on */
bool tsdl_expect(struct tsdl *p, const char *text);
bool tsdl_room(struct tsdl *p);			/* for more types; else it fails */
void tsdl_enter(struct tsdl *p, struct tsdl_names *scope);
void tsdl_leave(struct tsdl *p);

/* A constant: an integer with its sign, a word or a string. */
struct tsdl_value {
	enum tsdl_token kind;		/* INT NAME STRING */
	struct str text;		/* NAME: with its dots, "clock.monotonic.value" */
	uint64_t u;
};
bool tsdl_value(struct tsdl *p, struct tsdl_value *v);
bool tsdl_truth(const struct tsdl_value *v);
bool tsdl_big_endian(struct tsdl *p, const struct tsdl_value *v);

/* What parse makes of the text from here on, or what it made of the same text before. The text: to
 * the end of braces, which it begins with, or to the semicolon. */
struct ctf_type *tsdl_share(struct tsdl *p, struct tsdl_known *of,
			    struct ctf_type *(*parse)(struct tsdl *p));
void tsdl_forget(struct tsdl_known *known);

/* Is the present token the begin of typealias, typedef? Takes it whole. */
bool tsdl_alias(struct tsdl *p);
/* A type without its declarator, or NULL. Gives names to structs, enums and variants. */
struct ctf_type *tsdl_type(struct tsdl *p);

#endif
