/* check_text: what is read as a text, and how much of it is kept. */
#ifndef PLAN_CHECK_TEXT_H
#define PLAN_CHECK_TEXT_H

#include "plan/check.h"

#define STRING_BYTES_USUAL 128

/* A char pointer of the kernel or an array of char becomes its string. */
struct px *px_as_string(struct check_env *env, struct px *e);
bool px_is_text_address(struct check_env *env, const struct px *e);	/* a program's, too */
struct px *px_as_address(struct px *e);		/* a string at a char pointer: the pointer again */

/* Does e, a string that is compared with a constant, keep enough of it? Says so if not. */
bool check_text_fits(struct check_env *env, const struct px *e, const struct px *constant);
bool check_pattern_fits(struct check_env *env, const struct px *e, const struct px *pattern);

#endif
