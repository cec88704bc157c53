/* The kinds of event sources of the language: see plan/source.h. */
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include "plan/source.h"

extern const struct source_ops *const source_registry[];	/* ends with NULL */

#endif
