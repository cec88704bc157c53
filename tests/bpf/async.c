/* cg_async_time: the time of a part that may be open, and whose clocks need not agree. */
#include "bpf/cg_split.h"
#include "bpf/cg_state.h"
#include "vm/vm.h"
#include "test.h"

static struct arena arena;

struct context { uint64_t now_ns, word, duration_ns, time_ns; };

static void make(struct vm *vm, struct vm_code *c)
{
	static struct img_prog p = { .name = "p" };
	struct cg_state state = { .duration_off = -8 };
	struct cg cg = { .arena = &arena, .as = as_new(&arena), .state = &state };
	struct err e = { .arena = &arena };

	as_mov(cg.as, R6, R1);
	as_load(cg.as, 8, R0, R6, offsetof(struct context, duration_ns));
	as_store(cg.as, 8, R10, state.duration_off, R0);
	as_load(cg.as, 8, R0, R6, offsetof(struct context, now_ns));
	as_load(cg.as, 8, R1, R6, offsetof(struct context, word));
	cg_async_time(&cg);
	as_store(cg.as, 8, R6, offsetof(struct context, time_ns), R1);
	as_imm(cg.as, R0, 0);
	as_exit(cg.as);
	CHECK_STR(as_finish(cg.as, &arena, &p.insns, &p.notes, &p.n_insns), NULL);
	REQUIRE(!vm_code_init(&arena, c, &p, vm, &e));
}

/* A word: the sum modulo 2^48, above it how many are open, 64 for none. */
TEST(async_time_between_0_and_the_duration)
{
	static const struct { int64_t now_ns, sum_ns, duration_ns, time_ns; int open; } rows[] = {
		{ 1000, 300, 500, 300, 0 }, { 1000, 500, 500, 500, 0 }, { 1000, 501, 500, 500, 0 }, { 1000, 0, 500, 0, 0 },
		{ 1000, -1, 500, 0, 0 }, { 1000, -300, 500, 0, 0 }, { 1000, -300, 500, 0, -1 },
		{ 1000, -800, 500, 200, 1 }, { 1000, -800, 500, 200, 60 }, { 1000, -400, 500, 500, 2 },
		{ 1000, -1001, 500, 0, 1 },
		{ (1ll << 50) + 1000, -800, 500, 200, 1 },
	};
	static struct vm vm;
	struct vm_code c;

	make(&vm, &c);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t sum = (uint64_t)rows[i].sum_ns & ((1ull << 48) - 1);
		struct context x = { (uint64_t)rows[i].now_ns, 0xabull << 56 | (uint64_t)(64 + rows[i].open) << 48 | sum,
				     (uint64_t)rows[i].duration_ns, ~0ull };

		REQUIRE(vm_code_run(&c, &vm, &x, sizeof(x)));
		CHECK_EQ(x.time_ns, (uint64_t)rows[i].time_ns);
	}
}
