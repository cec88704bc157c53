/* Any bytes as a perf-PID.map, which grows and is begun anew, and as /proc/PID/maps. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "user/perf_map.h"
#include "user/process.h"

static void find(struct perf_map *j, uint64_t now_ns)
{
	for (uint64_t at = 0; at < 0x3000; at += 0x33) {
		struct str name;
		uint64_t begin;

		if (!perf_map_find(j, at, now_ns, &name, &begin))
			continue;
		if (begin > at || name.n <= 0 || memchr(name.p, '\n', (size_t)name.n))
			abort();
	}
}

static void read_maps(const uint8_t *data, size_t bytes)
{
	char *text = xmalloc(bytes + 1), *at = text;
	struct maps_line line;

	memcpy(text, data, bytes);
	text[bytes] = 0;
	while (maps_line_next(&at, &line))
		if (line.start >= line.end || at > text + bytes ||
		    line.path + strlen(line.path) > text + bytes)
			abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	size_t room = 1 << 16, before = room;
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perf_map *j = perf_map_adopt(fd, &room);

	read_maps(data, bytes);
	if (pwrite(fd, data, bytes / 2, 0) != (ssize_t)(bytes / 2))
		abort();
	find(j, 1);
	if (pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
		abort();
	find(j, 60000000000);
	if (ftruncate(fd, (off_t)bytes / 3))
		abort();
	find(j, 120000000000);
	perf_map_close(j);
	if (room != before)
		abort();
	return 0;
}
