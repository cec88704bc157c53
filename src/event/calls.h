/*
 * calls: the table of system calls in the binary (event/syscall.def). Empty on
 * architectures whose numbers it does not have.
 */
#ifndef EVENT_CALLS_H
#define EVENT_CALLS_H

#include "base/str.h"
#include "lang/catalog.h"

struct call_row {
	int nr;
	char name[40];
	const char *params;		/* C declarations, ", " between */
	uint8_t facts;			/* of struct cat_syscall */
};

const struct call_row *call_row_at(int i);	/* NULL past the end */
const struct call_row *call_row_by_number(int nr);
/* By its name, or the kernel's name for it; NULL: there is none. */
const struct call_row *call_row_find(struct str name);
/* 0 of one that there is not. */
uint8_t call_facts(struct str name);
/* One that the table lacks gets a number that no other has, from *free_nr down; below 0 if none is left. */
int call_number(struct str name, int *free_nr);

#endif
