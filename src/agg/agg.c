/* The registry of the aggregations. To add one: agg/x.c and a row in agg.def. */
#include "agg/agg.h"

const struct agg_ops *const agg_registry[] = {
#define AGG(name) &agg_##name,
#include "agg/agg.def"
#undef AGG
	NULL
};
