/*
 * tracefs: where the kernel describes its tracepoints as text.
 */
#ifndef KERN_TYPES_TRACEFS_H
#define KERN_TYPES_TRACEFS_H

#include "base/buf.h"
#include "kern/types/ktype.h"

/* Its mount point, or NULL. With `mount`, mounts it at its usual place when it is
 * not there and that is permitted. */
const char *tracefs_find(bool mount);

/* The text of a format; false: no such event, or names that can't be one. */
bool tracefs_format(const char *root, struct str system, struct str name, struct buf *text);

/* Fills perf_id and the fields (without common_*). Robust against any text. k may be NULL.
 * call: of system "syscalls", where the size said is a register's, not the type's (int: 8), and
 * pointers are the program's. */
void tracefs_parse(struct arena *a, struct ktypes *k, const char *text, bool call,
		   struct cat_event *e);

/* What a field means by its name where C only says integer or pointer. */
void tracefs_meaning(struct cat_field *f);

/* Every event whose "system:name" matches, in no order. */
void tracefs_each(const char *root, struct str glob,
		  void (*each)(void *arg, const char *system, const char *name), void *arg);

#endif
