/* taint: what a checked run says of addresses that get out, and of what was not written. */
#include "vm/vm.h"
#include "test.h"

static struct arena arena;

#define ESCAPES "an address of this process is stored in a table or a row"
#define UNWRITTEN "a register is read that was not written"
#define BYTES "bytes of its frame that were not written get out of it"
#define TEXT_WORD 1

/* Each begins with a table's value in R7 and the event's context in R6. */
static void table(struct as *as) { as_store(as, 8, R7, 0, R7); }
static void context(struct as *as) { as_store(as, 8, R7, 0, R6); }
static void frame(struct as *as) { as_store(as, 8, R7, 0, R10); }

static void part_of_an_address(struct as *as)
{
	as_mov(as, R1, R10);
	as_alu_imm(as, BPF_RSH, R1, 32);
	as_alu32_imm(as, BPF_AND, R1, 255);
	as_store(as, 1, R7, 0, R1);
}

static void through_the_frame(struct as *as)
{
	as_store(as, 8, R10, -8, R6);
	as_load(as, 4, R1, R10, -8);
	as_imm(as, R2, 1);
	as_alu(as, BPF_ADD, R2, R1);
	as_store(as, 4, R7, 0, R2);
}

static void text(struct as *as)
{
	as_load(as, 8, R1, R6, 8 + 8 * TEXT_WORD);
	as_store(as, 8, R7, 0, R1);
}

static void atomic(struct as *as) { as_atomic(as, BPF_ADD, R7, 0, R6); }

static void fetched(struct as *as)
{
	as_imm(as, R1, 0);
	as_store(as, 8, R10, -8, R6);
	as_atomic(as, BPF_XCHG, R10, -8, R1);
	as_store(as, 8, R7, 0, R1);
}

static void task(struct as *as)
{
	as_call(as, BPF_FUNC_get_current_task);
	as_store(as, 8, R7, 0, R0);
}

static void look_up(struct as *as)
{
	as_map(as, R1, 0);
	as_mov(as, R2, R10);
	as_alu_imm(as, BPF_ADD, R2, -8);
	as_call(as, BPF_FUNC_map_lookup_elem);
}

static void key(struct as *as)
{
	as_store(as, 8, R10, -8, R6);
	look_up(as);
}

static void key_unwritten(struct as *as)
{
	as_store_imm(as, 2, R10, -8, 0);
	look_up(as);
}

static void looked_up(struct as *as)
{
	as_store_imm(as, 8, R10, -8, 0);
	look_up(as);
	as_store(as, 8, R7, 0, R0);
}

static void unwritten(struct as *as) { as_store(as, 8, R7, 0, R8); }
static void unwritten_sum(struct as *as) { as_alu(as, BPF_ADD, R0, R3); }

static void unwritten_word(struct as *as)
{
	as_store_imm(as, 4, R10, -8, 0);
	as_load(as, 8, R0, R10, -8);
	as_store(as, 8, R7, 0, R0);
}

static void lost_in_a_call(struct as *as)
{
	as_imm(as, R2, 0);
	as_call(as, BPF_FUNC_ktime_get_ns);
	as_store(as, 8, R7, 0, R2);
}

static void unwritten_argument(struct as *as)
{
	as_map(as, R1, 0);
	as_call(as, BPF_FUNC_map_lookup_elem);
}

/* Numbers, though addresses were near. */
static void fine(struct as *as)
{
	as_load(as, 8, R1, R6, 8);
	as_store(as, 8, R7, 0, R1);
	as_mov(as, R1, R6);
	as_alu(as, BPF_SUB, R1, R6);
	as_store(as, 8, R7, 8, R1);
	as_store(as, 8, R10, -8, R6);
	as_store_imm(as, 8, R10, -8, 0);
	look_up(as);
	as_load(as, 8, R1, R7, 0);
	as_store(as, 8, R7, 16, R1);
	as_mov(as, R1, R10);
	as_alu_imm(as, BPF_ADD, R1, -32);
	as_imm(as, R2, 16);
	as_call(as, BPF_FUNC_get_current_comm);
	as_load(as, 8, R1, R10, -32);
	as_store(as, 8, R7, 24, R1);
}

static const struct {
	const char *name;
	void (*emit)(struct as *as);
	const char *fault;
} cases[] = {
	{ "table", table, ESCAPES }, { "context", context, ESCAPES }, { "frame", frame, ESCAPES },
	{ "part", part_of_an_address, ESCAPES }, { "through the frame", through_the_frame, ESCAPES },
	{ "text", text, ESCAPES }, { "atomic", atomic, ESCAPES }, { "fetched", fetched, ESCAPES },
	{ "task", task, ESCAPES }, { "key", key, ESCAPES }, { "looked up", looked_up, ESCAPES },
	{ "key unwritten", key_unwritten, BYTES },
	{ "unwritten", unwritten, UNWRITTEN }, { "sum", unwritten_sum, UNWRITTEN },
	{ "word", unwritten_word, UNWRITTEN }, { "lost", lost_in_a_call, UNWRITTEN },
	{ "argument", unwritten_argument, UNWRITTEN }, { "fine", fine, NULL },
};

static const char *run(struct vm *vm, void (*emit)(struct as *as))
{
	const struct record *rec = vm->record;
	struct as *as = as_new(&arena);
	struct err e = { .arena = &arena };
	struct img_prog p = { .name = "p" };
	struct vm_code c;

	as_mov(as, R6, R1);
	as_map_value(as, R7, 0, 0);
	as_imm(as, R0, 0);
	emit(as);
	as_imm(as, R0, 0);
	as_exit(as);
	if (as_finish(as, &arena, &p.insns, &p.notes, &p.n_insns) || vm_code_init(&arena, &c, &p, vm, &e))
		return "no program";
	vm_code_run(&c, vm, &rec->valid, sizeof(*rec) - offsetof(struct record, valid));
	return vm->fault;
}

TEST(taint_of_a_checked_run)
{
	const struct img_map img = { .name = "m", .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
				     .value_bytes = 64, .max_entries = 1 };
	struct record rec = { .valid = RECORD_BIT(0) | RECORD_BIT(TEXT_WORD),
			      .strings = RECORD_BIT(TEXT_WORD) };
	struct vm_map map;
	struct vm_task who = { .id = 1 };
	struct err e = { .arena = &arena };
	static struct vm vm;

	REQUIRE(!vm_map_init(&map, &img, false, &e));
	rec.words[TEXT_WORD] = (uint64_t)(uintptr_t)"hello";
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		vm = (struct vm){ .checked = true, .maps = &map, .n_maps = 1, .record = &rec, .task = &who };
		printf("# %s\n", cases[i].name);
		CHECK_STR(run(&vm, cases[i].emit), cases[i].fault);
	}
	vm_map_fini(&map);
	arena_fini(&arena);
}
