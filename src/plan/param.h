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

/* A type of a parameter: row of plan/param.c. */
struct param_type {
	const char *name;		/* "duration" */
	const char *value;		/* what help shows for it: "TIME"; NULL: takes none */
	bool (*parse)(struct check_env *env, struct str text, struct px *out);
};

const struct param_type *param_type_find(struct str name);

/* Fills env->params from the definitions and the given values; a default
 * counts as given. Mistakes to diag. */
void params_bind(struct check_env *env, const struct ast *ast, const struct param_value *given,
		 int n_given);

/* Has a source's text parameters that are to be replaced? `cpu@$hz` has none of these. */
bool params_in_source(struct str text);
/* The text with the values of its parameters; false and a mistake when one has none. */
bool params_expand(struct check_env *env, struct str text, struct loc loc, struct str *out);

#endif
