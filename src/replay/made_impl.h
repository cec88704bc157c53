/* made_impl: what made.c (the text) and made_catalog.c (its names) share. */
#ifndef REPLAY_MADE_IMPL_H
#define REPLAY_MADE_IMPL_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "replay/made.h"

struct made {
	struct arena *arena;
	struct map events;		/* "sched:sched_switch" -> struct cat_event */
	struct map syscalls;		/* "read" -> struct cat_syscall */
	struct map enums;		/* "tcp" -> struct enum_desc */
	VEC(const char *) event_names, syscall_names;
	int free_nr;			/* of the next call that the table lacks */
	struct cat_event enter, exit;
	VEC(struct record) records;
	struct map symbols;		/* address -> its name in a stack */
	/* while reading */
	struct err *err;
	int line;
	uint64_t lost;
	uint32_t gaps;			/* so far */
	struct map threads;		/* cpu and tid -> struct made_thread */
};

#endif
