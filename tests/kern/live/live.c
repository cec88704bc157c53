/*
 * The live executor with programs written by hand: counting, intervals, printed
 * rows, a rejection, the command. Needs privilege and the kernel's BTF.
 *
 * test: serial
 */
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

#include "kern/live/impl.h"
#include "kern/live/live.h"
#include "kern/types/ktype.h"
#include "session/compile.h"
#include "session/run.h"

#define NRS 512

/* A plan and an image with one program on sys_enter. */
struct made {
	struct arena a;
	struct err err;
	struct plan plan;
	struct bpf_image image;
	struct p_query query;
	struct p_event event;
	struct column columns[2];
	struct p_agg agg;
	struct img_field fields[2];
	struct source_text text;
	struct as *as;
};

static uint32_t sys_enter_id(void)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct ktypes *k = ktypes_open("/sys/kernel/btf/vmlinux", NULL, &e);
	struct ktype_call call = { 0 };
	bool found = k && ktype_tracepoint(k, str_of("sys_enter"), &call);
	uint32_t id = found ? call.id : 0;

	ktypes_close(k);
	arena_fini(&a);
	return id;
}

static struct made *made_new(void)
{
	struct made *m = xcalloc(1, sizeof(*m));

	m->err.arena = &m->a;
	m->plan.arena = &m->a;
	m->text = (struct source_text){ "query", str_of("syscall:* |\n count by event") };
	m->query.part_name = NULL;
	vec_push(&m->a, &m->plan.queries, &m->query);
	m->event.attach = ATTACH_TP_BTF;
	m->event.name = "sys_enter";
	m->image.ring = m->image.counters = m->image.globals = m->image.followed = -1;
	m->image.stacks = m->image.processes = m->image.process_ring = -1;
	m->image.unwind_processes = m->image.unwind_pieces = -1;
	m->as = as_new(&m->a);
	return m;
}

static void made_free(struct made *m)
{
	arena_fini(&m->a);
	free(m);
}

static int add_map(struct made *m, struct img_map map)
{
	vec_push(&m->a, &m->image.maps, map);
	return m->image.maps.n - 1;
}

/* Ends the program. */
static void add_prog(struct made *m)
{
	struct img_prog *p = vec_add(&m->a, &m->image.progs);
	const char *wrong = as_finish(m->as, &m->a, &p->insns, &p->notes, &p->n_insns);

	if (wrong)
		printf("# %s\n", wrong);
	p->name = "test";
	p->event = &m->event;
	p->type = BPF_PROG_TYPE_TRACING;
	p->expected_attach = BPF_TRACE_RAW_TP;
	p->btf_id = sys_enter_id();
}

/* R6 = ctx, R1 = the number of the call; only of this process and only of nr. */
static void emit_filter(struct made *m, int nr, as_label out)
{
	as_note(m->as, (struct loc){ &m->text, 0, 9 }, "row: filter");
	as_mov(m->as, R6, R1);
	as_call(m->as, BPF_FUNC_get_current_pid_tgid);
	as_alu_imm(m->as, BPF_RSH, R0, 32);
	as_jump_if_imm(m->as, BPF_JNE, R0, getpid(), out);
	as_load(m->as, 8, R1, R6, 8);
	if (nr >= 0)
		as_jump_if_imm(m->as, BPF_JNE, R1, nr, out);
	as_jump_if_imm(m->as, BPF_JGE, R1, NRS, out);
}

static void emit_out(struct made *m, as_label out)
{
	as_bind(m->as, out);
	as_imm(m->as, R0, 0);
	as_exit(m->as);
}

/* count by the call's number, in two halves of an array. */
static struct made *made_count(uint64_t every_ns)
{
	struct made *m = made_new();
	as_label out = as_new_label(m->as);
	struct img_table *t = vec_add(&m->a, &m->image.tables);
	int rows = add_map(m, (struct img_map){ .name = "rows", .type = BPF_MAP_TYPE_PERCPU_ARRAY,
			.key_bytes = 4, .value_bytes = 8, .max_entries = 2 * NRS });

	m->image.globals = add_map(m, (struct img_map){ .name = "globals",
			.type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4, .value_bytes = 8,
			.max_entries = 1, .flags = BPF_F_MMAPABLE });
	m->image.n_global_words = 1;
	m->columns[0] = (struct column){ .name = "nr", .type = type_int };
	m->agg.ops = agg_find(&language, str_of("count"), NULL);
	m->agg.column = (struct column){ .name = "count", .type = type_uint, .role = COL_VALUE };
	m->agg.buckets = -1;
	m->query.sink = SINK_AGGS;
	m->query.n_keys = m->query.n_aggs = 1;
	m->query.keys = m->columns;
	m->query.aggs = &m->agg;
	m->query.every_ns = every_ns;
	m->fields[0] = (struct img_field){ type_int, 0, 8, -1 };
	*t = (struct img_table){ .query = &m->query, .per_cpu = true, .doubled = every_ns > 0,
				 .rows = { rows, rows }, .dense = NRS, .other = -1,
				 .key_bytes = 8, .value_bytes = 8, .keys = m->fields };
	emit_filter(m, -1, out);
	as_map_value(m->as, R2, m->image.globals, 0);
	as_load(m->as, 8, R2, R2, 0);
	as_alu_imm(m->as, BPF_MUL, R2, NRS);
	as_alu(m->as, BPF_ADD, R1, R2);
	as_store(m->as, 4, R10, -4, R1);
	as_map(m->as, R1, rows);
	as_mov(m->as, R2, R10);
	as_alu_imm(m->as, BPF_ADD, R2, -4);
	as_call(m->as, BPF_FUNC_map_lookup_elem);
	as_jump_if_imm(m->as, BPF_JEQ, R0, 0, out);
	as_load(m->as, 8, R1, R0, 0);
	as_alu_imm(m->as, BPF_ADD, R1, 1);
	as_store(m->as, 8, R0, 0, R1);
	emit_out(m, out);
	add_prog(m);
	return m;
}

/* A row with the call's number for each getppid. */
static struct made *made_print(uint32_t ring_bytes)
{
	struct made *m = made_new();
	as_label out = as_new_label(m->as);
	struct img_rows *r = vec_add(&m->a, &m->image.rows);

	m->image.ring = add_map(m, (struct img_map){ .name = "ring", .type = BPF_MAP_TYPE_RINGBUF,
			.max_entries = ring_bytes });
	m->columns[0] = (struct column){ .name = "nr", .type = type_int };
	m->query.sink = SINK_PRINT;
	m->query.n_columns = 1;
	m->query.columns = m->columns;
	m->fields[0] = (struct img_field){ type_int, sizeof(struct img_record), 8, 0 };
	*r = (struct img_rows){ &m->query, sizeof(struct img_record) + 8, m->fields };
	emit_filter(m, SYS_getppid, out);
	as_mov(m->as, R8, R1);
	as_map(m->as, R1, m->image.ring);
	as_imm(m->as, R2, r->bytes);
	as_imm(m->as, R3, 0);
	as_call(m->as, BPF_FUNC_ringbuf_reserve);
	as_jump_if_imm(m->as, BPF_JEQ, R0, 0, out);
	as_mov(m->as, R7, R0);
	as_call(m->as, BPF_FUNC_ktime_get_ns);
	as_store(m->as, 8, R7, offsetof(struct img_record, time_ns), R0);
	as_call(m->as, BPF_FUNC_get_smp_processor_id);
	as_store(m->as, 4, R7, offsetof(struct img_record, cpu), R0);
	as_store_imm(m->as, 4, R7, offsetof(struct img_record, query), 0);
	as_store_imm(m->as, 8, R7, offsetof(struct img_record, none), 0);
	as_store(m->as, 8, R7, sizeof(struct img_record), R8);
	as_mov(m->as, R1, R7);
	as_imm(m->as, R2, BPF_RB_NO_WAKEUP);
	as_call(m->as, BPF_FUNC_ringbuf_submit);
	emit_out(m, out);
	add_prog(m);
	return m;
}

static void show_err(const struct err *e)
{
	for (int i = e->causes.n - 1; i >= 0; i--)
		printf("# %s\n", e->causes.v[i]);
}

/* Skips where the machine has no BPF for us. */
static struct live *open_or_skip(struct made *m, const struct live_options *o)
{
	struct live *s;

	if (!m->image.progs.v[0].btf_id) {
		made_free(m);
		SKIP("the kernel has no BTF");
	}
	s = live_open(&m->image, &m->plan, o, &m->err);
	if (!s && m->err.unable) {
		made_free(m);
		SKIP("BPF is not permitted here");
	}
	if (!s)
		show_err(&m->err);
	return s;
}

static int64_t count_of(struct table *t, int nr)
{
	for (int i = 0; t && i < t->rows.n; i++)
		if (t->rows.v[i][0].i == nr)
			return t->rows.v[i][1].i;
	return 0;
}

/* What a run of it found. */
struct found {
	struct made *m;
	struct live *s;
	struct run *r;
	int64_t count;			/* of getppid */
	int tables, disorder;		/* intervals whose number or time is not the next one */
	uint64_t end_ns;
};

static void on_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *t,
		      int n)
{
	struct found *f = self;

	(void)a, (void)q, (void)n;
	f->disorder += t[0]->interval != f->tables++ || t[0]->end_ns <= t[0]->begin_ns ||
		       (f->end_ns && t[0]->begin_ns != f->end_ns);
	f->end_ns = t[0]->end_ns;
	f->count += count_of(t[0], SYS_getppid);
}

/* Begun. */
static void run_made(struct found *f, struct live *s, struct made *m, int64_t intervals)
{
	struct run_options o = { .plan = &m->plan, .image = &m->image, .intervals = intervals,
				 .self = f, .tables = on_tables };

	REQUIRE(s);
	f->m = m;
	f->s = s;
	f->r = run_open(live_executor(s), &o, &m->err);
	REQUIRE(f->r);
}

static void run_gone(struct found *f)
{
	run_close(f->r);
	live_close(f->s);
	made_free(f->m);
}

/* One step, at most so long. */
static int step(struct live *s, uint64_t ns)
{
	struct executor *x = live_executor(s);

	return x->ops->step(x, x->ops->now_ns(x) + ns, NULL);
}

static void call_getppid(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

TEST(counts_each_call)
{
	struct made *m = made_count(0);
	struct live_options o = { .wake_fd = -1 };
	struct found f = { 0 };
	struct loss *losses;

	run_made(&f, open_or_skip(m, &o), m, 0);
	call_getppid(50);
	CHECK_EQ(run_begin(f.r), 0);
	call_getppid(100000);
	CHECK_EQ(run_end(f.r), 0);
	CHECK_EQ(f.count, 100000);
	CHECK_EQ(f.tables, 1);
	CHECK_EQ(f.disorder, 0);
	CHECK_EQ(run_losses(f.r, &m->a, &losses), 3);
	CHECK_EQ(losses[0].id, LOSS_MISSED);
	CHECK_EQ(losses[0].count, 0);
	run_gone(&f);
}

struct caller {
	volatile bool stop;
	int64_t calls;
};

static void *call_until(void *arg)
{
	struct caller *c = arg;

	while (!c->stop) {
		syscall(SYS_getppid);
		c->calls++;
	}
	return NULL;
}

/* way: the first way of waiting for programs that is tried. */
static void count_intervals(int way)
{
	struct made *m = made_count(10000000);
	struct live_options o = { .wake_fd = -1 };
	struct live *s = open_or_skip(m, &o);
	int intervals = 20 / test_step(2);
	struct found f = { 0 };
	struct caller c[2] = { 0 };
	pthread_t threads[2];
	unsigned happened;

	run_made(&f, s, m, intervals);
	s->quiesce = way;
	CHECK_EQ(run_begin(f.r), 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, call_until, &c[i]);
	CHECK_EQ(run_follow(f.r, &happened), 0);
	CHECK_EQ(happened, 0);
	CHECK_EQ(f.tables, intervals - 1);		/* the last one ends with the run */
	for (int i = 0; i < 2; i++) {
		c[i].stop = true;
		pthread_join(threads[i], NULL);
	}
	CHECK_EQ(run_end(f.r), 0);
	CHECK_EQ(f.tables, intervals);
	CHECK_EQ(f.disorder, 0);
	CHECK_EQ(f.count, c[0].calls + c[1].calls);
	run_gone(&f);
}

TEST(intervals_lose_nothing)
{
	count_intervals(0);
}

TEST(intervals_lose_nothing_without_membarrier)
{
	count_intervals(1);
}

TEST(intervals_lose_nothing_without_a_grace_period)
{
	count_intervals(2);
}

struct rows_seen {
	int n, disorder;
	uint64_t last_ns;
};

static void see_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct rows_seen *seen = self;

	(void)q;
	seen->n += cells[0].kind == CELL_INT && cells[0].i == SYS_getppid;
	seen->disorder += time_ns < seen->last_ns;
	seen->last_ns = time_ns;
}

static void *call_some(void *arg)
{
	(void)arg;
	call_getppid(20000);
	return NULL;
}

/* A small buffer, so that it is gone round many times. */
TEST(rows_in_order)
{
	struct made *m = made_print(1 << 20);
	struct rows_seen seen = { 0 };
	struct live_options o = { .wake_fd = -1 };
	struct live *s = open_or_skip(m, &o);
	struct run_options ro = { .plan = &m->plan, .image = &m->image, .self = &seen, .row = see_row };
	pthread_t threads[2];
	struct run *r;

	REQUIRE(s);
	r = run_open(live_executor(s), &ro, &m->err);
	REQUIRE(r);
	CHECK_EQ(run_begin(r), 0);
	for (int round = 0; round < 5; round++) {
		/* 20,000 rows of 48 bytes fill it almost */
		pthread_create(&threads[0], NULL, call_some, NULL);
		pthread_join(threads[0], NULL);
		while (seen.n < 20000 * (round + 1))
			if (!step(s, 200000000))
				break;
	}
	CHECK_EQ(run_end(r), 0);
	CHECK_EQ(seen.n, 100000);
	CHECK_EQ(seen.disorder, 0);
	run_close(r);
	live_close(s);
	made_free(m);
}

TEST(rejection_names_the_query)
{
	struct made *m = made_new();
	struct live_options o = { .wake_fd = -1 };
	bool named = false, quoted = false;

	as_note(m->as, (struct loc){ &m->text, 13, 14 }, "aggregate: key");
	as_imm(m->as, R0, 0);
	as_load(m->as, 8, R1, R3, 0);		/* nothing is in R3 */
	as_exit(m->as);
	add_prog(m);
	if (open_or_skip(m, &o))
		CHECK(!"the verifier took it");
	CHECK(!m->err.unable);
	for (int i = 0; i < m->err.causes.n; i++) {
		named |= strstr(m->err.causes.v[i], "query:2:2:") &&
			 strstr(m->err.causes.v[i], "count by event");
		quoted |= strstr(m->err.causes.v[i], "R3 !read_ok") != NULL;
	}
	CHECK(named);
	CHECK(quoted);
	made_free(m);
}

TEST(log_ends_with_the_instruction)
{
	CHECK_EQ(load_log_insn("0: R1=ctx() R10=fp0\n0: (b7) r0 = 0\n; x\n12: (79) r1 = *(u64 *)(r3 +0)\n"
			       "R3 !read_ok\nprocessed 2 insns\n"), 12);
	CHECK_EQ(load_log_insn("no program\n"), -1);
	CHECK_EQ(load_log_insn(""), -1);
}

TEST(command_ends_it)
{
	char *const argv[] = { "sh", "-c", "exit 3", NULL };
	struct made *m = made_count(0);
	struct live_options o = { .wake_fd = -1, .command = argv };
	struct live *s = open_or_skip(m, &o);

	REQUIRE(s);
	CHECK_EQ(step(s, 50000000), 0);	/* it waits */
	CHECK_EQ(live_executor(s)->ops->begin(live_executor(s), &m->err), 0);
	CHECK_EQ(step(s, 5000000000), EXECUTOR_COMMAND);
	CHECK_EQ(live_command_status(s), 3 << 8);
	live_close(s);
	made_free(m);
}

TEST(command_that_is_not_there)
{
	char *const argv[] = { "/no/such/program", NULL };
	struct made *m = made_count(0);
	struct live_options o = { .wake_fd = -1, .command = argv };
	struct live *s = open_or_skip(m, &o);

	REQUIRE(s);
	CHECK_EQ(live_executor(s)->ops->begin(live_executor(s), &m->err), -ENOENT);
	CHECK_STR(m->err.causes.n ? m->err.causes.v[0] : "",
		  "cannot run /no/such/program: No such file or directory");
	live_close(s);
	made_free(m);
}

TEST(budget_detaches)
{
	struct made *m = made_count(0);
	struct live_options o = { .wake_fd = -1, .budget_percent = 0.01, .cost = true };
	struct live *s = open_or_skip(m, &o);
	struct caller c = { 0 };
	struct buf text = { 0 };
	pthread_t thread;

	REQUIRE(s);
	CHECK_EQ(live_executor(s)->ops->begin(live_executor(s), &m->err), 0);
	pthread_create(&thread, NULL, call_until, &c);
	CHECK_EQ(step(s, 3000000000), EXECUTOR_BUDGET);
	c.stop = true;
	pthread_join(thread, NULL);
	CHECK(live_budget_used(s) > 0.01);
	live_executor(s)->ops->stop(live_executor(s));
	live_cost(s, &text);
	CHECK(strstr(text.p, "sys_enter"));
	buf_fini(&text);
	live_close(s);
	made_free(m);
}
