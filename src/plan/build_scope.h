/* build_scope: what names mean at an event and at a row, and what is kept of a begin so that they can. */
#ifndef PLAN_BUILD_SCOPE_H
#define PLAN_BUILD_SCOPE_H

#include "plan/build.h"

struct scope build_event_scope(struct build *b, struct b_action *e);
struct scope build_period_scope(struct build *b, struct b_period *p, struct b_action *end);
/* Of one that has not ended. */
struct scope build_open_scope(struct build *b, struct b_period *p);
/* A text of our own, checked where the action is; quiet: NULL after a mistake. */
struct px *build_text(struct build *b, struct b_action *e, bool quiet, const char *text);

/* begin.X and via.X as X where that side is; begin.current.X is current.X. */
struct ax *build_at_begin(struct build *b, const struct ax *e);
bool build_has_via(const struct ax *e);		/* does it say via.X? */
/* The slot of an expression as it reads at the begins. */
int build_keep_slot(struct build *b, struct b_period *p, const struct ax *asked);

#endif
