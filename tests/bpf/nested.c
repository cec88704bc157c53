/*
 * Calls inside each other that a table has: which was before one in its thread (cg_thread_before), and what the outer's
 * states are (cg_split_outer).
 */
#include "bpf/cg_period.h"
#include "bpf/cg_split.h"
#include "bpf/cg_state.h"
#include "vm/vm.h"
#include "test.h"

enum { OWN, RUNNING, RUNNABLE, SLEEPING, PARTS };	/* a part of the query, then states */

struct call {
	uint64_t begin_ns;
	struct { int64_t ns, n; } parts[PARTS];
	uint64_t state, thread, is_inside, before;
};

static struct arena arena;
static struct p_split split = { .n_parts = PARTS, .n_own = RUNNING, .state = 2 * PARTS };
static struct p_period period = { .is_call = true, .by_thread = true, .key_bytes = 8, .split = &split,
				   .thread_off = offsetof(struct call, thread) };

static struct vm_map maps[2];		/* the calls by their keys; a thread's latest key */
static struct vm vm = { .maps = maps, .n_maps = 2 };

static void set_up(void)
{
	static const struct img_map calls = { .name = "calls", .type = BPF_MAP_TYPE_HASH, .key_bytes = 8,
					      .value_bytes = sizeof(struct call), .max_entries = 10 };
	static const struct img_map latest = { .name = "latest", .type = BPF_MAP_TYPE_HASH, .key_bytes = 8, .value_bytes = 8,
					       .max_entries = 10 };
	struct err e = { .arena = &arena };

	REQUIRE(!vm_map_init(&maps[0], &calls, false, &e) && !vm_map_init(&maps[1], &latest, false, &e));
	for (int i = 0; i <= split.state; i++)
		*vec_add(&arena, &period.slots) = (struct p_slot){ .off = (uint32_t)(8 + 8 * i) };
}

static void tear_down(void)
{
	vm_map_fini(&maps[0]);
	vm_map_fini(&maps[1]);
	arena_fini(&arena);
	period.slots.n = period.slots.cap = 0;
}

static void put(int map, uint64_t key, const void *value)
{
	REQUIRE(!vm_map_update(&maps[map], &key, value, BPF_ANY));
}

/* Runs what `emit` emits, with R8 the call. */
static void run(void (*emit)(struct cg *cg), struct call *call)
{
	static struct img_prog p = { .name = "p" };
	static int rows = 0, latest = 1;
	struct bpf_image image = { .unwind_pieces = -1 };
	struct cg_state state = { .period_map = &rows, .thread_map = &latest };
	struct cg cg = { .arena = &arena, .as = as_new(&arena), .state = &state, .image = &image };
	struct err e = { .arena = &arena };
	struct vm_code c;

	as_mov(cg.as, R8, R1);
	emit(&cg);
	as_imm(cg.as, R0, 0);
	as_exit(cg.as);
	CHECK_STR(as_finish(cg.as, &arena, &p.insns, &p.notes, &p.n_insns), NULL);
	REQUIRE(!vm_code_init(&arena, &c, &p, &vm, &e));
	REQUIRE(vm_code_run(&c, &vm, call, sizeof(*call)));
}

/* ---- which was before ---- */

#define THREAD 7
#define KEY 500				/* of the call that begins */

static void emit_before(struct cg *cg)
{
	struct px thread = { .op = PX_NUMBER, .type = type_int, .number = THREAD };
	struct p_action begin = { .kind = ACT_BEGIN, .period = &period, .thread = &thread };
	struct place key = { R10, cg_frame(cg, 8) };

	as_store_imm(cg->as, 8, R10, key.off, KEY);
	cg_thread_before(cg, &begin, key, (struct place){ R8, 0 });
}

/* The record of the call that begins, in the thread of which this key is the latest, 0: none. */
static struct call begun(uint64_t latest)
{
	struct call now = { .is_inside = 99, .before = 98 }, outer = { .is_inside = 4, .before = 97 }, old = { .is_inside = 3, .before = 96 };

	set_up();
	put(0, 400, &outer);
	put(0, KEY, &old);
	if (latest)
		put(1, THREAD, &latest);
	run(emit_before, &now);
	tear_down();
	CHECK_EQ(now.thread, THREAD);
	CHECK(!now.begin_ns && !now.state);
	return now;
}

TEST(call_that_is_in_none)
{
	struct call c = begun(0);

	CHECK(!c.is_inside && !c.before);
}

TEST(call_that_is_in_another)
{
	struct call c = begun(400);

	CHECK(c.is_inside == 1 && c.before == 400);
	period.needs_depth = true;
	c = begun(400);
	CHECK(c.is_inside == 5 && c.before == 400);
	c = begun(401);				/* which is gone */
	CHECK(c.is_inside == 1 && c.before == 401);
	period.needs_depth = false;
}

/* Its return was missed. */
TEST(call_that_begins_anew)
{
	struct call c = begun(KEY);

	CHECK(c.is_inside == 3 && c.before == 96);
}

/* ---- the outer's states ---- */

static void emit_outer(struct cg *cg)
{
	cg_split_outer(cg, &period);
}

static const struct call outer = { .parts = { { 5, 1 }, { 1000, 3 }, { 200, 2 }, { 30, 4 } }, .state = RUNNING + 1 };

/* What the outer has then; of the inner the state does not matter. */
static struct call with(const struct call *before, struct call inner)
{
	struct call after;
	uint64_t key = 77;

	set_up();
	put(0, key, before);
	run(emit_outer, &inner);
	after = *(struct call *)vm_map_lookup(&maps[0], &key);
	tear_down();
	return after;
}

static bool same(struct call a, struct call b)
{
	return !memcmp(&a, &b, sizeof(a));
}

TEST(split_outer_has_the_states_of_the_inner)
{
	struct call inner = { .parts = { { 9, 9 }, { 400, 3 }, { 50, 1 }, { 7, 2 } }, .is_inside = 1, .before = 77 };
	struct call want = outer;

	want.parts[RUNNING].ns -= 50 + 7;
	want.parts[RUNNING].n += 3 - 1;
	want.parts[RUNNABLE].ns += 50;
	want.parts[RUNNABLE].n += 1;
	want.parts[SLEEPING].ns += 7;
	want.parts[SLEEPING].n += 2;
	CHECK(same(with(&outer, inner), want));
}

TEST(split_outer_that_is_none)
{
	struct call inner = { .parts = { { 9, 9 }, { 400, 3 }, { 50, 1 }, { 7, 2 } }, .before = 77 }, waits = outer;

	CHECK(same(with(&outer, inner), outer));
	inner.is_inside = 1;
	waits.state = SLEEPING + 1;
	CHECK(same(with(&waits, inner), waits));
	inner.before = 78;
	CHECK(same(with(&outer, inner), outer));
}
