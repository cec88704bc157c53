/*
 * uspaces: the address spaces of processes, each from a fork or an exec on, and what code
 * is mapped in it; kept when the process has ended.
 *
 * Two sources: the kernel's notices, which tell all of a process that begins while culprit
 * runs, even when it is gone before anybody could look; and /proc, for processes that
 * were there before and for addresses that no notice told of.
 *
 * Bounded: spaces, mappings of all, files (ufile.h). Those of which no stack is known go
 * first.
 */
#ifndef KERN_USPACES_H
#define KERN_USPACES_H

#include "kern/notices.h"
#include "kern/ufile.h"
#include "kern/ujit.h"

/* Why an address has no name. */
enum uwhy {
	UWHY_ENDED, UWHY_ELSEWHERE, UWHY_REFUSED, UWHY_DROPPED, UWHY_UNMAPPED, UWHY_NO_JIT, UWHY_BAD_JIT,
	UWHY_CUT_JIT, UWHY_NOT_IN_JIT, UWHY_GONE, UWHY_NO_ELF, UWHY_UNNAMED, UWHY_TOO_MANY,
	UWHY_BAD_LINES,
	UWHYS,				/* it has one */
};

struct uspaces;
struct uspace;

struct umapped {
	uint64_t start, end, offset;
	struct ufile *file;		/* NULL: see why */
	uint8_t why;			/* enum uwhy */
};

/* clock_ahead_ns: CLOCK_MONOTONIC here, of the clock that notices have */
struct uspaces *uspaces_open(int64_t clock_ahead_ns);
void uspaces_close(struct uspaces *u);
struct ufiles *uspaces_files(const struct uspaces *u);

void uspaces_notice(struct uspaces *u, const struct notice *n);

/* usersym.h says what these two are for. */
uint32_t uspaces_note(struct uspaces *u, uint32_t pid, uint64_t time_ns,
		      const uint64_t *addresses, int n);
uint32_t uspaces_note_again(struct uspaces *u, uint32_t number, const uint64_t *addresses, int n);

/* NULL: it was dropped. */
struct uspace *uspaces_find(struct uspaces *u, uint32_t number);

/* NULL: *why */
const struct umapped *uspace_at(const struct uspace *s, uint64_t address, enum uwhy *why);

/* The last mapping before the address, which is in none; NULL: there is none. */
const struct umapped *uspace_before(const struct uspace *s, uint64_t address);

/* What its perf-PID.map says. NULL: *why */
struct ujit *uspaces_jit(struct uspaces *u, struct uspace *s, uint64_t now_ns, enum uwhy *why);

/* Of the same clock as notices. */
uint64_t uspaces_now_ns(const struct uspaces *u);

#endif
