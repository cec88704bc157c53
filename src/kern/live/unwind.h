/*
 * unwind: which code each process has mapped, for the walker of programs' stacks
 * (bpf/cg_unwind.c): made for all processes at the begin, kept up by programs (bpf/cg_ranges.c) as far as
 * they know the files, else by what the kernel says of mappings, forks and ends. Until that is read, a stack
 * ends at what is new; where there is no table frame pointers are followed.
 */
#ifndef KERN_LIVE_UNWIND_H
#define KERN_LIVE_UNWIND_H

#include <stdbool.h>

#include "base/unwind.h"

struct unwind;
struct notice;
struct unwind_tables;

/* The tables of image.h. NULL: the kernel does not show one of them, errno says why. */
struct unwind_fds {
	int processes, chunks, pieces;
	int mapped, files;		/* -1: none */
};
struct unwind *unwind_open(const struct unwind_fds *fds);
void unwind_close(struct unwind *u);

void unwind_notice(struct unwind *u, const struct notice *n);
void unwind_flush(struct unwind *u);		/* behind the last of some notices */
/* Reads one process of those that changed since, or a part of it: again while there are any. */
bool unwind_changed(const struct unwind *u);
void unwind_update(struct unwind *u);
/* This process and what it starts are what is traced: they are not kept waiting by the
 * binaries of others, which may take a second to read. `program` is what it will be: it and what it needs are
 * read now, as it may have ended before they are. */
void unwind_first(struct unwind *u, uint32_t pid, const char *program);

struct unwind_size {
	uint64_t bytes;			/* of rows in the kernel */
	uint64_t dropped;		/* binaries that found no room, and mappings */
};
struct unwind_size unwind_size(const struct unwind *u);

/* The text of /proc/PID/maps as ranges; `files` leads to the files mapped: "/proc/7".
 * Up to the last of `new_most` files that were not known. Returns how many mappings found no room. */
uint64_t unwind_ranges(struct unwind_tables *t, const char *maps, const char *files,
		       uint32_t new_most, struct unwind_process *to);
#endif
