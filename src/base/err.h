/*
 * err: why the system said no, as a chain of causes.
 *
 * The layer that knows what it was doing adds a cause and passes the negative
 * errno on; the command prints the chain once, outermost first:
 *
 *	return err_push(e, -errno, "cannot create table %s", name);
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

struct err {
	struct arena *arena;
	VEC(const char *) causes;	/* innermost first */
	const char *help;		/* what to do about it, or NULL */
	bool unable;			/* this machine can't: exit status 3, not 1 */
};

/* Adds a cause and returns code, which is 0 or a negative errno. */
int err_push(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void err_help(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* What another thread found out, behind what is there. */
void err_join(struct err *e, const struct err *other);

#endif
