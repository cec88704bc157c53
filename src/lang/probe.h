/*
 * probe: a probe as bcc's trace and argdist are told it, in one word, and what it is here.
 *
 *	[{p,r,t,u}:[LIBRARY]:]FUNCTION[(SIGNATURE)] [(CONDITION)] ["FORMAT", VALUE, ...]	trace
 *	{p,r,t,u}:[LIBRARY]:FUNCTION(SIGNATURE)[:TYPE,...:VALUE,...[:CONDITION]][#LABEL]	argdist
 *
 * For the help of a mistake only: what it makes is to be read by a user.
 */
#ifndef LANG_PROBE_H
#define LANG_PROBE_H

#include "base/arena.h"
#include "base/vec.h"
#include "lang/catalog.h"

typedef VEC(struct str) probe_list;

struct probe {
	struct str kind, library, function, signature;	/* kind: one letter, or empty */
	struct str condition, format;			/* empty: none; the format has its quotes */
	probe_list types, values;
};

/* False: it is not written so. A source of the language never is. */
bool probe_read_trace(struct arena *a, struct str text, struct probe *p);
bool probe_read_argdist(struct arena *a, struct str text, struct probe *p);

/* The same in the language, by the names that the catalog knows; catalog NULL: none. */
struct probe_here {
	const char *source, *condition;			/* condition NULL: none */
	const char *format;				/* NULL: none */
	VEC(const char *) values;
	bool nameless;					/* of a system call whose parameters are not known */
};
/* An expression of bpftrace, whose parameters are numbered from 0 as here. */
const char *probe_words(struct arena *a, struct str text);
void probe_translate(struct arena *a, const struct catalog *c, const struct probe *p,
		     struct probe_here *here);

#endif
