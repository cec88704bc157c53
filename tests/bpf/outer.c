/* cg_split_outer: what a call that was in another tells of the other's states. */
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
static struct p_period period = { .by_thread = true, .split = &split, .thread_off = offsetof(struct call, thread) };

static void make(struct vm *vm, struct vm_code *c)
{
	static struct img_prog p = { .name = "p" };
	static int map = 0;
	struct cg_state state = { .period_map = &map };
	struct cg cg = { .arena = &arena, .as = as_new(&arena), .state = &state };
	struct err e = { .arena = &arena };

	for (int i = 0; i <= split.state; i++)
		*vec_add(&arena, &period.slots) = (struct p_slot){ .off = (uint32_t)(8 + 8 * i) };
	as_mov(cg.as, R8, R1);
	cg_split_outer(&cg, &period);
	as_imm(cg.as, R0, 0);
	as_exit(cg.as);
	CHECK_STR(as_finish(cg.as, &arena, &p.insns, &p.notes, &p.n_insns), NULL);
	REQUIRE(!vm_code_init(&arena, c, &p, vm, &e));
}

static const struct call outer = { .parts = { { 5, 1 }, { 1000, 3 }, { 200, 2 }, { 30, 4 } }, .state = RUNNING + 1 };

/* What the outer has then; of the inner the state does not matter. */
static struct call with(const struct call *before, const struct call *inner)
{
	static const struct img_map rows = { .name = "rows", .type = BPF_MAP_TYPE_HASH, .key_bytes = 8,
					     .value_bytes = sizeof(struct call), .max_entries = 10 };
	struct vm_map map;
	struct vm vm = { .maps = &map, .n_maps = 1 };
	struct err e = { .arena = &arena };
	struct vm_code c;
	struct call after;
	uint64_t key = 77;

	REQUIRE(!vm_map_init(&map, &rows, false, &e) && !vm_map_update(&map, &key, before, BPF_ANY));
	make(&vm, &c);
	REQUIRE(vm_code_run(&c, &vm, inner, sizeof(*inner)));
	after = *(struct call *)vm_map_lookup(&map, &key);
	vm_map_fini(&map);
	arena_fini(&arena);
	period.slots.n = period.slots.cap = 0;
	return after;
}

static bool same(struct call a, struct call b)
{
	return !memcmp(&a, &b, sizeof(a));
}

TEST(split_outer_has_the_states_of_the_inner)
{
	const struct call inner = { .parts = { { 9, 9 }, { 400, 3 }, { 50, 1 }, { 7, 2 } }, .is_inside = 1, .before = 77 };
	struct call want = outer;

	want.parts[RUNNING].ns -= 50 + 7;
	want.parts[RUNNING].n += 3 - 1;
	want.parts[RUNNABLE].ns += 50;
	want.parts[RUNNABLE].n += 1;
	want.parts[SLEEPING].ns += 7;
	want.parts[SLEEPING].n += 2;
	CHECK(same(with(&outer, &inner), want));
}

TEST(split_outer_that_is_none)
{
	struct call inner = { .parts = { { 9, 9 }, { 400, 3 }, { 50, 1 }, { 7, 2 } }, .before = 77 }, waits = outer;

	CHECK(same(with(&outer, &inner), outer));
	inner.is_inside = 1;
	waits.state = SLEEPING + 1;
	CHECK(same(with(&waits, &inner), waits));
	inner.before = 78;
	CHECK(same(with(&outer, &inner), outer));
}
