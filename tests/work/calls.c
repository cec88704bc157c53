/*
 * Known calls of functions, for tests of user functions. Each kind prints how many calls
 * were made, how many returned, and for how long they ran by the program's own clock,
 * measured inside (what a tracer must at least say) and around them (at most).
 *
 *	calls KIND N [ARGUMENT]
 */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define FUNCTION __attribute__((noinline, noclone, used))

struct told {
	uint64_t calls, returns, inside_ns, around_ns;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- the functions ---- */

FUNCTION uint64_t timed(uint64_t ns)
{
	uint64_t begin = now_ns(), end;

	do
		end = now_ns();
	while (end - begin < ns);
	return end - begin;
}

FUNCTION uint64_t recurse(uint64_t depth)
{
	uint64_t below = depth ? recurse(depth - 1) : 0;

	__asm__ volatile("" : : "r"(below) : "memory");
	return below + 1;
}

static jmp_buf out;

FUNCTION void jumper(int64_t really)
{
	if (really)
		longjmp(out, 1);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void between(int64_t really)
{
	jumper(really);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void landing(int64_t really)
{
	if (!setjmp(out))
		between(really);
	__asm__ volatile("" : : : "memory");
}

/* Down, and back by a jump over all of it. */
FUNCTION void dive(int64_t levels)
{
	if (levels > 0)
		dive(levels - 1);
	else if (!levels)
		longjmp(out, 1);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void leave(int64_t how)
{
	if (how == 1)
		pthread_exit(NULL);
	if (how == 2)
		_exit(0);
	__asm__ volatile("" : : : "memory");
}

FUNCTION int64_t many(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f)
{
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f) : "memory");
	return -a;
}

FUNCTION int64_t text(const char *s)
{
	__asm__ volatile("" : : "r"(s) : "memory");
	return (int64_t)strlen(s);
}

/* What a slow call is made of: behind a wrapper half of it computes, the rest sleeps,
 * two calls further down. */
FUNCTION void burn(uint64_t ns)
{
	timed(ns);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void doze(uint64_t ns)
{
	struct timespec t = { .tv_nsec = (long)ns };

	nanosleep(&t, NULL);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void fetch(uint64_t ns)
{
	doze(5 * ns);
	burn(ns);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void serve(uint64_t ns)
{
	burn(4 * ns);
	fetch(ns);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void request(uint64_t ns)
{
	serve(ns);
	__asm__ volatile("" : : : "memory");
}

/* ---- the kinds ---- */

static struct told work_timed(long n, long ns)
{
	struct told t = { 0 };

	for (long i = 0; i < n; i++) {
		uint64_t begin = now_ns();

		t.inside_ns += timed((uint64_t)ns);
		t.around_ns += now_ns() - begin;
	}
	t.calls = t.returns = (uint64_t)n;
	return t;
}

static struct told work_recurse(long n, long depth)
{
	struct told t = { 0 };

	for (long i = 0; i < n; i++)
		t.calls += recurse((uint64_t)depth);
	t.returns = t.calls;
	return t;
}

/* Every second time it jumps over two returns. */
static struct told work_jump(long n, long ignored)
{
	struct told t = { .calls = (uint64_t)n };

	(void)ignored;
	for (long i = 0; i < n; i++) {
		landing(i & 1);
		t.returns += !(i & 1);
	}
	return t;
}

/* None of its calls returns. */
static struct told work_dive(long n, long levels)
{
	for (volatile long i = 0; i < n; i++)
		if (!setjmp(out))
			dive(levels);
	return (struct told){ .calls = (uint64_t)(n * (levels + 1)) };
}

struct thread {
	pthread_t id;
	long n, arg;
	struct told told;
};

static void *thread_run(void *arg)
{
	struct thread *t = arg;

	t->told = work_timed(t->n, t->arg);
	for (long i = 0; i < t->n; i++)
		recurse(3);
	return NULL;
}

static struct told work_threads(long n, long ns)
{
	struct thread threads[THREADS];
	struct told t = { 0 };

	for (int i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .n = n, .arg = ns };
		if (pthread_create(&threads[i].id, NULL, thread_run, &threads[i]))
			exit(1);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i].id, NULL);
		t.calls += threads[i].told.calls;
		t.inside_ns += threads[i].told.inside_ns;
		t.around_ns += threads[i].told.around_ns;
	}
	t.returns = t.calls;
	return t;
}

static void *thread_leave(void *arg)
{
	leave(0);
	leave((int64_t)(intptr_t)arg);
	return NULL;
}

/* Threads that end inside the function; how 2: whole processes. */
static struct told work_leave(long n, long how)
{
	struct told t = { .calls = 2 * (uint64_t)n, .returns = (uint64_t)n };

	for (long i = 0; i < n; i++) {
		pthread_t id;
		pid_t child = how == 2 ? fork() : -1;

		if (child > 0) {
			waitpid(child, NULL, 0);
			continue;
		}
		if (!pthread_create(&id, NULL, thread_leave, (void *)(intptr_t)how))
			pthread_join(id, NULL);
		if (child == 0)
			_exit(1);
	}
	return t;
}

static struct told work_many(long n, long ignored)
{
	struct told t = { .calls = (uint64_t)n, .returns = (uint64_t)n };

	(void)ignored;
	for (long i = 0; i < n; i++) {
		many(i, -2, 3, 1L << 40, 5, 6);
		text("a text");
	}
	return t;
}

FUNCTION void *leak_grown(size_t bytes)
{
	void *p = realloc(malloc(1), bytes);

	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

FUNCTION void *leak_zeroed(size_t n, size_t bytes)
{
	void *p = calloc(n, bytes);

	__asm__ volatile("" : : "r"(p) : "memory");
	return p;
}

/* N allocations that are freed, and every time after `every` of them two that are not: 100
 * bytes of leak_grown and 3 times 16 of leak_zeroed. It stays a moment at its begin, so that it is
 * known by then, and at its end. Inside is the CPU's time of all of them. */
static struct told work_leak(long n, long every)
{
	struct told t = { .calls = (uint64_t)n };
	void *volatile p = malloc(1);

	free(p);
	usleep(300000);
	t.inside_ns = cpu_ns();
	t.around_ns = now_ns();
	for (long i = 0; i < n; i++) {
		p = malloc(16 + (size_t)i % 100);
		free(p);
		if (i % every)
			continue;
		p = leak_grown(100);
		p = leak_zeroed(3, 16);
		t.returns++;
	}
	t.around_ns = now_ns() - t.around_ns;
	t.inside_ns = cpu_ns() - t.inside_ns;
	usleep(200000);
	return t;
}

/* The malloc family, and mmap: each function is asked for bytes of its own number, which is in its
 * name's row, by a function of its own, which is in the stack. */
#define FAMILY(name, how)							\
	FUNCTION void *family_##name(size_t bytes)				\
	{									\
		void *p = (how);						\
										\
		__asm__ volatile("" : : "r"(p) : "memory");			\
		return p;							\
	}
FAMILY(malloc, malloc(bytes))
FAMILY(calloc, calloc(3, bytes / 3))
FAMILY(realloc, realloc(memalign(16, 1), bytes))
FAMILY(reallocarray, reallocarray(NULL, 4, bytes / 4))
FAMILY(posix_memalign, posix_memalign(&p, 64, bytes) ? NULL : p)
FAMILY(aligned_alloc, aligned_alloc(64, bytes))
FAMILY(memalign, memalign(32, bytes))
FAMILY(valloc, valloc(bytes))
FAMILY(pvalloc, pvalloc(bytes))
FAMILY(mmap, mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))

/* N of each that stay, and as many that do not. It says how many stay of all. */
static struct told work_family(long n, long ignored)
{
	static void *(*const get[])(size_t) = {
		family_malloc, family_calloc, family_realloc, family_reallocarray, family_posix_memalign,
		family_aligned_alloc, family_memalign, family_valloc, family_pvalloc,
	};
	static const size_t bytes[] = { 101, 102, 103, 104, 128, 192, 107, 108, 109 };
	struct told t = { .returns = 0 };
	void *volatile kept;

	(void)ignored;
	usleep(300000);
	for (long i = 0; i < n; i++) {
		for (size_t k = 0; k < sizeof(get) / sizeof(get[0]); k++) {
			free(get[k](bytes[k]));
			kept = get[k](bytes[k]);
			t.returns += kept != NULL;
		}
		munmap(family_mmap(12288), 12288);
		t.returns += family_mmap(12288) != MAP_FAILED;
	}
	t.calls = 2 * t.returns;
	usleep(200000);
	return t;
}

/* Memory of the kernel for each CPU: N times so many bytes, until it is killed. */
static struct told work_percpu(long n, long bytes)
{
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_size = 4,
			       .value_size = (uint32_t)bytes, .max_entries = (uint32_t)n };
	struct told t = { .calls = (uint64_t)n };

	if (syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof(map)) >= 0)
		pause();
	return t;
}

static struct told work_hang(long n, long ms)
{
	struct told t = { .calls = (uint64_t)n };

	for (long i = 0; i < n; i++)
		timed((uint64_t)ms * 1000000);
	return t;
}

static struct told work_nested(long n, long ns)
{
	struct told t = { .calls = (uint64_t)n, .returns = (uint64_t)n };

	for (long i = 0; i < n; i++) {
		uint64_t begin = now_ns();

		request((uint64_t)ns);
		request((uint64_t)ns / 1000);
		t.around_ns += now_ns() - begin;
	}
	return t;
}

/*
 * Known shares of the CPU's time: 10, 20 and 70 percent, for N rounds. One loop for all, in a
 * register: what a turn takes depends on where the code is, and the stack.
 */
FUNCTION void burn_rounds(int n)
{
	for (int i = 0; i < n * 40000; i++)
		__asm__ volatile("" : "+r"(i));
	__asm__ volatile("" : : : "memory");
}

FUNCTION void tenth(void)
{
	burn_rounds(1);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void fifth(void)
{
	burn_rounds(2);
	__asm__ volatile("" : : : "memory");
}

FUNCTION void most(void)
{
	burn_rounds(7);
	__asm__ volatile("" : : : "memory");
}

static struct told work_shares(long n, long arg)
{
	(void)arg;
	for (long i = 0; i < n; i++)
		tenth(), fifth(), most();
	return (struct told){ .calls = (uint64_t)n };
}

/* The child, which copies the open call, returns from it, too, and from one of its own. */
FUNCTION int forks(int fork_too)
{
	int child = fork_too ? fork() : 0;

	__asm__ volatile("" : : : "memory");
	return child;
}

static struct told work_fork(long n, long ignored)
{
	struct told t = { .calls = 2 * (uint64_t)n, .returns = 2 * (uint64_t)n };

	(void)ignored;
	for (long i = 0; i < n; i++) {
		int child = forks(1);

		if (!child) {
			forks(0);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return t;
}

static const struct {
	const char *name;
	struct told (*run)(long n, long arg);
} kinds[] = {
	{ "timed", work_timed }, { "recurse", work_recurse }, { "jump", work_jump }, { "dive", work_dive },
	{ "threads", work_threads }, { "leave", work_leave }, { "many", work_many },
	{ "hang", work_hang }, { "nested", work_nested }, { "leak", work_leak },
	{ "family", work_family }, { "percpu", work_percpu }, { "shares", work_shares },
	{ "fork", work_fork },
};

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: calls KIND N [ARGUMENT]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, argv[1])) {
			struct told t = kinds[i].run(atol(argv[2]), argc > 3 ? atol(argv[3]) : 0);

			printf("%s %llu %llu %llu %llu\n", argv[1], (unsigned long long)t.calls,
			       (unsigned long long)t.returns, (unsigned long long)t.inside_ns,
			       (unsigned long long)t.around_ns);
			return 0;
		}
	return 2;
}
