/*
 * hog() and hog_tid(): the program at switches and the value, over made switches of one CPU, against
 * all runs that there were.
 */
#include "session/compile.h"
#include "plan/func.h"
#include "replay/replay.h"
#include "test.h"

#define RUNS_KEPT 32			/* docs/language.md: of more, ever shorter, the oldest are forgotten */
#define RUNS_MOST 4096

static struct arena arena;

/* ---- a kernel with one event ---- */

struct task {
	int32_t pid;
	uint32_t flags;
	char comm[16];
};

static struct cat_event asked = { .kind = CAT_TRACEPOINT, .system = "t", .name = "e" };
static struct cat_event switches = { .kind = CAT_TRACEPOINT, .system = "sched", .name = "sched_switch", .btf_id = 1 };
static struct cat_field from_field = { .name = "from", .loc = LOC_RECORD, .index = 0 };

static const struct cat_event *find_event(void *self, struct str system, struct str name)
{
	(void)self, (void)system;
	return str_eq(name, str_of(switches.name)) ? &switches : NULL;
}

static uint32_t find_struct(void *self, struct str name)
{
	(void)self;
	return str_eq(name, str_of("task_struct"));
}

static const char *lacks;		/* a member that this kernel does not have */

static bool find_member(void *self, uint32_t type, struct str name, struct cat_member *m)
{
	(void)self, (void)type;
	if (lacks && str_is(name, lacks))
		return false;
	if (!str_eq(name, str_of("pid")) && !str_eq(name, str_of("comm")))
		return false;
	m->offset = str_eq(name, str_of("pid")) ? offsetof(struct task, pid) : offsetof(struct task, comm);
	return true;
}

static const struct catalog_ops kernel_ops = { .event = find_event, .struct_type = find_struct, .member = find_member };
static const struct catalog kernel = { .ops = &kernel_ops };

/* ---- what is asked, and of what ---- */

struct fixture {
	struct plan plan;
	struct p_event ev;
	struct p_query query;
	struct p_branch branch;
	struct column columns[2];
	struct px *values[2];
	struct diag diag;
	struct plan_options options;
	struct bpf_image *image;
	struct replay *replay;
	struct cell cells[2];
	int rows;
	uint64_t now_ns, since_ns;	/* since: the last switch, 0: none yet */
	int n_runs;
	struct run { uint64_t begin_ns, end_ns; int tid; } runs[RUNS_MOST];
};

static bool on_row(void *self, const struct img_record *rec, uint32_t bytes)
{
	struct fixture *f = self;

	(void)bytes;
	record_cells(&arena, &f->image->rows.v[0], rec, f->cells);
	f->rows++;
	return true;
}

static struct px *call(const char *name, const struct type *type)
{
	struct px *from = arena_new(&arena, struct px), *e = arena_new(&arena, struct px);

	*from = (struct px){ .op = PX_FIELD, .type = type_uint, .field = &from_field };
	*e = (struct px){ .op = PX_CALL, .type = *type, .func = func_find(&language, str_of(name)), .n_kids = 1, .may_none = true };
	e->kids = arena_array(&arena, struct px *, 1);
	e->kids[0] = from;
	return e;
}

static struct px *or_else(struct px *a, struct px *b)
{
	struct px *e = arena_new(&arena, struct px);

	*e = (struct px){ .op = PX_ELSE, .type = a->type, .n_kids = 2, .may_none = true };
	e->kids = arena_array(&arena, struct px *, 2);
	e->kids[0] = a;
	e->kids[1] = b;
	return e;
}

static int often = 1;			/* hog() stands in a column, each if the one before is none */

static struct fixture *fixture_new(void)
{
	static const struct type tid = { .kind = TY_TID, .size = 4, .is_signed = true };
	static const struct type comm = { .kind = TY_STRING, .bytes = 16 };
	struct fixture *f = arena_new(&arena, struct fixture);
	struct replay_options o = { .checked = false };
	struct record_source none = { .self = NULL };
	struct err e = { .arena = &arena };
	struct p_action *act;

	from_field.type = type_uint;
	f->plan = (struct plan){ .arena = &arena, .catalog = &kernel, .hogs = true };
	f->diag.arena = &arena;
	f->options = (struct plan_options){ .cpus_possible = 1, .has.replay = true };
	f->values[0] = call("hog_tid", &tid);
	f->values[1] = call("hog", &comm);
	for (int i = 1; i < often; i++)
		f->values[1] = or_else(f->values[1], call("hog", &comm));
	f->columns[0] = (struct column){ .name = "tid", .type = tid };
	f->columns[1] = (struct column){ .name = "comm", .type = comm };
	f->query = (struct p_query){ .sink = SINK_PRINT, .columns = f->columns, .n_columns = 2,
				     .c_lost = -1, .c_kept_back = -1, .c_dropped = -1 };
	*vec_add(&arena, &f->plan.counters) = (struct p_counter){ LOSS_DIV_ZERO, .what = "x" };
	f->branch.query = &f->query;
	f->branch.columns = f->values;
	f->ev = (struct p_event){ .attach = ATTACH_RECORD, .cat = &asked, .name = "t:e" };
	act = vec_add(&arena, &f->ev.actions);
	act->kind = ACT_ROW;
	vec_push(&arena, &act->branches, &f->branch);
	vec_push(&arena, &f->query.branches, &f->branch);
	vec_push(&arena, &f->plan.queries, &f->query);
	vec_push(&arena, &f->plan.events, &f->ev);
	plan_layout(&f->plan);
	f->image = image_build(&arena, &f->diag, &f->plan, &f->options);
	if (!f->image)
		return f;
	f->replay = replay_open(&e, &f->plan, f->image, &o, &none);
	REQUIRE(f->replay);
	replay_executor(f->replay)->sink = f;
	replay_executor(f->replay)->row = on_row;
	f->now_ns = 1000;
	return f;
}

static void done(struct fixture *f)
{
	replay_close(f->replay);
	arena_fini(&arena);
}

static void run_event(struct fixture *f, const struct cat_event *event, uint64_t word, int tid)
{
	char comm[16] = { 0 };
	struct record rec = { .time_ns = f->now_ns, .event = event, .valid = 1, .strings = RECORD_BIT(RECORD_COMM) };
	struct err e = { .arena = &arena };

	snprintf(comm, sizeof(comm), "thread %d", tid);
	rec.words[0] = word;
	rec.words[RECORD_PID] = rec.words[RECORD_TID] = (uint64_t)tid;
	rec.words[RECORD_COMM] = (uint64_t)(uintptr_t)comm;
	rec.valid |= RECORD_BIT(RECORD_PID) | RECORD_BIT(RECORD_TID) | RECORD_BIT(RECORD_COMM);
	REQUIRE(replay_event(f->replay, &rec, &e) >= 0);
}

/* The thread had the CPU for so long, and loses it. */
static void had_cpu(struct fixture *f, int tid, uint64_t ns)
{
	struct task prev = { .flags = ~0u, .pid = tid };

	snprintf(prev.comm, sizeof(prev.comm), "thread %d", tid);
	f->now_ns += ns;
	run_event(f, &switches, (uint64_t)(uintptr_t)&prev, tid);
	if (f->since_ns) {
		REQUIRE(f->n_runs < RUNS_MOST);
		f->runs[f->n_runs++] = (struct run){ f->since_ns, f->now_ns, tid };
	}
	f->since_ns = f->now_ns;
}

/* Who had it longest since then, as the thread `tid` asks that runs now. */
static int hog(struct fixture *f, uint64_t from_ns, int tid)
{
	char name[32];

	f->rows = 0;
	run_event(f, &asked, from_ns, tid);
	REQUIRE(f->rows == 1 && f->cells[0].kind == CELL_INT && f->cells[1].kind == CELL_BYTES);
	snprintf(name, sizeof(name), "thread %d", (int)f->cells[0].i);
	CHECK(str_eq((struct str){ f->cells[1].bytes.p, f->cells[1].bytes.n }, str_of(name)));
	return (int)f->cells[0].i;
}

static uint64_t part(uint64_t begin_ns, uint64_t end_ns, uint64_t from_ns)
{
	if (begin_ns < from_ns)
		begin_ns = from_ns;
	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* The longest that any thread had it, and the longest of the thread. */
static void longest(const struct fixture *f, uint64_t from_ns, int running, int tid, uint64_t *any, uint64_t *own)
{
	*any = part(f->since_ns, f->now_ns, from_ns);
	*own = tid == running ? *any : 0;
	for (int i = 0; i < f->n_runs; i++) {
		uint64_t ns = part(f->runs[i].begin_ns, f->runs[i].end_ns, from_ns);

		if (ns > *any)
			*any = ns;
		if (f->runs[i].tid == tid && ns > *own)
			*own = ns;
	}
}

/* ---- the tests ---- */

TEST(hog_against_all_runs)
{
	struct fixture *f = fixture_new();

	srandom(47);
	had_cpu(f, 1, 100);
	for (int i = 0; i < 3000; i++) {
		uint64_t any, own, from;
		int running = 10 + (int)(random() % 50), tid;

		had_cpu(f, running, 1 + (uint64_t)(random() % (random() % 8 ? 20 : 2000)));
		f->now_ns += (uint64_t)(random() % 30);
		from = f->now_ns - (uint64_t)random() % (f->now_ns < 3000 ? f->now_ns : random() % 4 ? 100 : 3000);
		running = 100 + i % 3;
		tid = hog(f, from, running);
		longest(f, from, running, tid, &any, &own);
		CHECK_EQ(own, any);
	}
	done(f);
}

/* Of 40 runs, each shorter than the one before, the last 32 are known. */
TEST(hog_forgets_the_oldest)
{
	struct fixture *f = fixture_new();

	had_cpu(f, 1, 100);
	for (int i = 0; i < 40; i++) {
		int oldest = i < RUNS_KEPT ? 0 : i - (RUNS_KEPT - 1);

		had_cpu(f, 10 + i, 1000 - (uint64_t)i);
		CHECK_EQ(hog(f, f->now_ns, 7), 7);
		f->now_ns += 5;
		CHECK_EQ(hog(f, f->runs[0].begin_ns, 7), 10 + oldest);
		for (int k = oldest; k <= i; k++) {
			CHECK_EQ(hog(f, f->runs[k].begin_ns, 7), 10 + k);
			CHECK_EQ(hog(f, f->runs[k].end_ns - 1, 7), k < i ? 11 + k : 7);
		}
		CHECK_EQ(hog(f, f->now_ns - 1, 7), 7);
		f->now_ns -= 5;
	}
	done(f);
}

/* Before the first switch only that somebody runs is known. */
TEST(hog_before_the_first_switch)
{
	struct fixture *f = fixture_new();

	CHECK_EQ(hog(f, f->now_ns - 10, 5), 5);
	had_cpu(f, 5, 1000);
	f->now_ns += 10;
	CHECK_EQ(hog(f, f->now_ns - 500, 6), 6);
	done(f);
}

TEST(hog_needs_types)
{
	static const char *const members[] = { "pid", "comm" };

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		struct fixture *f;

		lacks = members[i];
		f = fixture_new();
		CHECK(!f->image);
		REQUIRE(f->diag.items.n == 1);
		CHECK_STR(f->diag.items.v[0].tag, "unable");
		arena_fini(&arena);
	}
	lacks = NULL;
}

/* What the text of an expression takes of the frame is free for the next. */
TEST(hog_gives_back_what_it_took)
{
	struct fixture *f;

	often = 40;
	f = fixture_new();
	often = 1;
	REQUIRE(f->image);
	had_cpu(f, 1, 100);
	had_cpu(f, 2, 100);
	CHECK_EQ(hog(f, f->now_ns - 50, 7), 2);
	done(f);
}
