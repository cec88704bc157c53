/*
 * address_spaces: the address spaces of processes, each from a fork or an exec on, and what code
 * is mapped in it; kept when the process has ended.
 *
 * Two sources: the kernel's notices, which tell all of a process that begins while culprit
 * runs, even when it is gone before anybody could look; and /proc, for processes that
 * were there before and for addresses that no notice told of.
 *
 * Bounded: spaces, mappings of all, files (mapped_files.h). Those of which no stack is known go
 * first.
 */
#ifndef USER_ADDRESS_SPACES_H
#define USER_ADDRESS_SPACES_H

#include "user/mapped_files.h"
#include "user/notice.h"
#include "user/perf_map.h"

/* Why an address has no name. */
enum unnamed_why {
	UNNAMED_ENDED, UNNAMED_ELSEWHERE, UNNAMED_REFUSED, UNNAMED_DROPPED, UNNAMED_UNMAPPED,
	UNNAMED_NO_JIT, UNNAMED_BAD_JIT, UNNAMED_CUT_JIT, UNNAMED_NOT_IN_JIT, UNNAMED_GONE,
	UNNAMED_NO_ELF, UNNAMED_NO_SYMBOL, UNNAMED_TOO_MANY, UNNAMED_BAD_LINES,
	UNNAMED_WHYS,				/* it has one */
};

struct address_spaces;
struct address_space;

struct mapping {
	uint64_t start, end, offset;
	struct mapped_file *file;	/* NULL: see why */
	uint8_t why;			/* enum unnamed_why */
};

/* clock_ahead_ns: CLOCK_MONOTONIC here, of the clock that notices have */
struct address_spaces *address_spaces_open(int64_t clock_ahead_ns);
void address_spaces_close(struct address_spaces *u);
struct mapped_files *address_spaces_files(const struct address_spaces *u);

void address_spaces_notice(struct address_spaces *u, const struct notice *n);

/* address_names.h says what these two are for. */
uint32_t address_spaces_note(struct address_spaces *u, uint32_t pid, uint64_t time_ns,
			     const uint64_t *addresses, int n);
uint32_t address_spaces_note_again(struct address_spaces *u, uint32_t number, const uint64_t *addresses, int n);

/* NULL: it was dropped. */
struct address_space *address_spaces_find(struct address_spaces *u, uint32_t number);

/* NULL: *why */
const struct mapping *address_space_at(const struct address_space *s, uint64_t address, enum unnamed_why *why);

/* The last mapping before the address, which is in none; NULL: there is none. */
const struct mapping *address_space_before(const struct address_space *s, uint64_t address);

/* What its perf-PID.map says. NULL: *why */
struct perf_map *address_spaces_jit(struct address_spaces *u, struct address_space *s, uint64_t now_ns,
				    enum unnamed_why *why);

/* Of the same clock as notices. */
uint64_t address_spaces_now_ns(const struct address_spaces *u);

#endif
