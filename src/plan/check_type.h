/* check_type: types beside each other. */
#ifndef PLAN_CHECK_TYPE_H
#define PLAN_CHECK_TYPE_H

#include "plan/check.h"

bool type_is_memory(const struct type *t);		/* a struct, an array */
bool type_has_names(const struct type *t);		/* its values do */
bool type_is_plain(const struct type *t);		/* a number without a meaning of its own */
bool type_is_pointer(const struct type *t);
/* Signed where one is and the other's values fit: an unsigned field of less than
 * 64 bits loses nothing. */
bool types_are_signed(const struct type *a, const struct type *b);

/* A text; in a table any value that is no number is its text. */
bool scope_is_text(const struct scope *s, const struct px *e);
bool scope_comparable(const struct scope *s, const struct px *a, const struct px *b);
struct px *px_mismatch(struct scope *s, struct loc loc, const struct px *a, const char *what,
		       const struct px *b);
/* Makes a literal of the two fit the other; px_unify: false and a mistake if they don't go
 * together. */
void px_adopt_types(struct px *a, struct px *b);
bool px_unify(struct scope *s, struct loc loc, struct px *a, struct px *b);
/* What a choice between the two is: literals adopted before. */
struct type type_common(const struct px *a, const struct px *b);

#endif
