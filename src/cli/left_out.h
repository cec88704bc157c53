/*
 * left_out: functions that a wildcard of the query goes without, because they cannot be traced.
 */
#ifndef CLI_LEFT_OUT_H
#define CLI_LEFT_OUT_H

#include "session/compile.h"

/* A line for each wildcard, with `begin` before it; nothing when there are none. names: the names,
 * too, by the reason. kernel: also the kernel's, which takes some 0.1 s to find out. */
void left_out_print(const struct compile *c, const char *begin, bool names, bool kernel, struct buf *out);

#endif
