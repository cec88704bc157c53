/*
 * knames: names of the running machine's numbers, looked up when one is shown.
 */
#ifndef KERN_KNAMES_H
#define KERN_KNAMES_H

#include "base/wall.h"
#include "table/names.h"

struct knames;
struct stacks;

/* wall has to live as long as it. Reads nothing yet. */
struct knames *knames_open(const struct wall *wall);
void knames_close(struct knames *k);

/* Stacks are named from here on; s has to live as long as k. */
void knames_stacks(struct knames *k, struct stacks *s);

/* Good while k is. */
struct names knames_names(struct knames *k);

#endif
