/*
 * alike: which stacks are shown alike. The same functions may be called from other addresses
 * inside of them, or be elsewhere in another process: for who reads the names it is one stack,
 * and one row of a table.
 */
#ifndef TABLE_ALIKE_H
#define TABLE_ALIKE_H

#include "base/map.h"
#include "table/names.h"
#include "table/type.h"

struct alike {
	const struct names *names;
	struct arena arena;
	struct map first;		/* what is shown -> the first id with that */
};

/* The id, of so many bytes, becomes that of the first stack that is shown like it. */
void alike_id(struct alike *x, const struct type *t, char *id, uint32_t bytes);
void alike_fini(struct alike *x);

#endif
