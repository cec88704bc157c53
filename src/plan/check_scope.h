/* check_scope: what there is by a name in a scope, and on which side. */
#ifndef PLAN_CHECK_SCOPE_H
#define PLAN_CHECK_SCOPE_H

#include "plan/check.h"

extern const char *const common_names[];

/* ---- one side ---- */
static inline bool side_is_there(const struct side *d)
{
	return d->event || d->syscall;
}

bool side_has_param(const struct side *d, struct str name);
/* f, which may be NULL, unless it is one that the begin of a call does not tell. */
const struct cat_field *side_tells(const struct side *d, const struct cat_field *f);
const struct cat_field *side_field(const struct scope *s, const struct side *d, struct str name);
/* Its fields, arguments and parameters. */
typedef VEC(const char *) name_list;
void side_list(struct check_env *env, name_list *l, const struct side *d);
const char *side_name(const struct side *d);

/* ---- the scope ---- */
bool scope_is_period(const struct scope *s);
bool scope_is_call(const struct scope *s);	/* the parameters are the same at both ends */
/* The side of a lone event, of the begin alone, of the end's `where`. */
const struct side *scope_lone_side(const struct scope *s);
const struct scope_let *scope_let(const struct scope *s, struct str name);	/* or NULL */
int table_column(const struct table_scope *t, struct str name);			/* or -1 */
/* Is a bare name a let, a field, a common one or a column here? */
bool name_is_bound(const struct scope *s, struct str name);

#endif
