/* live: the running machine as a target. */
#ifndef SESSION_LIVE_H
#define SESSION_LIVE_H

#include "base/buf.h"
#include "kern/catalog/catalog.h"
#include "kern/feature.h"
#include "session/target.h"

struct live_target {
	struct target target;
	struct features features;		/* those forced off are not used */
	struct kernel_catalog *kernel;		/* NULL: not asked yet */
	bool lasts;				/* other queries follow: what names need is kept */
};

/* Asks nothing yet. */
void live_target_init(struct live_target *t);
void live_target_fini(struct live_target *t);

/* Of what is loaded there: the programs whose statistics spec->cost asked for, own CPU time, bytes of
 * tables; how much of all CPUs' time the programs took when the budget was exceeded. */
void live_target_cost(const struct loaded *l, struct buf *out);
double live_target_budget_used(const struct loaded *l);

#endif
