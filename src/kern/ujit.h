/*
 * ujit: names of code that a process made at run time, as its /tmp/perf-PID.map says.
 *
 * The file is in a folder where everybody writes: only a plain file of the process's own
 * user or of root is read, through the process's root, no link, and it is held open. Its
 * ranges are only believed for addresses that are in no file. Bounded: bytes read of it, memory of all.
 */
#ifndef KERN_UJIT_H
#define KERN_UJIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct ujit;

enum ujit_state { UJIT_READ, UJIT_ABSENT, UJIT_DISTRUSTED };

/* NULL with *state: why not. room: bytes of memory that it and others may still take. */
struct ujit *ujit_open(uint32_t pid, size_t *room, enum ujit_state *state);
/* Of a file that is open already, which it closes in the end. */
struct ujit *ujit_adopt(int fd, size_t *room);
void ujit_close(struct ujit *j);

/* Reads what is new in the file, if it is time for that. False: nothing is there. The
 * name is good until the next call. */
bool ujit_find(struct ujit *j, uint64_t address, uint64_t now_ns, struct str *name,
	       uint64_t *begin);
/* Were there more bytes or names than are kept? */
bool ujit_is_cut(const struct ujit *j);

#endif
