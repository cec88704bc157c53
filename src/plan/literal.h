/*
 * literal: names that are numbers on every machine: errors, signals, states of
 * a task, true and false. Enumerators of the kernel are the catalog's.
 */
#ifndef PLAN_LITERAL_H
#define PLAN_LITERAL_H

#include "base/str.h"
#include "table/type.h"

bool literal_find(struct str name, int64_t *value, struct type *type);
bool literal_errno(struct str name, int64_t *value);	/* "ENOENT" */
bool literal_signal(struct str name, int64_t *value);	/* "SIGKILL" */
/* A name of en; a hole in its numbering has no name. */
bool literal_in_enum(const struct enum_desc *en, struct str name, int64_t *value);

#endif
