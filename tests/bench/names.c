/*
 * names: how long 10,000 addresses of a large program take to get their names, from
 * nothing known to all named, with what memory that takes; a line of Markdown for each
 * file. Each file is measured ROUNDS times in a process of its own; medians.
 *
 *	names ROUNDS FILE ...
 *
 * The exit status is 0 when all took at most the bar.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "user/address_names.h"
#include "user/elf_file.h"

enum { ADDRESSES = 10000, ROUNDS_MOST = 99 };
#define BAR_MS 100.0

struct measured {
	double ms, cpu_ms, megabytes;
	int named;
};

static double now_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Addresses all over the code of the file, which is mapped here as a program has it. */
static bool map_code(const char *path, uint64_t *addresses)
{
	struct elf_file m;
	struct elf_code code[ELF_CODE_MOST];
	uint64_t random = 88172645463325252ull;
	int n, most = 0;
	char *at;

	if (elf_file_open(&m, path) || elf_file_head(&m) || elf_file_code(&m, code, ELF_CODE_MOST, &n))
		return false;
	for (int i = 1; i < n; i++)
		if (code[i].bytes > code[most].bytes)
			most = i;
	at = mmap(NULL, code[most].bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, m.fd,
		  (off_t)(code[most].offset & ~4095ull));
	elf_file_close(&m);
	for (int i = 0; i < ADDRESSES; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		addresses[i] = (uint64_t)(uintptr_t)at + random % (code[most].bytes & ~4095ull);
	}
	return at != MAP_FAILED;
}

static double resident_megabytes(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)r.ru_maxrss / 1024;
}

static struct measured measure(const char *path)
{
	static uint64_t addresses[ADDRESSES];
	struct measured out = { .ms = -1 };
	struct arena a = { 0 };
	struct stack_frame *f;
	double start, cpu_start, before;
	struct address_names *u;
	int n;

	if (!map_code(path, addresses))
		return out;
	before = resident_megabytes();
	start = now_ms(CLOCK_MONOTONIC);
	cpu_start = now_ms(CLOCK_PROCESS_CPUTIME_ID);
	u = address_names_open(false, 0);
	f = address_names_resolve(u, address_names_note(u, (uint32_t)getpid(), 0, addresses, ADDRESSES), addresses,
				  ADDRESSES, &a, &n);
	out.ms = now_ms(CLOCK_MONOTONIC) - start;
	out.cpu_ms = now_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
	out.megabytes = resident_megabytes() - before;
	for (int i = 0; i < n; i++)
		out.named += f[i].name != NULL;
	return out;
}

static struct measured in_own_process(const char *path)
{
	struct measured out = { .ms = -1 };
	int ends[2];

	if (pipe(ends))
		return out;
	if (!fork()) {
		out = measure(path);
		(void)!write(ends[1], &out, sizeof(out));
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &out, sizeof(out)) != sizeof(out))
		out.ms = -1;
	close(ends[0]);
	wait(NULL);
	return out;
}

static int by_time(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;

	return (x->ms > y->ms) - (x->ms < y->ms);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	struct measured m[ROUNDS_MOST];
	bool kept = true;
	struct stat st;

	if (rounds < 1 || rounds > ROUNDS_MOST)
		return 2;
	printf("| 10,000 names of | size | time (bar %.0f ms) | on a CPU | memory | with a name |\n"
	       "| --- | --- | --- | --- | --- | --- |\n", BAR_MS);
	for (int i = 2; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');

		for (int k = 0; k < rounds; k++)
			m[k] = in_own_process(argv[i]);
		qsort(m, (size_t)rounds, sizeof(*m), by_time);
		if (m[0].ms < 0 || stat(argv[i], &st)) {
			fprintf(stderr, "names: cannot measure %s\n", argv[i]);
			kept = false;
			continue;
		}
		printf("| %s | %.0f MB | %.1f ms | %.1f ms | %.1f MB | %d |\n", slash ? slash + 1 : argv[i],
		       (double)st.st_size / 1e6, m[rounds / 2].ms, m[rounds / 2].cpu_ms, m[rounds / 2].megabytes,
		       m[rounds / 2].named);
		kept &= m[rounds / 2].ms <= BAR_MS;
	}
	return kept ? 0 : 1;
}
