/* check_help: what was meant in another way, and what to write instead. */
#ifndef PLAN_CHECK_HELP_H
#define PLAN_CHECK_HELP_H

#include "plan/check.h"

/* "did you mean 'X'? names: ..." as help of the last mistake. */
void help_names(struct check_env *env, struct str name, const char *what,
		const char *const *names, int n);
/* The same of all that may stand in the scope; b may be NULL. */
void help_fields(struct scope *s, const struct side *a, const struct side *b, struct str name);
/* What to write for e in place of comparing it with a text. */
void check_help_no_text(struct check_env *env, const struct px *e);

/* Types that go together: warns of what is compared in vain. False: it is a mistake. */
bool check_compared(struct scope *s, const char *op, const struct px *a, const struct px *b);
/* A bits operator beside a comparison. False: it is a mistake. */
bool check_bits(struct scope *s, const struct ax *e, struct px *const kids[2]);
/* duration / 1000000 was meant as milliseconds. */
void check_warn_unit_left(struct scope *s, const struct px *value, const struct px *by);

#endif
