/*
 * fuzz: any bytes as what the child that reads a program's debug information answers: of
 * parameters and types, and of source lines. (The child reads by libdw, which ends its
 * process where it has no memory, and reads past the end of damaged line tables: damaged
 * programs are tests/kern/types/program_types.c's.)
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "fuzz/types.h"
#include "kern/types/program_types.h"
#include "user/child_reader.h"
#include "user/source_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- user/child_reader.h ---- */

static const uint8_t *told;		/* a length in two bytes, an answer, ... */
static size_t told_bytes;

struct child_reader *child_reader_start(const struct child_reader_work *work, int fd)
{
	(void)work, (void)fd;
	return xcalloc(1, 1);
}

void child_reader_stop(struct child_reader *c)
{
	free(c);
}

bool child_reader_ask(struct child_reader *c, const void *question, size_t bytes, struct buf *answer)
{
	size_t n = told_bytes < 2 ? 0 : told[0] + 256u * told[1];

	(void)c, (void)question, (void)bytes;
	buf_clear(answer);
	if (told_bytes < 2)
		return false;
	n = n < told_bytes - 2 ? n : told_bytes - 2;
	buf_add(answer, told + 2, n);
	told += 2 + n;
	told_bytes -= 2 + n;
	return true;
}

const char *child_reader_trouble(const struct child_reader *c)
{
	(void)c;
	return NULL;
}

/* ---- questions ---- */

#define QUESTIONS 8

static void ask_types(struct ktypes *k)
{
	static const char *const names[] = { "point", "node", "" };
	static const uint64_t addresses[QUESTIONS];
	struct program_signature s[QUESTIONS];
	struct program_types *u = program_types_open(k, -1);

	if (!u)
		return;
	if (!program_types_signatures(u, addresses, QUESTIONS, s))
		memset(s, 0, sizeof(s));
	for (int i = 0; i < QUESTIONS; i++) {
		struct ktype_call call;
		uint32_t returns;

		if (s[i].proto)
			ktype_signature(k, program_types_ktype(u, s[i].proto), &call, &returns);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		look_at(k, program_types_struct(u, str_of(names[i])), 3);
		program_types_is_inlined(u, str_of(names[i]));
	}
	program_types_close(u);
}

/* Of this program, which has debug information. */
static void ask_lines(struct arena *a)
{
	static int fd = -1;
	struct source_lines *u;
	struct source_line lines[4];

	if (fd < 0)
		fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	u = source_lines_open(fd, "", "");
	if (!u)
		abort();
	for (int i = 0; i < QUESTIONS; i++) {
		int n = source_lines_find(u, (uint64_t)i, a, lines, 4);

		if (n < 0 || n > 4)
			__builtin_trap();
	}
	source_lines_close(u);
}

static struct ktypes *no_types(void)
{
	static const uint32_t empty[7] = { 0x1eb9f, 24, 0, 0, 0, 1 };
	struct err e = { .arena = &(struct arena){ 0 } };
	int fd = memfd_create("btf", MFD_CLOEXEC);
	char path[32];
	struct ktypes *k;

	if (fd < 0 || write(fd, empty, 25) != 25)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	k = ktypes_open(path, NULL, &e);
	close(fd);
	arena_fini(e.arena);
	return k;
}

/* `l` and answers about lines, or answers about types. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct ktypes *k = no_types();
	bool lines = size && *data == 'l';

	if (!k)
		abort();
	told = data + lines;
	told_bytes = size - lines;
	if (lines)
		ask_lines(&a);
	else
		ask_types(k);
	ktypes_close(k);
	arena_fini(&a);
	return 0;
}
