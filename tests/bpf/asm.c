/* asm and disasm: labels, offsets, dropped code, sticky errors, texts. */
#include "bpf/image.h"
#include "test.h"

static struct arena arena;

struct code {
	struct bpf_insn *insns;
	struct as_note *notes;
	int n;
};

static const char *finish(struct as *as, struct code *c)
{
	return as_finish(as, &arena, &c->insns, &c->notes, &c->n);
}

static char *text_of(const struct bpf_insn *insn)
{
	struct buf b = { 0 };
	char *s;

	insn_print(insn, &b);
	s = arena_strdup(&arena, b.p);
	buf_fini(&b);
	return s;
}

TEST(asm_jumps_forward_and_backward)
{
	struct as *as = as_new(&arena);
	as_label out = as_new_label(as), again = as_new_label(as);
	struct code c;

	as_imm(as, R0, 10);
	as_bind(as, again);
	as_jump_if_imm(as, BPF_JEQ, R0, 0, out);
	as_alu_imm(as, BPF_SUB, R0, 1);
	as_jump(as, again);
	as_bind(as, out);
	as_exit(as);
	CHECK_STR(finish(as, &c), NULL);
	REQUIRE(c.n == 5);
	CHECK_EQ(c.insns[1].off, 2);
	CHECK_EQ(c.insns[3].off, -3);
}

TEST(asm_drops_what_nothing_reaches)
{
	struct as *as = as_new(&arena);
	as_label next = as_new_label(as), dead = as_new_label(as);
	struct code c;

	as_imm(as, R0, 0);
	as_jump(as, next);
	as_bind(as, dead);
	as_imm(as, R1, 0x123456789abcdef);
	as_jump(as, dead);
	as_bind(as, next);
	as_exit(as);
	as_exit(as);
	CHECK_STR(finish(as, &c), NULL);
	REQUIRE(c.n == 2);
	CHECK_EQ(c.insns[1].code, BPF_JMP | BPF_EXIT);
}

TEST(asm_offsets_over_dropped_code)
{
	struct as *as = as_new(&arena);
	as_label a = as_new_label(as), b = as_new_label(as);
	struct code c;

	as_jump_if_imm(as, BPF_JNE, R1, 3, b);
	as_jump(as, a);
	as_imm(as, R3, 1);
	as_bind(as, a);
	as_imm(as, R0, 1);
	as_bind(as, b);
	as_exit(as);
	CHECK_STR(finish(as, &c), NULL);
	REQUIRE(c.n == 3);
	CHECK_EQ(c.insns[0].off, 1);
}

TEST(asm_notes_survive_dropped_code)
{
	struct as *as = as_new(&arena);
	as_label l = as_new_label(as);
	struct code c;

	as_note(as, (struct loc){ 0 }, "first");
	as_imm(as, R0, 0);
	as_note(as, (struct loc){ 0 }, "second");
	as_jump(as, l);
	as_bind(as, l);
	as_imm(as, R1, 0);
	as_exit(as);
	CHECK_STR(finish(as, &c), NULL);
	REQUIRE(c.n == 3);
	CHECK_STR(c.notes[0].what, "first");
	CHECK_STR(c.notes[1].what, "second");
	CHECK_STR(c.notes[2].what, NULL);
}

TEST(asm_constants_take_the_shortest_form)
{
	static const struct { int64_t imm; int n; const char *text; } rows[] = {
		{ 0, 1, "r1 = 0" }, { -1, 1, "r1 = -1" }, { INT32_MIN, 1, "r1 = -2147483648" },
		{ 0xffffffff, 1, "w1 = -1" }, { 0x100000000, 2, "r1 = 0x100000000 ll" },
		{ -0x100000000, 2, "r1 = 0xffffffff00000000 ll" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct as *as = as_new(&arena);
		struct code c;

		as_imm(as, R1, rows[i].imm);
		CHECK_EQ(as_here(as), rows[i].n);
		as_exit(as);
		CHECK_STR(finish(as, &c), NULL);
		CHECK_STR(text_of(c.insns), rows[i].text);
	}
}

TEST(asm_errors_are_sticky)
{
	struct as *as = as_new(&arena);
	as_label l = as_new_label(as);
	struct code c;

	as_bind(as, l);
	as_exit(as);
	as_fail(as, "first");
	as_bind(as, l);
	as_load(as, 3, R0, R1, 0);
	CHECK_STR(as_error(as), "first");
	CHECK_STR(finish(as, &c), "first");
}

TEST(asm_refuses_mistakes)
{
	struct code c;

	for (int i = 0; i < 6; i++) {
		struct as *as = as_new(&arena);
		as_label l = as_new_label(as);

		if (i == 0)
			as_load(as, 3, R0, R1, 0);
		if (i == 1)
			as_load(as, 8, R0, R1, 40000);
		if (i == 2)
			as_jump(as, l);			/* never bound */
		if (i == 3)
			as_alu_imm(as, BPF_DIV, R0, 0);
		if (i == 4)
			as_mov(as, 11, R1);
		if (i != 5)
			as_exit(as);			/* 5: falls off its end */
		CHECK(finish(as, &c) != NULL);
	}
}

TEST(asm_too_far_and_too_large)
{
	struct as *as = as_new(&arena);
	as_label l = as_new_label(as);
	struct code c;

	as_jump_if_imm(as, BPF_JEQ, R0, 0, l);
	for (int i = 0; i < 40000; i++)
		as_imm(as, R0, i);
	as_bind(as, l);
	as_exit(as);
	CHECK(finish(as, &c) != NULL);
	as = as_new(&arena);
	for (int i = 0; i <= AS_INSNS_MOST; i++)
		as_imm(as, R0, i);
	as_exit(as);
	CHECK_STR(finish(as, &c), "the program is too large");
}

TEST(insn_texts)
{
	struct as *as = as_new(&arena);
	as_label l = as_new_label(as);
	static const char *const want[] = {
		"r1 += r2", "w3 >>= 4", "r1 = -r1", "r2 = be16 r2", "r4 = *(u32 *)(r6 +8)",
		"*(u8 *)(r10 -1) = r4", "*(u64 *)(r10 -16) = -5", "lock *(u64 *)(r7 +24) += r1",
		"r1 = atomic64_fetch_or((u64 *)(r7 +0), r1)",
		"r0 = atomic64_cmpxchg((u64 *)(r7 +0), r0, r2)",
		"r2 = atomic64_xchg((u64 *)(r7 +0), r2)", "if r1 s< r2 goto pc+2",
		"if r1 == 0x10 goto pc+1", "call bpf_map_lookup_elem#1", "exit",
	};
	struct code c;

	as_alu(as, BPF_ADD, R1, R2);
	as_alu32_imm(as, BPF_RSH, R3, 4);
	as_neg(as, R1);
	as_bswap(as, R2, 16);
	as_load(as, 4, R4, R6, 8);
	as_store(as, 1, R10, -1, R4);
	as_store_imm(as, 8, R10, -16, -5);
	as_atomic(as, BPF_ADD, R7, 24, R1);
	as_atomic(as, BPF_OR | BPF_FETCH, R7, 0, R1);
	as_atomic(as, BPF_CMPXCHG, R7, 0, R2);
	as_atomic(as, BPF_XCHG, R7, 0, R2);
	as_jump_if(as, BPF_JSLT, R1, R2, l);
	as_jump_if_imm(as, BPF_JEQ, R1, 16, l);
	as_call(as, BPF_FUNC_map_lookup_elem);
	as_bind(as, l);
	as_exit(as);
	CHECK_STR(finish(as, &c), NULL);
	REQUIRE(c.n == 15);
	for (int i = 0; i < c.n; i++)
		CHECK_STR(text_of(&c.insns[i]), want[i]);
}

TEST(image_text)
{
	struct source_text query = { "query", str_of("a |\n  count by  x") };
	struct bpf_image image = { 0 };
	struct as *as = as_new(&arena);
	as_label l = as_new_label(as);
	struct img_prog prog = { .name = "p0" };
	struct buf b = { 0 };

	vec_push(&arena, &image.maps, ((struct img_map){ .name = "rows",
		.type = BPF_MAP_TYPE_PERCPU_HASH, .key_bytes = 8, .value_bytes = 16,
		.max_entries = 10, .purpose = "rows by x" }));
	as_note(as, (struct loc){ &query, 2, 15 }, "row: find it");
	as_map(as, R1, 0);
	as_jump_if_imm(as, BPF_JEQ, R1, 0, l);
	as_map_value(as, R1, 0, 8);
	as_bind(as, l);
	as_exit(as);
	CHECK_STR(as_finish(as, &arena, &prog.insns, &prog.notes, &prog.n_insns), NULL);
	vec_push(&arena, &image.progs, prog);
	image_print(&image, &b);
	CHECK_STR(b.p, "map rows: per-CPU hash, key 8, value 16, entries 10: rows by x\n"
		       "\n"
		       "program p0, 6 instructions\n"
		       "      ; row: find it    | | count by x\n"
		       "    0: r1 = map rows\n"
		       "    2: if r1 == 0x0 goto 5\n"
		       "    3: r1 = map_value rows+8\n"
		       "    5: exit\n");
	buf_fini(&b);
}

TEST(asm_callback)
{
	struct as *as = as_new(&arena);
	as_label function = as_new_label(as);
	struct code c;

	as_callback(as, R2, function);
	as_imm(as, R0, 0);
	as_exit(as);
	as_imm(as, R1, 1);		/* nothing reaches it */
	as_bind(as, function);
	as_imm(as, R0, 7);
	as_exit(as);
	CHECK_STR(finish(as, &c), NULL);
	REQUIRE(c.n == 6);
	CHECK_EQ(c.insns[0].src_reg, BPF_PSEUDO_FUNC);
	CHECK_EQ(c.insns[0].imm, 3);
	CHECK_EQ(c.insns[4].imm, 7);
	CHECK_STR(text_of(&c.insns[0]), "r2 = function +3");
}

TEST(asm_call_of_a_function_over_dropped_code)
{
	struct as *as = as_new(&arena);
	as_label function = as_new_label(as);
	struct code c;

	as_call_function(as, function);
	as_exit(as);
	as_imm(as, R1, 1);
	as_bind(as, function);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK_STR(finish(as, &c), NULL);
	REQUIRE(c.n == 4);
	CHECK_EQ(c.insns[0].src_reg, BPF_PSEUDO_CALL);
	CHECK_EQ(c.insns[0].imm, 1);
	CHECK_STR(text_of(&c.insns[0]), "call pc+1");
}
