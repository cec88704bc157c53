/*
 * unwind_tables: the tables by which programs' stacks are walked, in the kernel: the rows of
 * each binary once, however many processes have it mapped.
 *
 * Memory is bounded by UNWIND_PIECES of 32 KiB, made as they are needed, and the
 * directory. A binary of which a part finds no room has no rows there, and is counted;
 * nothing is given back during a run.
 */
#ifndef KERN_LIVE_UNWIND_TABLES_H
#define KERN_LIVE_UNWIND_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/unwind.h"

struct unwind_tables;
struct unwind_table;

/* Code as it is mapped: `offset` of the file is at `begin`. */
struct unwind_mapping {
	uint64_t begin, end, offset;
};

/* The tables of image.h; -1: none, for tests: unwind_tables_rule tells what is in them. NULL:
 * the kernel does not show the directory. */
struct unwind_tables *unwind_tables_open(int pieces_fd, int chunks_fd, int files_fd);
void unwind_tables_close(struct unwind_tables *u);

/* The table of the file that path leads to, if its inode is that, 0: any; NULL: it has none. */
const struct unwind_table *unwind_tables_file(struct unwind_tables *u, const char *path, uint64_t inode);
uint32_t unwind_tables_files(const struct unwind_tables *u); /* how many were read, with and without one */
const struct unwind_table *unwind_tables_vdso(struct unwind_tables *u);

/* What was read since goes to the kernel. */
void unwind_tables_flush(struct unwind_tables *u);

/* Adds a mapping to a process: the mappings in order. False: it has too many. */
bool unwind_table_map(const struct unwind_table *t, const struct unwind_mapping *m, struct unwind_process *to);

/* The rule at a place of the range, as the walker finds it. */
uint32_t unwind_tables_rule(const struct unwind_tables *u, const struct unwind_range *r, uint64_t place);
uint64_t unwind_tables_bytes(const struct unwind_tables *u);
uint64_t unwind_tables_dropped(const struct unwind_tables *u); /* binaries without room for all */

#endif
