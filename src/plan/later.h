/*
 * later: what the language has and this version does not run yet. One place,
 * one sentence each; the text is parsed all the same.
 */
#ifndef PLAN_LATER_H
#define PLAN_LATER_H

#include "base/diag.h"

enum later {
	LATER_USDT, LATER_STACK, LATER_USYM, LATER_TREE, LATER_IN_OWN, LATERS
};

void later_report(struct diag *d, struct loc loc, enum later what);

#endif
