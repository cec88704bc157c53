/*
 * What a process maps: a program at the kernel's change of mappings counts, for each process,
 * how often a file was mapped as code. The count is what tells a stack's addresses apart from
 * those of a library that was there before, and a list of ranges that is not whole yet from one
 * that is: notices of mappings are read later.
 *
 * A process has one of MAPPED_SLOTS words, by its number: the number, and below it the count. The
 * count goes on when another process takes the word over, so that no word comes twice.
 */
#include "base/unwind.h"
#include "bpf/cg_aux.h"
#include "bpf/cg_map.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_stack.h"

#define VM_EXEC_BIT 4

static const struct cat_event *change_of(const struct cg *cg)
{
	return cg_aux_event(cg, "maple_tree", "ma_write");
}

void cg_mapped_map(struct cg *cg)
{
	if (!change_of(cg))
		return;
	cg->image->mapped = cg_add_map(cg, (struct img_map){
		.name = "mapped", .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
		.value_bytes = 8 * MAPPED_SLOTS, .max_entries = 1, .flags = BPF_F_MMAPABLE,
		.purpose = "how often processes mapped code" });
}

/*
 *	if (entry->vm_mm != current->mm || !(entry->vm_flags & VM_EXEC)) goto out;
 *	if (!entry->vm_file) goto no_file;
 */
static bool if_code(struct cg *cg, as_label no_file, as_label out)
{
	int word = cg_frame(cg, 8);
	int32_t mm, of, flags, file;

	if (!cg_member_offset(cg, "task_struct", "mm", &mm) ||
	    !cg_member_offset(cg, "vm_area_struct", "vm_mm", &of) ||
	    !cg_member_offset(cg, "vm_area_struct", "vm_flags", &flags) ||
	    !cg_member_offset(cg, "vm_area_struct", "vm_file", &file))
		return false;
	cg_probe_word(cg, word, of, out);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, out);
	as_mov(cg->as, R8, R0);
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 8, R1, R0, mm);
	as_jump_if(cg->as, BPF_JNE, R1, R8, out);
	cg_probe_word(cg, word, flags, out);
	as_alu_imm(cg->as, BPF_AND, R0, VM_EXEC_BIT);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, out);
	cg_probe_word(cg, word, file, out);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, no_file);
	return true;
}

/* R4 = the word of this process, which maps once more; R5 = what it was */
static void count(struct cg *cg)
{
	as_label same = as_new_label(cg->as);

	cg_mapped(cg, (struct place){ R10, cg_frame(cg, PROCESS_ROOM) });
	as_mov(cg->as, R5, R1);
	as_mov(cg->as, R4, R1);
	as_alu_imm(cg->as, BPF_RSH, R1, 32);
	as_jump_if(cg->as, BPF_JEQ, R1, R0, same);
	as_alu_imm(cg->as, BPF_LSH, R4, 32);
	as_alu_imm(cg->as, BPF_RSH, R4, 32);
	as_mov(cg->as, R1, R0);
	as_alu_imm(cg->as, BPF_LSH, R1, 32);
	as_alu(cg->as, BPF_OR, R4, R1);
	as_bind(cg->as, same);
	as_alu_imm(cg->as, BPF_ADD, R4, 1);
	cg_mapped_word(cg);
	as_store(cg->as, 8, R1, 0, R4);
}

/* ma_write(fn, mas, piv, entry): of a map of any kind; the kernel holds the process's lock. */
void cg_mapped_program(struct cg *cg)
{
	bool enters = cg->image->unwind_files >= 0;
	as_label out, no_file;
	int at = 0;

	cg_aux_begin(cg, "a process maps code");
	out = as_new_label(cg->as);
	no_file = enters ? as_new_label(cg->as) : out;
	if (enters)
		at = cg_ranges_room(cg);
	as_load(cg->as, 8, R7, R6, 24);
	as_jump_if_imm(cg->as, BPF_JEQ, R7, 0, out);
	if (if_code(cg, no_file, out)) {
		count(cg);
		if (enters) {
			cg_ranges_counted(cg, at, R5, R4);
			as_bind(cg->as, no_file);
			cg_ranges_enter(cg, at, out);
		}
	}
	if (!enters)
		as_bind(cg->as, out);
	cg_aux_end(cg, change_of(cg), "mapped",
		   enters ? "counts how often processes map code, and enters it in their lists" :
			    "counts how often processes map code");
}
