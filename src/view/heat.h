/*
 * heat: how many values of each size there were at each time, for a heat map. Rows with
 * a place in a tree of stacks are kept one by one, so that a range can be chosen later;
 * others are counted in slots of time, which double when there are too many.
 */
#ifndef VIEW_HEAT_H
#define VIEW_HEAT_H

#include "base/buf.h"
#include "table/table.h"
#include "view/flame.h"

struct heat;

struct heat *heat_open(void);
void heat_close(struct heat *h);
/* node: in the tree, 0: none. */
void heat_row(struct heat *h, uint64_t wall_ns, uint64_t value, int node);
void heat_table(struct heat *h, const struct table *t);
bool heat_is_empty(const struct heat *h);
/* Members of a JSON object, "heat":{...}; times are ns since the first. f is finished. */
void heat_json(struct heat *h, struct buf *b, const struct flame *f);

#endif
