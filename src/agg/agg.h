/* The aggregations of the language: see plan/agg.h. */
#ifndef AGG_AGG_H
#define AGG_AGG_H

#include "plan/agg.h"

#define AGG(name) extern const struct agg_ops agg_##name;
#include "agg/agg.def"
#undef AGG

extern const struct agg_ops *const agg_registry[];	/* ends with NULL */

#endif
