/*
 * unwind: what the tables of user stacks hold: kern/ fills them, the emitted walker
 * reads them (cg_unwind.c).
 *
 * A row says, from one place of the code on, where the caller's stack pointer (the CFA)
 * and the frame pointer are; the return address is always in the 8 bytes below the CFA,
 * but for a signal's frame. A process is a list of ranges of its code. Code is in chunks
 * of 1 KiB, and a directory says where each one's rows are, some 20. So a row is found in
 * two or three lines of memory: when a sample comes, none of them is in the cache.
 */
#ifndef BASE_UNWIND_H
#define BASE_UNWIND_H

#include <stdint.h>

/* How the CFA is found. */
enum unwind_kind {
	UNWIND_NONE,		/* no rule that fits a row: by the frame pointer */
	UNWIND_SP,		/* sp + offset */
	UNWIND_BP,		/* bp + offset */
	UNWIND_AT_BP,		/* *(bp - offset): a realigned stack */
	UNWIND_PLT,		/* sp + 8, and 8 more where pc % 16 >= offset / 8 */
	UNWIND_SIGNAL,		/* all is in the signal's frame at sp */
	UNWIND_END,		/* nobody called: a thread's start */
	UNWIND_FAR,		/* of a row: its offset / 8 is which u32 behind its chunk's first row
				 * is the rule */
};

/* A rule: kind, where the saved bp is (this many words below the CFA, 0: bp was not changed,
 * UNWIND_BP_AT_BP: at bp itself), and the offset in steps of 8 bytes. A row has room for 22
 * bits: frames below 128 KiB, which nearly all are. A larger one's rule is behind the
 * rows of its chunk. */
#define UNWIND_KIND_BITS 3
#define UNWIND_BP_SHIFT UNWIND_KIND_BITS
#define UNWIND_BP_BITS 5
#define UNWIND_BP_MOST 30
#define UNWIND_BP_AT_BP 31
#define UNWIND_OFFSET_SHIFT (UNWIND_BP_SHIFT + UNWIND_BP_BITS)
#define UNWIND_OFFSET_MOST (((1u << (32 - UNWIND_OFFSET_SHIFT)) - 1) * 8)
#define UNWIND_RULE_BITS 22

static inline uint32_t unwind_rule(enum unwind_kind kind, uint32_t offset, uint32_t bp)
{
	return (uint32_t)kind | bp << UNWIND_BP_SHIFT | offset / 8 << UNWIND_OFFSET_SHIFT;
}

/* The kernel's frame of a signal, from sp in __restore_rt on (x86-64's ABI). */
#define UNWIND_SIGNAL_BP 120
#define UNWIND_SIGNAL_SP 160
#define UNWIND_SIGNAL_PC 168

/* A row is a rule and, above it, the place in its chunk from which on it holds. A chunk's
 * first row says what holds at its begin, wherever that began. */
#define UNWIND_CHUNK_SHIFT (32 - UNWIND_RULE_BITS)
#define UNWIND_CHUNK_BYTES (1u << UNWIND_CHUNK_SHIFT)
#define UNWIND_CHUNK_ROWS 512		/* at most; cc1plus has 273 in one */
#define UNWIND_CHUNK_ROWS_FEW 32	/* nearly all chunks have fewer, */
#define UNWIND_CHUNK_ROWS_FEWER 8	/* many fewer than these */

/* Rows are in pieces of memory: with what the kernel puts before it, a piece is 32 KiB,
 * the most that the kernel has side by side and in few entries of the TLB. No chunk begins
 * where a whole one would not fit. */
#define UNWIND_PIECE_ROWS 7936
#define UNWIND_PIECES 1024

/* An entry of the directory: the chunk's piece, its first row in there, and how many rows there
 * are beside that one. 0: it has no rows. */
#define UNWIND_ENTRY_PIECE 10
#define UNWIND_ENTRY_ROW 13
#define UNWIND_CHUNKS (1u << 19)	/* 512 MiB of code */

/* The rules found last, each in the slot that its place says, which is the chunk's number
 * and the place in there: the place + 1, 0: free, and below it the rule, 32 bits each. The
 * rule of a place never changes. So most frames need one line of memory, not the
 * directory's, the piece's and the rows'. Side by side in the kernel, as pieces are. */
#define UNWIND_FOUND 2048		/* a power of two */

/* Code of a process; its places count from `base`, up to `bytes`. */
struct unwind_range {
	uint64_t base;
	uint32_t bytes;
	uint32_t chunk;			/* number of the chunk at base */
};

#define UNWIND_RANGES_MOST 256		/* of a process; a power of two */
#define UNWIND_RANGES_FEW 16		/* most have no more */
#define UNWIND_PROCESSES_MOST 4096
#define UNWIND_NOWHERE INT64_MAX	/* where a range begins that is not there */

/* How often a process mapped a file as code is the lower half of the word of its number; the upper is
 * the number itself, or of another process that has the word now: then the count is not known. */
#define MAPPED_SLOTS 4096		/* a power of two */

static inline uint32_t mapped_slot(uint64_t pid)
{
	return (uint32_t)pid & (MAPPED_SLOTS - 1);
}

/* The value of the table of processes, by pid. `stack` says of which address space the ranges are:
 * where its stack begins (mm->start_stack), or `space`, its address, where programs made the list from its begin on
 * (cg_ranges.c); both 0: not all was read. `mapped` says when: its word then. Code in no range is
 * walked by frame pointers if it is that, and nothing was mapped since; else it may have a table that was not
 * read yet. */
struct unwind_process {
	uint64_t n;
	uint64_t stack, space, mapped;
	uint64_t begins[UNWIND_RANGES_MOST];
	struct unwind_range ranges[UNWIND_RANGES_MOST];
};

/* Whose rows are in the kernel, by the file's number as the kernel has it; 0, 0: the vdso. It is another one when its
 * size or time is. Only files with one part that is code; without rows it has no bytes. */
struct unwind_file_key {
	uint64_t dev, ino;
};

struct unwind_file {
	uint64_t bytes, changed_s, changed_ns;
	uint64_t offset;		/* of the code */
	uint32_t code_bytes, chunk;
};

#define UNWIND_FILES_MOST 16384

#endif
