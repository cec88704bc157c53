/*
 * Command lines and argument lists: words, each ended by NUL, behind a struct img_head.
 */
#include "bpf/cg_parts.h"
#include "bpf/cg_probe.h"

#include <stddef.h>

#define ARGV_MOST 256			/* strings read of a list */

static void set_missing(struct cg *cg, const struct cg_parts *p, enum img_missing missing)
{
	cg_parts_set(cg, p, offsetof(struct img_head, missing), missing);
}

/*
 *	if (task != current) absent;		its memory can't be read from here
 *	if (!task->mm) "";
 *	n = mm->arg_end - mm->arg_start;
 *	head.bytes = n;
 *	probe_read_user(text, min(n, room), mm->arg_start);
 */
void cg_cmdline(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	as_label end = as_new_label(cg->as), fits = as_new_label(cg->as);
	as_label absent = as_new_label(cg->as);
	struct cg_parts p = cg_parts_begin(cg, room);
	int task = cg_frame(cg, 8), mm = cg_frame(cg, 8), bytes = cg_frame(cg, 8);

	cg_word(cg, e->kids[0], none);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store(cg->as, 8, R10, task, R0);
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 8, R1, R10, task);
	as_jump_if(cg->as, BPF_JNE, R0, R1, absent);
	cg_deref(cg, cg_member(cg, "task_struct", "mm"));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store(cg->as, 8, R10, mm, R0);
	cg_deref(cg, cg_member(cg, "mm_struct", "arg_end"));
	as_store(cg->as, 8, R10, bytes, R0);
	as_load(cg->as, 8, R0, R10, mm);
	cg_deref(cg, cg_member(cg, "mm_struct", "arg_start"));
	as_mov(cg->as, R3, R0);
	as_load(cg->as, 8, R2, R10, bytes);
	as_alu(cg->as, BPF_SUB, R2, R0);
	as_store(cg->as, 4, p.head.reg, p.head.off, R2);
	as_jump_if_imm(cg->as, BPF_JLE, R2, p.room, fits);
	as_imm(cg->as, R2, p.room);
	as_bind(cg->as, fits);
	cg_addr(cg, R1, p.text);
	as_call(cg->as, BPF_FUNC_probe_read_user);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store_imm(cg->as, 4, p.head.reg, p.head.off, 0);
	as_bind(cg->as, absent);
	set_missing(cg, &p, MISSING_ABSENT);
	as_bind(cg->as, end);
	cg_parts_end(cg, &p, at, room);
}

/* R0 = the word of the program at R3; to absent when its page is not there. */
static void user_word(struct cg *cg, as_label absent)
{
	int word = cg_frame(cg, 8);

	cg_addr(cg, R1, (struct place){ R10, word });
	as_imm(cg->as, R2, 8);
	as_call(cg->as, BPF_FUNC_probe_read_user);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, absent);
	as_load(cg->as, 8, R0, R10, word);
	cg_frame_free(cg, 8);
}

/*
 *	for (left = ARGV_MOST; p = *list++; left--) {
 *		if (!left) cut;
 *		n = probe_read_user_str(text + bytes, room + 1, p);
 *		bytes += n;
 *	}
 */
void cg_argv(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	as_label loop = as_new_label(cg->as), end = as_new_label(cg->as);
	as_label cut = as_new_label(cg->as), absent = as_new_label(cg->as);
	struct cg_parts p = cg_parts_begin(cg, room);
	int list = cg_frame(cg, 8), left = cg_frame(cg, 8), word = cg_frame(cg, 8);

	cg_word(cg, e->kids[0], none);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store(cg->as, 8, R10, list, R0);
	as_store_imm(cg->as, 8, R10, left, ARGV_MOST);
	as_bind(cg->as, loop);
	as_load(cg->as, 8, R3, R10, list);
	user_word(cg, absent);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store(cg->as, 8, R10, word, R0);
	as_load(cg->as, 8, R1, R10, left);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, cut);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_store(cg->as, 8, R10, left, R1);
	cg_parts_next(cg, &p, cut);
	as_load(cg->as, 8, R3, R10, word);
	as_call(cg->as, BPF_FUNC_probe_read_user_str);
	cg_parts_add(cg, &p, 0, absent);
	as_load(cg->as, 8, R1, R10, list);
	as_alu_imm(cg->as, BPF_ADD, R1, 8);
	as_store(cg->as, 8, R10, list, R1);
	as_jump(cg->as, loop);
	as_bind(cg->as, cut);
	set_missing(cg, &p, MISSING_CUT);
	as_jump(cg->as, end);
	as_bind(cg->as, absent);
	set_missing(cg, &p, MISSING_ABSENT);
	as_bind(cg->as, end);
	cg_parts_end(cg, &p, at, room);
}
