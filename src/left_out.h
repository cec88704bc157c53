/*
 * left_out: functions of the kernel that a wildcard of the query goes without, because they
 * cannot be traced.
 */
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include "compile.h"

/* A line for each wildcard, with `begin` before it; nothing when there are none. names: the names,
 * too, by the reason. */
void left_out_print(const struct compile *c, const char *begin, bool names, struct buf *out);

#endif
