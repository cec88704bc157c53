/*
 * keys: the key cells of a row as bytes, equal where the keys are equal.
 * For stage.c and join.c.
 */
#ifndef TABLE_KEYS_H
#define TABLE_KEYS_H

#include "table/table.h"

/* Appends the cells of the key columns. An EVENT is written by its name. */
void keys_add(struct buf *b, const struct table *t, const struct cell *row);

#endif
