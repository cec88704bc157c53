/*
 * Any bytes as a program with its file of symbols: three bytes say how many are the
 * program's, the rest is what its build-id, its .gnu_debuglink ("d") and its
 * .gnu_debugdata lead to.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "user/function_name.h"
#include "user/symbol_table.h"

struct place {
	char folder[64], program[96], debug[96];
};

static const struct place *place(void)
{
	static struct place p;

	if (!*p.folder) {
		strcpy(p.folder, "/dev/shm/symbol_table.XXXXXX");
		if (!mkdtemp(p.folder))
			abort();
		snprintf(p.program, sizeof(p.program), "%s/p", p.folder);
		snprintf(p.debug, sizeof(p.debug), "%s/d", p.folder);
	}
	return &p;
}

__attribute__((destructor)) static void clean(void)
{
	unlink(place()->program);
	unlink(place()->debug);
	rmdir(place()->folder);
}

static int file_of(const char *path, const uint8_t *data, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		abort();
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct place *p = place();
	size_t split;
	struct symbol_table *t;
	struct elf_symbol s;
	struct arena a = { 0 };
	int fd;

	if (bytes < 3)
		return 0;
	split = data[0] | data[1] << 8 | data[2] << 16;
	data += 3;
	bytes -= 3;
	split = split < bytes ? split : bytes;
	close(file_of(p->debug, data + split, bytes - split));
	fd = file_of(p->program, data, split);
	t = symbol_table_load(fd, p->program, p->folder);
	for (uint64_t at = 0; t && at < split; at += at < 128 ? 1 : 131) {
		if (!symbol_table_find(t, at, &s))
			continue;
		if (s.name.n < 0 || s.name.n >= FUNCTION_NAME_BYTES_MOST || s.offset > s.addr)
			abort();
		if (!function_name_shown(&a, s.name))
			abort();
		symbol_table_is_sigreturn(fd, at);
	}
	symbol_table_free(t);
	close(fd);
	arena_fini(&a);
	return 0;
}
