/*
 * Each way of attaching: perf tracepoint, samples, timer; and what is said when there
 * is no such thing here. Needs privilege.
 *
 * test: serial
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#include "kern/cpus.h"
#include "kern/live/impl.h"
#include "kern/live/live.h"
#include "kern/sysbpf.h"

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

/* Adds 1 to word 0, takes a millisecond, adds 1 to word 1. */
static void takes_long(struct counted *c)
{
	struct as *as = as_new(&c->a);
	as_label turn = as_new_label(as);
	struct img_prog *p = &c->image.progs.v[0];

	c->image.n_global_words = 2;
	c->image.maps.v[0].value_bytes = 16;
	as_map_value(as, R6, 0, 0);
	as_imm(as, R1, 1);
	as_atomic(as, BPF_ADD, R6, 0, R1);
	as_imm(as, R1, 1 << 18);
	as_callback(as, R2, turn);
	as_imm(as, R3, 0);
	as_imm(as, R4, 0);
	as_call(as, BPF_FUNC_loop);
	as_imm(as, R1, 1);
	as_atomic(as, BPF_ADD, R6, 8, R1);
	as_imm(as, R0, 0);
	as_exit(as);
	as_bind(as, turn);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK(!as_finish(as, &c->a, &p->insns, &p->notes, &p->n_insns));
}

__attribute__((noinline)) static void probed(void)
{
	__asm__ volatile("");
}

static void *call_probed(void *arg)
{
	while (!atomic_load((atomic_bool *)arg))
		probed();
	return NULL;
}

/* An event of probed() is taken away while its program runs. Is that said to have ended? */
static bool ended_with_the_probe(uint8_t attach, uint32_t expected_attach)
{
	struct cat_function function = { .name = "probed", .symbol = "probed" };
	atomic_bool enough = false;
	pthread_t caller;
	struct counted c;
	uint64_t began;
	bool ended;
	Dl_info at;

	REQUIRE(dladdr((void *)(uintptr_t)probed, &at));
	function.path = at.dli_fname;
	function.offset = (uintptr_t)probed - (uintptr_t)at.dli_fbase;
	counted_init(&c, BPF_PROG_TYPE_KPROBE);
	takes_long(&c);
	c.image.progs.v[0].expected_attach = expected_attach;
	c.event.attach = attach;
	c.cat.kind = CAT_FUNC_ENTER;
	vec_push(&c.a, &c.event.functions, ((struct p_function){ &function, 0 }));
	counted_open(&c);
	CHECK_EQ(begin(&c), 0);
	pthread_create(&caller, NULL, call_probed, &enough);
	for (int i = 0; i < 10000 && c.s->x.globals[1] < 5; i++)
		usleep(1000);
	ended = detach_all(c.s);
	began = c.s->x.globals[0];
	CHECK(began >= 5);
	CHECK_EQ(c.s->x.globals[1], began);
	atomic_store(&enough, true);
	pthread_join(caller, NULL);
	CHECK_EQ(c.s->x.globals[0], began);
	counted_close(&c);
	return ended;
}

TEST(no_program_runs_behind_a_uprobe_that_is_closed)
{
	struct features f = { 0 };
	bool multi = feature_has(&f, FEATURE_UPROBE_MULTI);

	for (int i = 0; i < 5; i++) {
		CHECK(ended_with_the_probe(ATTACH_UPROBE, 0));
		CHECK(!multi || ended_with_the_probe(ATTACH_UPROBE_MULTI, SYSBPF_UPROBE_MULTI));
	}
	features_fini(&f);
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
