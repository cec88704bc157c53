/*
 * perf_map: names of code that a process made at run time, as its /tmp/perf-PID.map says.
 *
 * The file is in a folder where everybody writes: only a plain file of the process's own
 * user or of root is read, through the process's root, no link, and it is held open. Its
 * ranges are only believed for addresses that are in no file. Bounded: bytes read of it, memory of all.
 */
#ifndef USER_PERF_MAP_H
#define USER_PERF_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct perf_map;

enum perf_map_state { PERF_MAP_READ, PERF_MAP_ABSENT, PERF_MAP_DISTRUSTED };

/* NULL with *state: why not. room: bytes of memory that it and others may still take. */
struct perf_map *perf_map_open(uint32_t pid, size_t *room, enum perf_map_state *state);
/* Of a file that is open already, which it closes in the end. */
struct perf_map *perf_map_adopt(int fd, size_t *room);
void perf_map_close(struct perf_map *j);

/* Reads what is new in the file, if it is time for that. False: nothing is there. The
 * name is good until the next call. */
bool perf_map_find(struct perf_map *j, uint64_t address, uint64_t now_ns, struct str *name,
		   uint64_t *begin);
/* Were there more bytes or names than are kept? */
bool perf_map_is_cut(const struct perf_map *j);

#endif
