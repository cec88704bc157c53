/*
 * feature: what this machine has, by trying. Rows are in feature.def; a row is
 * tried when somebody asks for it, once.
 */
#ifndef KERN_FEATURE_H
#define KERN_FEATURE_H

#include <stdbool.h>

#include "base/arena.h"
#include "kern/types/ktype.h"

enum feature_id {
#define FEATURE(id, name, gives, since, without, test) FEATURE_##id,
#include "kern/feature.def"
#undef FEATURE
	FEATURES
};

struct features {
	struct arena arena;
	bool known[FEATURES], has[FEATURES], off[FEATURES];
	bool types_tried;
	struct ktypes *types;
	struct err types_err;		/* why there are none */
};

/* A zeroed struct is ready. Frees what was found out. */
void features_fini(struct features *f);

bool feature_has(struct features *f, enum feature_id id);
/* From now on this machine does not have it. False: no such name. */
bool feature_force_off(struct features *f, const char *name);

/* For lists: what the row says. */
struct feature_row {
	const char *name;		/* "task_storage" */
	const char *gives;		/* what it is for */
	const char *since;		/* kernel version, commit or option */
	const char *without;		/* what is done, or what is lost, without it */
};
const struct feature_row *feature_row(enum feature_id id);

/* The kernel's C types, opened at first use; NULL: none, or the feature btf is off. */
struct ktypes *features_types(struct features *f);

#endif
