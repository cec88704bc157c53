/* Any bytes as a program: its functions are searched by name, glob and nearness, its static
 * probes are read. And as the text of a probe's argument. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/elf_functions.h"
#include "user/program_file.h"
#include "user/usdt.h"

static void probes(const struct elf_functions *u, size_t bytes, struct arena *a)
{
	usdt_probes found = { 0 };

	usdt_find(elf_functions_image(u), str_of("*:*"), 100, a, &found);
	for (int i = 0; i < found.n; i++)
		if (found.v[i].offset >= bytes || found.v[i].semaphore >= bytes ||
		    found.v[i].n_args > USDT_ARGS_MOST)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char *const names[] = { "main", "*", "ns::f", "f(int)", "a[b-", "operator*" };
	static int fd = -1;
	char path[64];
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	const char *several = NULL;
	struct elf_functions *u;
	struct cat_field argument;

	usdt_argument((struct str){ (const char *)data, bytes < 4096 ? (int)bytes : 4096 }, &a,
		      &argument);
	program_file_in_cache(&a, data, bytes, str_of("libc.so"), &several);
	if (fd < 0)
		fd = memfd_create("elf", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	u = elf_functions_open(path, "", &e);
	for (size_t i = 0; u && i < sizeof(names) / sizeof(names[0]); i++) {
		elf_function_list found = { 0 };

		elf_functions_find(u, str_of(names[i]), 100, &a, &found);
		for (int k = 0; k < found.n; k++)
			if (found.v[k].offset >= bytes || !found.v[k].shown)
				__builtin_trap();
		elf_functions_nearest(u, str_of(names[i]), &a);
		elf_functions_imports(u, str_of(names[i]));
	}
	if (u) {
		elf_functions_symbols(u);
		probes(u, bytes, &a);
	}
	elf_functions_close(u);
	arena_fini(&a);
	return 0;
}
