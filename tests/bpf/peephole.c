/* peephole: each rule, and that it keeps away where a jump comes into the middle. */
#include <string.h>

#include "bpf/image.h"
#include "test.h"

static struct arena arena;

/* The finished program as text, an instruction a line without its number. */
static const char *finished(struct as *as)
{
	struct bpf_insn *insns;
	struct as_note *notes;
	struct buf b = { 0 };
	const char *error, *text;
	int n;

	as_shorten(as);
	error = as_finish(as, &arena, &insns, &notes, &n);
	if (error)
		return error;
	for (int i = 0; i < n; i++) {
		insn_print(&insns[i], &b);
		buf_puts(&b, i + 1 < n ? "; " : "");
		i += insns[i].code == (BPF_LD | BPF_DW | BPF_IMM);
	}
	text = arena_strdup(&arena, b.p);
	buf_fini(&b);
	return text;
}

TEST(peephole_jump_to_a_jump)
{
	struct as *as = as_new(&arena);
	as_label between = as_new_label(as), store = as_new_label(as), out = as_new_label(as);

	as_jump_if_imm(as, BPF_JEQ, R1, 0, between);
	as_jump_if_imm(as, BPF_JEQ, R2, 0, store);
	as_imm(as, R0, 1);
	as_exit(as);
	as_bind(as, between);
	as_jump(as, out);
	as_bind(as, store);
	as_store_imm(as, 8, R1, 0, 2);
	as_bind(as, out);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK_STR(finished(as), "if r1 == 0x0 goto pc+4; if r2 == 0x0 goto pc+2; r0 = 1; exit; "
		  "*(u64 *)(r1 +0) = 2; r0 = 0; exit");
}

TEST(peephole_jump_to_what_comes_next)
{
	struct as *as = as_new(&arena);
	as_label next = as_new_label(as), out = as_new_label(as);

	as_jump_if_imm(as, BPF_JEQ, R1, 0, next);
	as_bind(as, next);
	as_store_imm(as, 8, R1, 0, 1);
	as_jump(as, out);
	as_bind(as, out);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK_STR(finished(as), "*(u64 *)(r1 +0) = 1; r0 = 0; exit");
}

TEST(peephole_jump_over_a_jump)
{
	struct as *as = as_new(&arena);
	as_label over = as_new_label(as), out = as_new_label(as);

	as_jump_if_imm(as, BPF_JLT, R1, 7, over);
	as_jump(as, out);
	as_bind(as, over);
	as_store_imm(as, 8, R2, 0, 1);
	as_bind(as, out);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK_STR(finished(as), "if r1 >= 0x7 goto pc+1; *(u64 *)(r2 +0) = 1; r0 = 0; exit");
}

TEST(peephole_jump_that_nothing_reaches_joins_nothing)
{
	struct as *as = as_new(&arena);
	as_label over = as_new_label(as), second = as_new_label(as), out = as_new_label(as);

	as_jump_if_imm(as, BPF_JLT, R1, 7, over);
	as_bind(as, second);
	as_jump(as, out);
	as_jump(as, second);
	as_bind(as, over);
	as_store_imm(as, 8, R2, 0, 1);
	as_bind(as, out);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK_STR(finished(as), "if r1 >= 0x7 goto pc+1; *(u64 *)(r2 +0) = 1; r0 = 0; exit");
}

TEST(peephole_jump_over_a_jump_that_others_jump_to)
{
	struct as *as = as_new(&arena);
	as_label over = as_new_label(as), second = as_new_label(as), again = as_new_label(as);

	as_bind(as, again);
	as_jump_if_imm(as, BPF_JSET, R2, 1, second);
	as_jump_if_imm(as, BPF_JLT, R1, 7, over);
	as_bind(as, second);
	as_jump(as, again);
	as_bind(as, over);
	as_imm(as, R0, 0);
	as_exit(as);
	CHECK_STR(finished(as), "if r2 & 0x1 goto pc-1; if r1 >= 0x7 goto pc-2; r0 = 0; exit");
}

TEST(peephole_moves_there_and_back)
{
	struct as *as = as_new(&arena);

	as_call(as, BPF_FUNC_ktime_get_ns);
	as_mov(as, R9, R0);
	as_mov(as, R0, R9);
	as_exit(as);
	CHECK_STR(finished(as), "call bpf_ktime_get_ns#5; exit");
}

TEST(peephole_move_that_a_jump_needs)
{
	struct as *as = as_new(&arena);
	as_label loop = as_new_label(as);

	as_call(as, BPF_FUNC_ktime_get_ns);
	as_mov(as, R9, R0);
	as_bind(as, loop);
	as_mov(as, R0, R9);
	as_alu_imm(as, BPF_SUB, R9, 1);
	as_jump_if_imm(as, BPF_JNE, R9, 0, loop);
	as_exit(as);
	CHECK_STR(finished(as), "call bpf_ktime_get_ns#5; r9 = r0; r0 = r9; r9 -= 1; "
				"if r9 != 0x0 goto pc-3; exit");
}

TEST(peephole_number_in_place_of_a_register)
{
	struct as *as = as_new(&arena);
	as_label out = as_new_label(as);

	as_load(as, 8, R0, R1, 0);
	as_imm(as, R2, -516);
	as_jump_if(as, BPF_JEQ, R0, R2, out);
	as_imm(as, R2, 4);
	as_alu(as, BPF_OR, R0, R2);
	as_bind(as, out);
	as_exit(as);
	CHECK_STR(finished(as), "r0 = *(u64 *)(r1 +0); if r0 == -0x204 goto pc+1; r0 |= 4; exit");
}

TEST(peephole_no_division_by_a_0_that_was_in_a_register)
{
	struct as *as = as_new(&arena);

	as_load(as, 8, R0, R1, 0);
	as_imm(as, R2, 0);
	as_alu(as, BPF_DIV, R0, R2);
	as_exit(as);
	CHECK_STR(finished(as), "r0 = *(u64 *)(r1 +0); r2 = 0; r0 /= r2; exit");
}

TEST(peephole_made_where_it_is_moved_to)
{
	struct as *as = as_new(&arena);

	as_load(as, 8, R0, R1, 16);
	as_mov(as, R2, R0);
	as_map(as, R1, 0);
	as_imm(as, R3, 0);
	as_imm(as, R4, 0);
	as_call(as, BPF_FUNC_task_storage_get);
	as_exit(as);
	CHECK_STR(finished(as), "r2 = *(u64 *)(r1 +16); r1 = map #0; r3 = 0; r4 = 0; "
				"call bpf_task_storage_get#156; exit");
}

TEST(peephole_store_then_load_of_the_same)
{
	struct as *as = as_new(&arena);

	as_frame(as, -16, 8);
	as_load(as, 8, R0, R1, 0);
	as_store(as, 8, R10, -16, R0);
	as_load(as, 8, R2, R10, -16);
	as_store(as, 8, R1, 8, R2);
	as_exit(as);
	CHECK_STR(finished(as), "r0 = *(u64 *)(r1 +0); *(u64 *)(r1 +8) = r0; exit");
}

TEST(peephole_load_that_is_jumped_to)
{
	struct as *as = as_new(&arena);
	as_label middle = as_new_label(as);

	as_frame(as, -16, 8);
	as_store(as, 8, R10, -16, R1);
	as_jump_if_imm(as, BPF_JEQ, R2, 0, middle);
	as_store(as, 8, R10, -16, R2);
	as_bind(as, middle);
	as_load(as, 8, R0, R10, -16);
	as_exit(as);
	CHECK_STR(finished(as), "*(u64 *)(r10 -16) = r1; if r2 == 0x0 goto pc+1; "
				"*(u64 *)(r10 -16) = r2; r0 = *(u64 *)(r10 -16); exit");
}

TEST(peephole_store_that_a_helper_reads)
{
	struct as *as = as_new(&arena);

	as_frame(as, -8, 8);
	as_frame(as, -16, 8);
	as_store_imm(as, 8, R10, -8, 5);
	as_store_imm(as, 8, R10, -16, 6);
	as_map(as, R1, 0);
	as_mov(as, R2, R10);
	as_alu_imm(as, BPF_ADD, R2, -16);
	as_call(as, BPF_FUNC_map_lookup_elem);
	as_exit(as);
	CHECK_STR(finished(as), "*(u64 *)(r10 -16) = 6; r1 = map #0; r2 = r10; r2 += -16; "
				"call bpf_map_lookup_elem#1; exit");
}

/* Where nobody told how long a thing is, its address may lead anywhere above. */
TEST(peephole_store_above_an_address)
{
	struct as *as = as_new(&arena);

	as_store_imm(as, 8, R10, -8, 5);
	as_store_imm(as, 8, R10, -24, 6);
	as_map(as, R1, 0);
	as_mov(as, R2, R10);
	as_alu_imm(as, BPF_ADD, R2, -16);
	as_call(as, BPF_FUNC_map_lookup_elem);
	as_exit(as);
	CHECK_STR(finished(as), "*(u64 *)(r10 -8) = 5; r1 = map #0; r2 = r10; r2 += -16; "
				"call bpf_map_lookup_elem#1; exit");
}

static void emit_now(struct as *as)
{
	as_label known = as_new_label(as);

	as_load(as, 8, R0, R10, -16);
	as_jump_if_imm(as, BPF_JNE, R0, 0, known);
	as_call(as, BPF_FUNC_ktime_get_ns);
	as_store(as, 8, R10, -16, R0);
	as_bind(as, known);
	as_store(as, 8, R6, 0, R0);
}

TEST(peephole_time_that_is_used_once)
{
	struct as *as = as_new(&arena);

	as_frame(as, -16, 8);
	as_store_imm(as, 8, R10, -16, 0);
	emit_now(as);
	as_exit(as);
	CHECK_STR(finished(as), "call bpf_ktime_get_ns#5; *(u64 *)(r6 +0) = r0; exit");
}

/* The second may come from either side: it has to look. */
TEST(peephole_time_that_is_used_twice)
{
	struct as *as = as_new(&arena);
	as_label out = as_new_label(as);

	as_frame(as, -16, 8);
	as_store_imm(as, 8, R10, -16, 0);
	as_jump_if_imm(as, BPF_JEQ, R1, 0, out);
	emit_now(as);
	as_bind(as, out);
	emit_now(as);
	as_exit(as);
	CHECK(strstr(finished(as), "*(u64 *)(r10 -16) = 0"));
	CHECK(strstr(finished(as), "r0 = *(u64 *)(r10 -16); if r0 != 0x0"));
}

/* The frame's lowest one: word 0. */
TEST(peephole_word_that_nothing_wrote)
{
	struct as *as = as_new(&arena);

	as_frame(as, -512, 8);
	as_load(as, 8, R0, R10, -512);
	as_exit(as);
	CHECK_STR(finished(as), "r0 = *(u64 *)(r10 -512); exit");
}

TEST(peephole_dead_and_unreached)
{
	struct as *as = as_new(&arena);
	as_label never = as_new_label(as);

	as_imm(as, R1, 0x123456789abcdef);
	as_imm(as, R0, 1);
	as_jump_if_imm(as, BPF_JEQ, R0, 0, never);
	as_exit(as);
	as_bind(as, never);
	as_imm(as, R0, 2);
	as_exit(as);
	CHECK_STR(finished(as), "r0 = 1; exit");
}

TEST(peephole_keeps_functions_and_places)
{
	struct source_text text = { 0 };
	struct as *as = as_new(&arena);
	as_label function = as_new_label(as);
	struct bpf_insn *insns;
	struct as_note *notes;
	int n;

	as_note(as, (struct loc){ &text, 3, 1 }, "first");
	as_imm(as, R2, 9);
	as_imm(as, R1, 1);
	as_call_function(as, function);
	as_note(as, (struct loc){ &text, 5, 1 }, "second");
	as_imm(as, R3, 9);
	as_imm(as, R0, 0);
	as_exit(as);
	as_note(as, (struct loc){ 0 }, "function");
	as_bind(as, function);
	as_mov(as, R0, R1);
	as_exit(as);
	as_shorten(as);
	CHECK_STR(as_finish(as, &arena, &insns, &notes, &n), NULL);
	for (int i = 0; i < n; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL))
			CHECK_STR(notes[i + insns[i].imm + 1].what, "function");
	for (int i = 0; i < n; i++)
		if (insns[i].code == (BPF_JMP | BPF_EXIT)) {
			CHECK_EQ(notes[i].loc.at, 5);
			break;
		}
}
