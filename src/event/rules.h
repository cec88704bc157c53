/* rules: what the kinds of event sources have in common. */
#ifndef EVENT_RULES_H
#define EVENT_RULES_H

#include "plan/source.h"

/* What may stand behind the @ of what samples count, "page-faults"; NULL: they count no such. */
const char *source_sample_rate(struct str name);

/* How a program's functions or static probes are attached to: attach and why. */
void source_choose_user(const struct catalog *c, struct source_match *m);

/* A mistake where a recorded trace is asked for what only a running system has ("calls of
 * kernel functions"): it says what the trace has. */
void source_not_recorded(struct source_env *env, const struct ast_source *s, const char *what);

#endif
