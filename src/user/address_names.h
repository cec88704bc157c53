/*
 * address_names: names of addresses in user space.
 *
 * address_names_note(), when a stack of a process is first seen, keeps what its names will
 * need: where its code is mapped and open files of it, so that names can be found when
 * the process has ended, its files were deleted or its file system is another one.
 * Symbols are read when the first address of a file is resolved. Memory is bounded:
 * address spaces, files held open and bytes of symbol tables; what was used longest
 * ago goes first.
 */
#ifndef USER_ADDRESS_NAMES_H
#define USER_ADDRESS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "table/stack.h"
#include "table/table.h"

struct address_names;

/* lines: source lines and inlined frames, too (slower, and needs libdw). */
struct address_names *address_names_open(bool lines, int64_t clock_ahead_ns);
void address_names_close(struct address_names *u);

/* Why there will be no lines though they were wanted; NULL: nothing is in the way. */
const char *address_names_no_lines(const struct address_names *u);

/* What the kernel says of processes, so that those are known that are gone before they
 * can be looked at. */
struct notice;
void address_names_notice(struct address_names *u, const struct notice *n);

/*
 * pid: the process (not a thread), as /proc has it. time_ns: of the stack, 0: now.
 * addresses: of the stack; those that are in no known mapping make the mappings be read
 * again, so that it costs nothing when nothing is new. The answer is the number of the
 * address space that the process had then (a fork or an exec begins another), to be kept
 * with the stack; it is never 0.
 */
uint32_t address_names_note(struct address_names *u, uint32_t pid, uint64_t time_ns,
			    const uint64_t *addresses, int n);
/* More addresses of a space. Its number; another one where they show that the stacks before
 * were of an exec that had not been told yet. */
uint32_t address_names_note_again(struct address_names *u, uint32_t space, const uint64_t *addresses, int n);

/* How many of a stack's addresses are left without the outermost that are in no code: a
 * walk that took something else for a frame pointer ends so. */
int address_names_reach(const struct address_names *u, uint32_t space, const uint64_t *addresses, int n);

/*
 * The frames of a stack, innermost first: addresses[0] is where it is, the others are
 * return addresses. An inlined frame is before the one it is in, so there can be more
 * frames than addresses. The array is in the arena; texts are good until
 * address_names_close() or the arena's end, whichever is first.
 */
struct stack_frame *address_names_resolve(struct address_names *u, uint32_t space,
					  const uint64_t *addresses, int n, struct arena *a,
					  int *n_frames);

/* Frames without a name or a line by their reason, for the note below the result. */
struct address_names_reason {
	enum loss_id id;
	const char *why;		/* "the process ended before its mappings were read" */
	uint64_t frames;
};

/* The i-th reason with frames, NULL behind the last. */
const struct address_names_reason *address_names_reason(const struct address_names *u, int i);

#endif
