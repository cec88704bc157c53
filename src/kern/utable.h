/*
 * utable: the tables by which programs' stacks are walked, in the kernel: the rows of
 * each binary once, however many processes have it mapped.
 *
 * Memory is bounded by UNWIND_PIECES of 32 KiB, made as they are needed, and the
 * directory. A binary of which a part finds no room has no rows there, and is counted;
 * nothing is given back during a run.
 */
#ifndef KERN_UTABLE_H
#define KERN_UTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/unwind.h"

struct utables;
struct utable;

/* Code as it is mapped: `offset` of the file is at `begin`. */
struct umapping {
	uint64_t begin, end, offset;
};

/* The tables of image.h; -1: none, for tests: utables_rule tells what is in them. NULL:
 * the kernel does not show the directory. */
struct utables *utables_open(int pieces_fd, int chunks_fd, int files_fd);
void utables_close(struct utables *u);

/* The table of the file that path leads to, if its inode is that, 0: any; NULL: it has none. */
const struct utable *utables_file(struct utables *u, const char *path, uint64_t inode);
uint32_t utables_files(const struct utables *u);	/* how many were read, with and without one */
const struct utable *utables_vdso(struct utables *u);

/* What was read since goes to the kernel. */
void utables_flush(struct utables *u);

/* Adds a mapping to a process: the mappings in order. False: it has too many. */
bool utable_map(const struct utable *t, const struct umapping *m, struct unwind_process *to);

/* The rule at a place of the range, as the walker finds it. */
uint32_t utables_rule(const struct utables *u, const struct unwind_range *r, uint64_t place);
uint64_t utables_bytes(const struct utables *u);
uint64_t utables_dropped(const struct utables *u);	/* binaries without room for all */

#endif
