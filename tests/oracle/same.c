/*
 * What must not change an answer: another column, aggregation, query or member of the union, an option
 * that selects all, a condition that is always true, a query in two halves (the table in base.h). Random
 * queries over made events and over recorded traces.
 *
 * What differs prints its seed: SEED=n repeats this one alone, and prints what is refused. SECONDS=n goes on
 * for as long. test: plain
 */
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "oracle/same.h"
#include "test.h"

#define EVENTS 120
#define THREADS 4
#define QUICK_MADE 20
#define ALL_MADE 400
#define QUICK_TRACE 3
#define ALL_TRACE 10
#define TEXT_MOST 512

/* ---- made events ---- */

static const char *const calls[] = { "read", "write", "close", "poll", "recvmsg", "sendmsg", "futex", "setuid",
				     "prctl" };

static void put_call(struct chooser *c, struct buf *out, int *open, bool whole)
{
	if (!whole && !below(c, 8))	/* it does not return, and no gap tells it */
		*open = -1;
	if (*open < 0) {
		*open = below(c, ROWS_OF(calls));
		buf_printf(out, "syscall:%s.enter", calls[*open]);
		if (*open == 6)
			buf_printf(out, " op=%d\n", below(c, 3));
		else if (*open < 3)
			buf_printf(out, " fd=%d%s\n", below(c, 5) - 1, *open < 2 ? " count=3" : "");
		else
			buf_puts(out, *open == 4 || *open == 5 ? " fd=3\n" : "\n");
		return;
	}
	buf_printf(out, "syscall:%s.return ret=%d\n", calls[*open], below(c, 6) - 2);
	*open = -1;
}

/* What was not seen: half of the threads are in some call now, or in none. */
static void choose_open(struct chooser *c, int *open)
{
	for (int t = 0; t < THREADS; t++)
		if (below(c, 2))
			open[t] = below(c, ROWS_OF(calls) + 1) - 1;
}

static void put_event(struct chooser *c, struct buf *out, int *open, bool whole)
{
	static const char *const comms[] = { "bash", "other", "cat" };
	int t = below(c, THREADS), cpu = below(c, 2);

	if (!whole && !below(c, 30)) {
		buf_printf(out, "cpu=%d gap 3\n", below(c, 2));
		choose_open(c, open);
		return;
	}
	buf_printf(out, "cpu=%d tid=%d pid=%d comm=%s ", cpu, t + 10, t / 2 + 10,
		   comms[below(c, 4) ? t % 3 : below(c, 3)]);
	switch (below(c, 6)) {
	case 0:
		buf_printf(out, "sched:sched_switch prev_pid=%d next_pid=%d prev_prio=%d next_prio=120\n", t + 10,
			   below(c, THREADS + 1) + 10, 118 + below(c, 3));
		break;
	case 1:
		buf_printf(out, "sched:sched_wakeup pid=%d\n", below(c, THREADS) + 10);
		break;
	case 2:
		buf_printf(out, "irq:softirq_%s vec=%d\n", below(c, 2) ? "entry" : "exit", below(c, 3));
		break;
	default:
		put_call(c, out, &open[t], whole);
	}
}

static void put_events(struct chooser *c, struct buf *out, bool whole)
{
	int open[THREADS] = { -1, -1, -1, -1 };

	if (!whole)
		choose_open(c, open);
	buf_puts(out, "syscall read fd:s32 count:u64\nsyscall write fd:s32 count:u64\nsyscall close fd:s32\n"
		      "syscall poll\nsyscall recvmsg fd:s32\nsyscall sendmsg fd:s32\nsyscall futex op:s32\n"
		      "syscall setuid\nsyscall prctl\n"
		      "event sched:sched_switch prev_pid:tid next_pid:tid prev_prio:s32 next_prio:s32\n"
		      "event sched:sched_wakeup pid:tid\n"
		      "event irq:softirq_entry interrupt vec:u32\nevent irq:softirq_exit interrupt vec:u32\n");
	for (int i = 0; i < EVENTS; i++) {
		buf_printf(out, "%d.%06d ", i / 50, i % 50 * 20000 + below(c, 20000));
		put_event(c, out, open, whole);
	}
}

static void try_made(struct same *s, const struct world *none, uint64_t seed)
{
	struct chooser events = { .state = ~seed }, choices = { .state = seed };
	bool whole = seed % 2;
	struct buf made = { 0 };

	(void)none;
	put_events(&events, &made, whole);
	same_try(s, &(struct world){ .made = &made, .whole = whole }, &choices);
	if (s->wrong.n)
		buf_printf(&s->wrong, "%.*s", (int)made.n, made.p);
	buf_fini(&made);
}

/* ---- recorded ---- */

/* The folder of a recorded trace, unpacked once. */
static const char *unpacked(const char *name)
{
	static char path[TEXT_MOST];
	const char *traces = getenv("TRACES") ? getenv("TRACES") : "../shared/traces";
	char command[2 * TEXT_MOST];

	snprintf(path, sizeof(path), "%s/%s", getenv("TMP"), name);
	if (!access(path, R_OK))
		return path;
	snprintf(command, sizeof(command), "%s/%s.tar.xz", traces, name);
	if (access(command, R_OK))
		SKIP("no recorded traces");
	snprintf(command, sizeof(command), "tar -C '%s' -xJf '%s/%s.tar.xz'", getenv("TMP"), traces, name);
	REQUIRE(!system(command));
	return path;
}

/* All queries are over one trace: it is opened once. */
static void try_trace(struct same *s, const struct world *w, uint64_t seed)
{
	same_try(s, w, &(struct chooser){ .state = seed });
}

/* ---- many ---- */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void try_many(void (*try)(struct same *s, const struct world *w, uint64_t seed), const struct world *w,
		     int quick, int all)
{
	const char *seed = getenv("SEED"), *length = getenv("SECONDS");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : 1;
	double begun = seconds_now(), seconds = length ? strtod(length, NULL) : 0;
	int n = seed && !length ? 1 : test_step(2) == 1 ? all : quick;
	struct same s = { 0 };

	for (int i = 0; (length ? seconds_now() - begun < seconds : i < n) && !s.wrong.n; i++) {
		struct arena a = { 0 };

		s.arena = &a;
		try(&s, w, first + (uint64_t)i);
		if (s.wrong.n)
			TEST_FAIL("SEED=%" PRIu64 " %.*s", first + (uint64_t)i, (int)s.wrong.n, s.wrong.p);
		arena_fini(&a);
	}
	printf("# %" PRIu64 " queries, %" PRIu64 " comparisons of %" PRIu64 " lines in %.1f s, %" PRIu64
	       " programs refused\n", s.queries, s.comparisons, s.lines, seconds_now() - begun, s.refused);
	CHECK(seed || s.wrong.n || s.comparisons > s.queries);
	buf_fini(&s.wrong);
}

TEST(same_made)
{
	try_many(try_made, NULL, QUICK_MADE, ALL_MADE);
}

TEST(same_recorded)
{
	static const char *const names[] = { "small", "ctxrich", "web" };

	for (int i = 0; i < ROWS_OF(names); i += test_step(ROWS_OF(names))) {
		struct err e = { 0 };
		struct world w = { .trace = ctf_open(&e, unpacked(names[i])) };

		REQUIRE(w.trace != NULL);
		printf("# over %s\n", names[i]);
		try_many(try_trace, &w, QUICK_TRACE, ALL_TRACE);
		ctf_close(w.trace);
	}
}
