/*
 * fuzz: any bytes as what the child that reads a program's debug information answers: of
 * parameters and types, and of source lines. (The child reads by libdw, which ends its
 * process where it has no memory, and reads past the end of damaged line tables: damaged
 * programs are tests/kern/utypes.c's.)
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "fuzz/types.h"
#include "kern/uchild.h"
#include "kern/ulines.h"
#include "kern/utypes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- kern/uchild.h ---- */

static const uint8_t *told;		/* a length in two bytes, an answer, ... */
static size_t told_bytes;

struct uchild *uchild_start(const struct uchild_work *work, int fd)
{
	(void)work, (void)fd;
	return xcalloc(1, 1);
}

void uchild_stop(struct uchild *c)
{
	free(c);
}

bool uchild_ask(struct uchild *c, const void *question, size_t bytes, struct buf *answer)
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

const char *uchild_trouble(const struct uchild *c)
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
	struct usignature s[QUESTIONS];
	struct utypes *u = utypes_open(k, -1);

	if (!u)
		return;
	if (!utypes_signatures(u, addresses, QUESTIONS, s))
		memset(s, 0, sizeof(s));
	for (int i = 0; i < QUESTIONS; i++) {
		struct ktype_call call;
		uint32_t returns;

		if (s[i].proto)
			ktype_signature(k, utypes_ktype(u, s[i].proto), &call, &returns);
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		look_at(k, utypes_struct(u, str_of(names[i])), 3);
		utypes_is_inlined(u, str_of(names[i]));
	}
	utypes_close(u);
}

/* Of this program, which has debug information. */
static void ask_lines(struct arena *a)
{
	static int fd = -1;
	struct ulines *u;
	struct uline lines[4];

	if (fd < 0)
		fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	u = ulines_open(fd, "", "");
	if (!u)
		abort();
	for (int i = 0; i < QUESTIONS; i++) {
		int n = ulines_find(u, (uint64_t)i, a, lines, 4);

		if (n < 0 || n > 4)
			__builtin_trap();
	}
	ulines_close(u);
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
