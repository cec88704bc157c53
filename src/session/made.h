/* made: events that were made (replay/made.h) as a target. */
#ifndef SESSION_MADE_H
#define SESSION_MADE_H

#include "replay/made.h"
#include "session/target.h"

struct made_target {
	struct target target;
	struct catalog catalog;
	struct made *made;
};

/* made stays the caller's. */
void made_target_init(struct made_target *t, struct made *made);

#endif
