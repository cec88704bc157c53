/*
 * ehframe: how the callers of code are found, out of .eh_frame and .debug_frame.
 *
 * The file is anybody's: reads are bounded by its sections, work and rows by limits. What
 * no row can say (a CFA in a register of the caller's choice, another expression) is
 * UNWIND_NONE there. x86-64 only: of others there are no rows.
 */
#ifndef USER_EHFRAME_H
#define USER_EHFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/unwind.h"
#include "user/elf_file.h"

#define EHFRAME_SEGMENTS_MOST 16

struct ehframe_row {
	uint64_t address;		/* as in the file: from here on */
	uint32_t rule;			/* unwind.h */
};

struct ehframe {
	struct ehframe_row *rows;	/* in order of address; neighbours differ */
	size_t n;
	struct elf_code segments[EHFRAME_SEGMENTS_MOST]; /* what is mapped as code */
	int n_segments;
	bool cut;			/* more rows than EHFRAME_ROWS_MOST */
};

#define EHFRAME_ROWS_MOST (4u << 20)

/* Of a file, or of an image in memory (the vdso). False: nothing that can be used. */
bool ehframe_read(int fd, struct ehframe *out);
bool ehframe_read_memory(const void *image, size_t bytes, struct ehframe *out);
void ehframe_free(struct ehframe *f);

/* The rule at an address; 0 (UNWIND_NONE) where there is none. */
uint32_t ehframe_rule(const struct ehframe *f, uint64_t address);

#endif
