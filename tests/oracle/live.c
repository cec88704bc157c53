/*
 * test: timeout=300
 *
 * The oracle's random queries in the running kernel: a command makes system calls whose parameters
 * are known, and the rows and tables are compared with what the expressions of the plan give over
 * them. The calls fail at once: setxattr and lsetxattr know no such flags.
 *
 * What fails prints its seed and query: SEED=n repeats this one alone.
 */
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kern/live/live.h"
#include "oracle/trial.h"
#include "cli/query.h"
#include "test.h"

#define QUICK_PROGRAMS 10
#define ALL_PROGRAMS 100
#define WRONG_FLAGS 0x7f000000

static const struct dialect live_dialect = {
	{ "syscall:setxattr.enter", "syscall:lsetxattr.enter" },
	{ "(%svalue as s64)", "(%ssize as u64)", "%sflags", "(%sflags as u8)", "str(%spathname)", "str(%sname)" },
	"str(%sname, %d)", true,
};
static const int calls[KINDS] = { SYS_setxattr, SYS_lsetxattr };

static int first_cpu(void)
{
	cpu_set_t allowed;
	int cpu = 0;

	CPU_ZERO(&allowed);
	sched_getaffinity(0, sizeof(allowed), &allowed);
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &allowed))
		cpu++;
	return cpu;
}

/* The parameters of each call; a live event lacks none of them. */
static void draw_calls(struct chooser c, struct moment *moments)
{
	int cpu = first_cpu();

	for (int i = 0; i < EVENTS; i++) {
		struct moment *m = &moments[i];

		m->kind = (uint8_t)below(&c, KINDS);
		m->call = calls[m->kind];
		m->cpu = cpu;
		for (int f = 0; f < NUMBERS; f++)
			m->fields[f] = number(cut(draw_number(&c), fields[f].bits, fields[f].is_signed));
		m->fields[2].bits = cut(m->fields[2].bits | WRONG_FLAGS, 32, true);
		for (int f = NUMBERS; f < FIELDS; f++)
			m->fields[f] = (struct value){ .text = str_of(texts[below(&c, TEXTS)]) };
	}
}

/* On one CPU, with texts that are in memory. */
static int make_calls(uint64_t seed)
{
	struct moment moments[EVENTS];
	cpu_set_t first;
	volatile size_t seen = 0;
	int failed = 0;

	CPU_ZERO(&first);
	CPU_SET(first_cpu(), &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		return 1;
	draw_calls((struct chooser){ .state = ~seed }, moments);
	for (int i = 0; i < TEXTS; i++)
		seen += strlen(texts[i]);
	for (int i = 0; i < EVENTS; i++) {
		const struct moment *m = &moments[i];

		failed += syscall(m->call, m->fields[4].text.p, m->fields[5].text.p, m->fields[0].bits,
				  m->fields[1].bits, m->fields[2].bits) < 0 && errno == EINVAL;
	}
	return failed != EVENTS;
}

static void try_live(struct trial *t, struct query *q)
{
	struct live_options o = { .command = q->options.command, .wake_fd = -1, .features = &q->machine->features };
	struct run_options how = { .plan = q->session.compile.plan, .image = q->session.compile.image };
	struct live *live = live_open(q->session.compile.image, q->session.compile.plan, &o, &q->err);

	find_pairs(t, q->session.compile.plan);
	follow(t, live ? live_executor(live) : NULL, &how, &q->err);
	live_close(live);
}

/* False: it is none of the language. */
static bool trial_live(struct trial *t, struct live_target *machine, uint64_t seed)
{
	struct generator g = { .dialect = &live_dialect, .choices = { .state = seed }, .in_place = true, .out = &t->query };
	char *argv[] = { NULL, "--", "/proc/self/exe", "calls", NULL };
	char number[24];
	struct query q;
	bool is_program;

	snprintf(number, sizeof(number), "%" PRIu64, seed);
	setenv("CALLS", number, 1);
	put_program(&g);
	buf_putc(&t->query, '\0');
	t->query.n--;
	argv[0] = t->query.p;
	draw_calls((struct chooser){ .state = ~seed }, t->moments);
	query_init(&q, "query", NULL);
	q.machine = machine;
	t->dialect = g.dialect;
	t->how = "live";
	t->arena = &q.arena;
	is_program = !query_parse(&q, argv) && !query_target(&q) && !query_compile(&q, 0);
	if (is_program)
		try_live(t, &q);
	query_fini(&q);
	unsetenv("CALLS");
	return is_program;
}

/* The other test runs this as its command. */
TEST(calls)
{
	const char *seed = getenv("CALLS");

	if (seed)
		_exit(make_calls(strtoull(seed, NULL, 0)));
	CHECK(!make_calls(1));
}

TEST(rows_live)
{
	const char *seed = getenv("SEED");
	int n = seed ? 1 : test_step(2) == 1 ? ALL_PROGRAMS : QUICK_PROGRAMS, refused = 0;
	uint64_t first = seed ? strtoull(seed, NULL, 0) : 1, cells = 0;
	struct live_target machine;
	bool wrong = false;

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("needs root and BTF");
	live_target_init(&machine);
	machine.lasts = true;
	for (int i = 0; i < n && !wrong; i++) {
		struct trial t = { 0 };

		refused += !trial_live(&t, &machine, first + (uint64_t)i);
		cells += t.cells;
		wrong = t.wrong.n;
		if (wrong)
			TEST_FAIL("SEED=%" PRIu64 " %.*s", first + (uint64_t)i, (int)t.wrong.n, t.wrong.p);
		trial_fini(&t);
	}
	live_target_fini(&machine);
	printf("# %" PRIu64 " cells, %d of %d programs refused\n", cells, refused, n);
	CHECK(wrong || seed || refused < n / 2);
}
