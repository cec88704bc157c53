/*
 * Each way of attaching: perf tracepoint, samples, timer; and what is said when there
 * is no such thing here. Needs privilege.
 *
 * test: serial
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#include "kern/cpus.h"
#include "kern/live.h"
#include "kern/live_impl.h"

/* An image whose only program counts its runs in word 0 of globals. */
struct counted {
	struct arena a;
	struct err err;
	struct plan plan;
	struct bpf_image image;
	struct p_event event;
	struct cat_event cat;
	struct live *s;
	int wake_fd;
};

static void counted_init(struct counted *c, uint32_t type)
{
	struct img_prog *p;
	struct as *as;

	memset(c, 0, sizeof(*c));
	c->err.arena = &c->a;
	c->wake_fd = -1;
	c->event.cat = &c->cat;
	c->event.name = "test:event";
	c->image.ring = c->image.counters = c->image.followed = -1;
	c->image.stacks = c->image.processes = c->image.process_ring = -1;
	c->image.unwind_processes = c->image.unwind_pieces = -1;
	c->image.n_global_words = 1;
	vec_push(&c->a, &c->image.maps, ((struct img_map){ .name = "globals",
			.type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4, .value_bytes = 8,
			.max_entries = 1, .flags = BPF_F_MMAPABLE }));
	as = as_new(&c->a);
	as_map_value(as, R1, 0, 0);
	as_imm(as, R2, 1);
	as_atomic(as, BPF_ADD, R1, 0, R2);
	as_imm(as, R0, 0);
	as_exit(as);
	p = vec_add(&c->a, &c->image.progs);
	CHECK(!as_finish(as, &c->a, &p->insns, &p->notes, &p->n_insns));
	p->name = "count";
	p->event = &c->event;
	p->type = type;
}

static void counted_open(struct counted *c)
{
	struct live_options o = { .wake_fd = c->wake_fd };

	c->s = live_open(&c->image, &c->plan, &o, &c->err);
	if (!c->s && c->err.unable) {
		arena_fini(&c->a);
		SKIP("BPF is not permitted here");
	}
	REQUIRE(c->s);
}

static int begin(struct counted *c)
{
	struct executor *x = live_executor(c->s);

	return x->ops->begin(x, &c->err);
}

static void stop(struct counted *c)
{
	struct executor *x = live_executor(c->s);

	x->ops->stop(x);
}

static void counted_close(struct counted *c)
{
	live_close(c->s);
	arena_fini(&c->a);
}

static void spin_ms(int ms)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * 1000000;

	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		;
}

static int tracepoint_id(const char *path)
{
	FILE *f = fopen(path, "re");
	int id = 0;

	if (f && fscanf(f, "%d", &id) != 1)
		id = 0;
	if (f)
		fclose(f);
	return id;
}

TEST(perf_tracepoint)
{
	struct counted c;
	int id = tracepoint_id("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id");
	uint64_t n;

	if (!id)
		SKIP("no tracefs");
	counted_init(&c, BPF_PROG_TYPE_TRACEPOINT);
	c.event.attach = ATTACH_TP_PERF;
	c.cat.perf_id = id;
	counted_open(&c);
	CHECK_EQ(begin(&c), 0);
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	stop(&c);
	n = c.s->x.globals[0];
	CHECK(n >= 1000);
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	CHECK_EQ(c.s->x.globals[0], n);
	counted_close(&c);
}

TEST(samples)
{
	struct counted c;

	counted_init(&c, BPF_PROG_TYPE_PERF_EVENT);
	c.event.attach = ATTACH_SAMPLE;
	c.event.sample = (struct p_sample){ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, 999 };
	counted_open(&c);
	CHECK_EQ(begin(&c), 0);
	spin_ms(300);
	stop(&c);
	CHECK(c.s->x.globals[0] > 100);
	counted_close(&c);
}

TEST(timer)
{
	struct counted c;

	counted_init(&c, BPF_PROG_TYPE_PERF_EVENT);
	c.event.attach = ATTACH_TIMER;
	c.event.interval_ns = 10000000;
	counted_open(&c);
	CHECK_EQ(begin(&c), 0);
	usleep(500000);
	stop(&c);
	CHECK(c.s->x.globals[0] >= 40 && c.s->x.globals[0] <= 52);
	counted_close(&c);
}

/* One by one they take the kernel some ms each: Ctrl-C need not wait for thousands. */
TEST(attaching_one_by_one_is_interrupted)
{
	const struct cat_function function = { .name = "first", .path = "/proc/self/exe" };
	struct counted c;
	int wake[2];

	CHECK(!pipe(wake) && write(wake[1], "", 1) == 1);
	counted_init(&c, BPF_PROG_TYPE_KPROBE);
	c.event.attach = ATTACH_UPROBE;
	c.cat.kind = CAT_FUNC_ENTER;
	vec_push(&c.a, &c.event.functions, ((struct p_function){ &function, 0 }));
	c.wake_fd = wake[0];
	counted_open(&c);
	CHECK_EQ(begin(&c), -EINTR);
	CHECK_STR(c.err.causes.v[0], "interrupted at function 1 of 1");
	CHECK_EQ(c.s->attached.n, 0);
	counted_close(&c);
	close(wake[0]);
	close(wake[1]);
}

TEST(a_counter_that_is_not_there)
{
	struct counted c;

	counted_init(&c, BPF_PROG_TYPE_PERF_EVENT);
	c.event.attach = ATTACH_SAMPLE;
	c.event.sample = (struct p_sample){ PERF_TYPE_HARDWARE, 0xff, false, 1000 };
	counted_open(&c);
	CHECK(begin(&c) < 0);
	CHECK_STR(vec_last(&c.err.causes), "cannot attach to test:event");
	counted_close(&c);
}

/* Many are taken away by several threads; none may stay. */
TEST(many_are_detached)
{
	struct counted c;
	uint64_t n;

	counted_init(&c, BPF_PROG_TYPE_PERF_EVENT);
	c.event.attach = ATTACH_TIMER;
	c.event.interval_ns = 1000000;
	for (int i = 0; i < 20; i++) {
		struct img_prog *p = vec_add(&c.a, &c.image.progs);

		*p = c.image.progs.v[0];
	}
	counted_open(&c);
	CHECK_EQ(begin(&c), 0);
	CHECK_EQ(c.s->attached.n, 21);
	usleep(100000);
	stop(&c);
	n = c.s->x.globals[0];
	CHECK(n >= 21 * 50);
	usleep(50000);
	CHECK_EQ(c.s->x.globals[0], n);
	counted_close(&c);
}

static int parsed(const char *text)
{
	struct arena a = { 0 };
	struct cpus cpus = { 0 };
	int n = cpus_parse(&a, str_of(text), &cpus) ? cpus.list.n : -1;

	arena_fini(&a);
	return n;
}

TEST(cpu_lists)
{
	CHECK_EQ(parsed("0\n"), 1);
	CHECK_EQ(parsed("0-3,5,7-8\n"), 7);
	CHECK_EQ(parsed("3-1"), -1);
	CHECK_EQ(parsed(""), -1);
	CHECK_EQ(parsed("0-"), -1);
	CHECK_EQ(parsed("1,1"), -1);
	CHECK_EQ(parsed("0-99999999999"), -1);
	CHECK_EQ(parsed("0 1"), -1);
}
