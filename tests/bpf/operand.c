/* cg_operand: what a static probe passes, over made registers and memory. */
#include "bpf/cg_field.h"
#include "bpf/cg_state.h"
#include "lang/record.h"
#include "vm/vm.h"
#include "test.h"

#if defined(__x86_64__)
#define AX 0
#define BX 3				/* as operands number them */
#define REGISTER(at) ((at) / 8)		/* of struct pt_regs */
enum { AX_WORD = REGISTER(80), BX_WORD = REGISTER(40), RESULT_WORD = 21, WORDS };

static struct arena arena;

static uint64_t run(const struct cat_operand *o, const struct type *type, const char *ax, uint64_t bx)
{
	static struct img_prog p = { .name = "p" };
	struct cat_field f = { .name = "a", .loc = LOC_OPERAND, .type = *type, .operand = o };
	struct bpf_image image = { .unwind_pieces = -1 };
	struct cg_state state = { 0 };
	struct cg cg = { .arena = &arena, .as = as_new(&arena), .state = &state, .image = &image };
	struct err e = { .arena = &arena };
	uint64_t words[WORDS] = { [AX_WORD] = (uintptr_t)ax, [BX_WORD] = bx };
	struct record text = { .valid = 1, .strings = 1, .words[0] = (uintptr_t)ax };
	struct vm vm = { .record = &text };
	struct vm_code c;

	as_mov(cg.as, R6, R1);
	cg_operand(&cg, &f);
	as_store(cg.as, 8, R6, 8 * RESULT_WORD, R0);
	as_imm(cg.as, R0, 0);
	as_exit(cg.as);
	CHECK_STR(as_finish(cg.as, &arena, &p.insns, &p.notes, &p.n_insns), NULL);
	REQUIRE(!vm_code_init(&arena, &c, &p, &vm, &e));
	REQUIRE(vm_code_run(&c, &vm, words, sizeof(words)));
	return words[RESULT_WORD];
}

/* The program's memory is a text here. */
TEST(operand_of_each_kind)
{
	static const char memory[] = "0123456789abcdefghijklmnopqrs\x81tuvwxyz";
	static const struct type s8 = { .kind = TY_INT, .size = 1, .is_signed = true }, u8 = { .kind = TY_INT, .size = 1 };
	static const struct type s64 = { .kind = TY_INT, .size = 8, .is_signed = true }, u16 = { .kind = TY_INT, .size = 2 };
	static const struct {
		struct cat_operand o;
		const struct type *type;
		uint64_t bx, is;
	} rows[] = {
		{ { OPERAND_NUMBER, -1, -1, 1, -3 }, &s64, 0, (uint64_t)-3 },
		{ { OPERAND_REGISTER, BX, -1, 1, 0 }, &s64, ~4ull, ~4ull },
		{ { OPERAND_REGISTER, BX, -1, 1, 0 }, &u16, 0x12345678, 0x5678 },
		{ { OPERAND_REGISTER, BX, -1, 1, 0 }, &s8, 0x1fe, (uint64_t)-2 },
		{ { OPERAND_MEMORY, AX, -1, 1, 0 }, &s64, 5, 0x3736353433323130 },
		{ { OPERAND_MEMORY, AX, -1, 1, 10 }, &u8, 5, 'a' }, { { OPERAND_MEMORY, AX, -1, 1, 10 }, &u16, 5, 'a' | 'b' << 8 },
		{ { OPERAND_MEMORY, AX, -1, 1, 29 }, &s8, 5, (uint64_t)-0x7f },
		{ { OPERAND_MEMORY, AX, BX, 1, 0 }, &u8, 16, 'g' }, { { OPERAND_MEMORY, AX, BX, 2, 8 }, &u8, 3, 'e' },
		{ { OPERAND_MEMORY, AX, BX, 4, -8 }, &u8, 5, 'c' }, { { OPERAND_MEMORY, AX, BX, 8, 0 }, &u8, 2, 'g' },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_EQ(run(&rows[i].o, rows[i].type, memory, rows[i].bx), rows[i].is);
	arena_fini(&arena);
}
#else
TEST(operand_of_each_kind)
{
	SKIP("static probes' registers are not known here");
}
#endif
