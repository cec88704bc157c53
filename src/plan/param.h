/*
 * param: the parameters of a query file and their values.
 */
#ifndef PLAN_PARAM_H
#define PLAN_PARAM_H

#include "plan/check.h"

struct param_value {
	const char *name;		/* of the param, or its letter as text */
	const char *value;		/* as given; NULL: a flag */
};

/* Which plain arguments are a parameter's that has no letter. */
enum param_plain {
	PLAIN_NONE,
	PLAIN_FIRST,			/* the first, of the first parameter: a threshold */
	PLAIN_ONE,			/* one, in the order of the parameters */
	PLAIN_REST,			/* all that are left, with commas between them */
};

/* A type of a parameter: row of plan/param.c. */
struct param_type {
	const char *name;		/* "duration" */
	const char *value;		/* what help shows for it: "TIME"; NULL: takes none */
	const char *help, *example;	/* `culprit help parameters`; a query, compiled by a test */
	bool (*parse)(struct check_env *env, struct str text, struct px *out);
	uint8_t plain;			/* enum param_plain */
	bool source;			/* says what is traced: a tool needs it */
	/* What stands for the parameter in the program, or NULL; mistakes to diag. */
	void (*read)(struct check_env *env, struct param *p, const struct source_text *text);
};

extern const struct param_type param_types[];	/* ends with a NULL name */
const struct param_type *param_type_find(struct str name);
bool param_type_is_source(struct str name);

/* Fills env->params from the definitions and the given values; a default
 * counts as given. Mistakes to diag. */
void params_bind(struct check_env *env, const struct ast *ast, const struct param_value *given,
		 int n_given);

/* The parameter that a source's text is, alone: `$main`. NULL: it is something else. */
const struct param *params_whole(const struct check_env *env, struct str text, const char *type);

/* Puts the texts of parameters in their places in the program: expressions, columns. */
void params_splice(struct check_env *env, const struct ast *ast);

/* Takes the next of a list with commas from the text; false at its end. */
bool params_next(struct str *rest, struct str *one);

/* Has a source's text parameters that are to be replaced? `cpu@$hz` has none of these. */
bool params_in_source(struct str text);
/* The text with the values of its parameters; false and a mistake when one has none. */
bool params_expand(struct check_env *env, struct str text, struct loc loc, struct str *out);

#endif
