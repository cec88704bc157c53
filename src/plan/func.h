/*
 * func: what a function of the language is. In func/ by themes, one row each in func/func.def.
 *
 * It has a meaning over rows, where the events are (type, and emit_word or emit_text),
 * over finished tables (over and value), or both.
 */
#ifndef PLAN_FUNC_H
#define PLAN_FUNC_H

#include "plan/check.h"
#include "table/expr.h"

struct cg;
struct place;

/* A call with checked arguments, none of them a mistake or none always. */
struct func_call {
	struct check_env *env;
	struct scope *s;
	const struct ax *e;
	const char *name;
	int n;
	struct px **args;
	struct px *x;			/* the node: CALL of the arguments */
};

struct func_ops {
	const char *name;
	const char *takes;		/* "(number)": the texts of `culprit help functions` */
	const char *help;
	const char *example;		/* a query, compiled by tests/cmd/language.sh */
	int min_args, max_args;

	/* ---- over rows ---- */
	/* The type rule: sets the type of c->x, or makes another node: that of a constant. */
	struct px *(*type)(struct func_call *c);
	/* Instead of it, of arguments that are not checked yet. */
	struct px *(*check)(struct scope *s, const struct ax *e);
	bool reads_text;		/* the user's, which may not be in memory at the begin */
	bool reads_memory;		/* kept whole at the begin: see check_kept */
	bool is_string;			/* the string at args[0], which is read as all strings are */
	/* R0 = the word; or at most room bytes of what is text to `at`. none is a label:
	 * see cg_word and cg_text. */
	void (*emit_word)(struct cg *cg, const struct px *e, int none);
	void (*emit_text)(struct cg *cg, const struct px *e, struct place at, int room, int none);

	/* ---- over the columns of a table ---- */
	enum func_over {
		OVER_NOTHING,
		OVER_NUMBERS,		/* of one unit, which the result has, too */
		OVER_COLUMN,		/* one, of numbers: the node's */
		OVER_TEXT		/* a constant: the node's */
	} over;
	struct type over_type;		/* of the result; no kind: as the arguments */
	enum tx_needs needs;
	struct tx_value (*value)(const struct tx_run *run, const struct tx *x,
				 const struct cell *row);
};

/* The row of this name, or NULL. */
const struct func_ops *func_find(const struct registry *r, struct str name);
/* Place and number of arguments of a call of f (NULL: there is no such) are right; table: it is
 * over columns. */
bool func_check_call(struct check_env *env, const struct ax *e, const struct func_ops *f,
		     bool table);
/* Does the function of this name, if there is one, read memory? */
bool func_reads_memory(const struct registry *r, struct str name);

#endif
