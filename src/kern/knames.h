/*
 * knames: names of the running machine's numbers, looked up when one is shown.
 */
#ifndef KERN_KNAMES_H
#define KERN_KNAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/wall.h"
#include "table/names.h"
#include "table/stack.h"

struct knames;
struct stacks;

/* wall has to live as long as it. Reads nothing yet. */
struct knames *knames_open(const struct wall *wall);
void knames_close(struct knames *k);

/* Stacks are named from here on; s has to live as long as k. */
void knames_stacks(struct knames *k, struct stacks *s);
/* Name, module and offset of the frame's address; returns: it is where a call returns. */
void knames_frame(struct knames *k, struct stack_frame *f, bool returns);

/* Good while k is. */
struct names knames_names(struct knames *k);

#endif
