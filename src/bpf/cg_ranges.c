/*
 * Code that a process maps, in its list of ranges (unwind.h) before it can run: where the file's rows
 * are in the kernel already. What is not known of is in the list, too, without rows: a library
 * can take another's place, whose rules must not be believed. culprit reads it and makes the list anew.
 *
 * All is done under the lock of the process's address space, but its threads walk meanwhile: each step
 * leaves a list in which an address is in its range or in none, and what is in none is unread,
 * because the process's count (cg_mapped.c) is not the list's before the end.
 */
#include "base/unwind.h"
#include "bpf/cg_aux.h"
#include "bpf/cg_map.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_stack.h"

#include <stddef.h>
#include <string.h>

#define BEGINS ((int)offsetof(struct unwind_process, begins))
#define RANGES ((int)offsetof(struct unwind_process, ranges))
#define IN_PROCESS(member) ((int)offsetof(struct unwind_process, member))
#define IN_FILE(member) ((int)offsetof(struct unwind_file, member))
#define PAGE_SHIFT 12
#define OVERLAPS_MOST 4			/* ranges that one mapping covers */
#define VDSO_NAME "[vdso]"

/* Its members, where the kernel has them. */
struct ranges_members {
	int32_t mm, exec_vm, start, end, page, private, file, inode, ino, bytes, changed_s, changed_ns, sb, dev;
};

static bool find_members(const struct cg *cg, struct ranges_members *m)
{
	return cg_member_offset(cg, "task_struct", "mm", &m->mm) &&
	       cg_member_offset(cg, "mm_struct", "exec_vm", &m->exec_vm) &&
	       cg_member_offset(cg, "vm_area_struct", "vm_start", &m->start) &&
	       cg_member_offset(cg, "vm_area_struct", "vm_end", &m->end) &&
	       cg_member_offset(cg, "vm_area_struct", "vm_pgoff", &m->page) &&
	       cg_member_offset(cg, "vm_area_struct", "vm_private_data", &m->private) &&
	       cg_member_offset(cg, "vm_area_struct", "vm_file", &m->file) &&
	       cg_member_offset(cg, "file", "f_inode", &m->inode) &&
	       cg_member_offset(cg, "inode", "i_ino", &m->ino) &&
	       cg_member_offset(cg, "inode", "i_size", &m->bytes) &&
	       (cg_member_offset(cg, "inode", "i_mtime_sec", &m->changed_s) ||		/* 6.11 */
		cg_member_offset(cg, "inode", "__i_mtime.tv_sec", &m->changed_s) ||	/* 6.7 */
		cg_member_offset(cg, "inode", "i_mtime.tv_sec", &m->changed_s)) &&
	       (cg_member_offset(cg, "inode", "i_mtime_nsec", &m->changed_ns) ||
		cg_member_offset(cg, "inode", "__i_mtime.tv_nsec", &m->changed_ns) ||
		cg_member_offset(cg, "inode", "i_mtime.tv_nsec", &m->changed_ns)) &&
	       cg_member_offset(cg, "inode", "i_sb", &m->sb) &&
	       cg_member_offset(cg, "super_block", "s_dev", &m->dev);
}

void cg_ranges_maps(struct cg *cg)
{
	struct unwind_process *empty = arena_new(cg->arena, struct unwind_process);
	struct ranges_members m;

	if (cg->image->mapped < 0 || !find_members(cg, &m))
		return;
	for (int i = 0; i < UNWIND_RANGES_MOST; i++)
		empty->begins[i] = UNWIND_NOWHERE;
	cg->image->unwind_files = cg_add_map(cg, (struct img_map){
		.name = "unwind_files", .type = BPF_MAP_TYPE_HASH,
		.key_bytes = sizeof(struct unwind_file_key), .value_bytes = sizeof(struct unwind_file),
		.max_entries = UNWIND_FILES_MOST, .flags = BPF_F_NO_PREALLOC,
		.purpose = "which chunks are the code of a file" });
	cg->image->unwind_empty = cg_add_const(cg, "unwind_empty", empty, sizeof(*empty),
					       "what a new program has of code");
}

/* The frame from `at` on: what is known of the mapping. */
enum {
	AT_PID = 0, AT_OLD = 8, AT_NEW = 16,	/* the word of what it mapped, before and behind */
	AT_START = 24, AT_END = 32, AT_OFFSET = 40,
	AT_KEY = 48,				/* struct unwind_file_key */
	AT_BYTES = 64, AT_CHANGED_S = 72, AT_CHANGED_NS = 80,
	AT_RANGE_BYTES = 88, AT_RANGE_CHUNK = 92,	/* as struct unwind_range has them */
	AT_KNOWN = 96, AT_PLACE = 104,
	AT_PROCESS = 112, AT_N = 120,		/* and what is moved up in the list */
	AT_ALL = 128
};

/* to = the word at R7 + offset */
static void put_any(struct cg *cg, int at, int to, int32_t offset, as_label out)
{
	cg_probe_word(cg, at + to, offset, out);
}

/* Only four bytes of it. */
static void put_half(struct cg *cg, int at, int to, int32_t offset, as_label out)
{
	put_any(cg, at, to, offset, out);
	as_alu_imm(cg->as, BPF_LSH, R0, 32);
	as_alu_imm(cg->as, BPF_RSH, R0, 32);
	as_store(cg->as, 8, R10, at + to, R0);
}

/* Of the mapping at R7: where it is and of which file; of the vdso, whose file is 0; others' way is `out`. */
static void put_mapping(struct cg *cg, const struct ranges_members *m, int at, as_label out)
{
	struct as *as = cg->as;
	as_label file = as_new_label(as), end = as_new_label(as);
	uint64_t name = 0;

	memcpy(&name, VDSO_NAME, sizeof(VDSO_NAME));
	put_any(cg, at, AT_START, m->start, out);
	put_any(cg, at, AT_END, m->end, out);
	put_any(cg, at, AT_OFFSET, m->page, out);
	as_alu_imm(as, BPF_LSH, R0, PAGE_SHIFT);
	as_store(as, 8, R10, at + AT_OFFSET, R0);
	put_any(cg, at, AT_KEY, m->file, out);
	as_jump_if_imm(as, BPF_JNE, R0, 0, file);
	put_any(cg, at, AT_KEY, m->private, out);
	as_jump_if_imm(as, BPF_JEQ, R0, 0, out);
	as_mov(as, R7, R0);
	put_any(cg, at, AT_KEY, 0, out);		/* struct vm_special_mapping: its name */
	as_mov(as, R7, R0);
	put_any(cg, at, AT_KEY, 0, out);
	as_alu_imm(as, BPF_LSH, R0, 8);
	as_imm(as, R1, (int64_t)(name << 8));
	as_jump_if(as, BPF_JNE, R0, R1, out);
	as_store_imm(as, 8, R10, at + AT_KEY, 0);
	as_store_imm(as, 8, R10, at + AT_OFFSET, 0);
	as_jump(as, end);
	as_bind(as, file);
	as_mov(as, R7, R0);
	put_any(cg, at, AT_KEY, m->inode, out);
	as_mov(as, R7, R0);
	put_any(cg, at, AT_KEY + 8, m->ino, out);
	put_any(cg, at, AT_BYTES, m->bytes, out);
	put_any(cg, at, AT_CHANGED_S, m->changed_s, out);
	put_half(cg, at, AT_CHANGED_NS, m->changed_ns, out);
	put_any(cg, at, AT_KEY, m->sb, out);
	as_mov(as, R7, R0);
	put_half(cg, at, AT_KEY, m->dev, out);
	as_bind(as, end);
}

/*
 *	file = lookup(files, key);
 *	if (file is as it was) {
 *		range = { file->code_bytes, at most the mapping's; file->chunk };
 *		known = !file->code_bytes || file->offset == offset;
 *	}
 */
static void put_range(struct cg *cg, int at)
{
	static const struct { int in_file, here; } same[] = {
		{ IN_FILE(bytes), AT_BYTES }, { IN_FILE(changed_s), AT_CHANGED_S },
		{ IN_FILE(changed_ns), AT_CHANGED_NS },
	};
	struct as *as = cg->as;
	as_label unknown = as_new_label(as), known = as_new_label(as), fits = as_new_label(as);

	cg_find(cg, cg->image->unwind_files, (struct place){ R10, at + AT_KEY }, unknown);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		as_load(as, 8, R1, R0, same[i].in_file);
		as_load(as, 8, R2, R10, at + same[i].here);
		as_jump_if(as, BPF_JNE, R1, R2, unknown);
	}
	as_load(as, 4, R3, R0, IN_FILE(code_bytes));
	as_jump_if_imm(as, BPF_JEQ, R3, 0, known);
	as_load(as, 8, R1, R0, IN_FILE(offset));
	as_load(as, 8, R2, R10, at + AT_OFFSET);
	as_jump_if(as, BPF_JNE, R1, R2, unknown);
	as_load(as, 8, R1, R10, at + AT_END);
	as_load(as, 8, R2, R10, at + AT_START);
	as_alu(as, BPF_SUB, R1, R2);
	as_jump_if(as, BPF_JLE, R3, R1, fits);
	as_mov(as, R3, R1);
	as_bind(as, fits);
	as_store(as, 4, R10, at + AT_RANGE_BYTES, R3);
	as_load(as, 4, R1, R0, IN_FILE(chunk));
	as_store(as, 4, R10, at + AT_RANGE_CHUNK, R1);
	as_bind(as, known);
	as_store_imm(as, 8, R10, at + AT_KNOWN, 1);
	as_bind(as, unknown);
}

/*
 * R6 = the process's list, which is empty where its address space has no code yet: after an exec.
 *
 *	if (!mm->exec_vm) { update(processes, pid, empty);  list->space = mm;  list->mapped = old; }
 */
static void find_list(struct cg *cg, const struct ranges_members *m, int at, as_label out)
{
	struct place key = { R10, at + AT_PID };
	struct as *as = cg->as;
	as_label old = as_new_label(as), have = as_new_label(as);

	as_call(as, BPF_FUNC_get_current_task_btf);
	as_load(as, 8, R8, R0, m->mm);
	as_jump_if_imm(as, BPF_JEQ, R8, 0, out);
	as_load(as, 8, R1, R8, m->exec_vm);
	as_jump_if_imm(as, BPF_JNE, R1, 0, old);
	as_map(as, R1, cg->image->unwind_processes);
	cg_addr(cg, R2, key);
	as_map_value(as, R3, cg->image->unwind_empty, 0);
	as_imm(as, R4, BPF_ANY);
	as_call(as, BPF_FUNC_map_update_elem);
	cg_find(cg, cg->image->unwind_processes, key, out);
	as_store(as, 8, R0, IN_PROCESS(space), R8);
	as_load(as, 8, R1, R10, at + AT_OLD);
	as_store(as, 8, R0, IN_PROCESS(mapped), R1);
	as_jump(as, have);
	as_bind(as, old);
	cg_find(cg, cg->image->unwind_processes, key, out);
	as_bind(as, have);
	as_mov(as, R6, R0);
}

/*
 * R4 = the last range that begins at the mapping's start or before, else the first
 *
 *	if (begins[R4] < start) {
 *		if (ranges[R4] goes on behind the mapping) known = 0;
 *		R4++;
 *	}
 *	place = R4;
 *	if (begins[R4] != start) { make room there;  n++; }
 */
static void find_place(struct cg *cg, int at, as_label make_room, as_label out)
{
	struct as *as = cg->as;
	as_label here = as_new_label(as), next = as_new_label(as), same = as_new_label(as);

	as_load(as, 8, R8, R10, at + AT_START);
	as_mov(as, R7, R6);
	as_imm(as, R4, 0);
	cg_unwind_search(cg, UNWIND_RANGES_MOST / 2, 1);
	as_store(as, 8, R10, at + AT_PLACE, R4);
	as_mov(as, R1, R4);
	as_alu_imm(as, BPF_LSH, R1, 3);
	as_alu(as, BPF_ADD, R1, R6);
	as_load(as, 8, R1, R1, BEGINS);
	as_jump_if(as, BPF_JEQ, R1, R8, same);
	as_jump_if(as, BPF_JGT, R1, R8, here);
	as_alu_imm(as, BPF_LSH, R4, 4);
	as_alu(as, BPF_ADD, R4, R6);
	as_load(as, 8, R1, R4, RANGES + (int)offsetof(struct unwind_range, base));
	as_load(as, 4, R2, R4, RANGES + (int)offsetof(struct unwind_range, bytes));
	as_alu(as, BPF_ADD, R1, R2);
	as_load(as, 8, R2, R10, at + AT_END);
	as_jump_if(as, BPF_JLE, R1, R2, next);
	as_store_imm(as, 8, R10, at + AT_KNOWN, 0);
	as_bind(as, next);
	as_load(as, 8, R1, R10, at + AT_PLACE);
	as_alu_imm(as, BPF_ADD, R1, 1);
	as_store(as, 8, R10, at + AT_PLACE, R1);
	as_bind(as, here);
	as_load(as, 8, R1, R6, IN_PROCESS(n));
	as_jump_if_imm(as, BPF_JGE, R1, UNWIND_RANGES_MOST, out);
	as_store(as, 8, R10, at + AT_N, R1);
	as_alu_imm(as, BPF_ADD, R1, 1);
	as_store(as, 8, R6, IN_PROCESS(n), R1);
	as_store(as, 8, R10, at + AT_PROCESS, R6);
	as_imm(as, R1, UNWIND_RANGES_MOST);
	as_callback(as, R2, make_room);
	cg_addr(cg, R3, (struct place){ R10, at + AT_PLACE });
	as_imm(as, R4, 0);
	as_call(as, BPF_FUNC_loop);
	as_bind(as, same);
}

/* The function of bpf_loop: R1 = how many were moved, R2 = what is at AT_PLACE. Returns 1: stop, else goes on behind
 * its end. */
static void move_up(struct cg *cg, as_label function)
{
	struct as *as = cg->as;
	as_label more = as_new_label(as);

	as_bind(as, function);
	as_load(as, 8, R7, R2, AT_PROCESS - AT_PLACE);
	as_load(as, 8, R8, R2, AT_N - AT_PLACE);
	as_load(as, 8, R3, R2, 0);
	as_alu(as, BPF_SUB, R8, R1);
	as_jump_if(as, BPF_JSGT, R8, R3, more);
	as_imm(as, R0, 1);
	as_exit(as);
	as_bind(as, more);
	as_mov(as, R9, R8);
	as_alu_imm(as, BPF_SUB, R9, 1);
	as_alu_imm(as, BPF_AND, R8, UNWIND_RANGES_MOST - 1);
	as_alu_imm(as, BPF_AND, R9, UNWIND_RANGES_MOST - 1);
	as_alu_imm(as, BPF_LSH, R8, 3);
	as_alu_imm(as, BPF_LSH, R9, 3);
	as_mov(as, R3, R7);
	as_alu(as, BPF_ADD, R3, R9);
	as_mov(as, R4, R7);
	as_alu(as, BPF_ADD, R4, R8);
	as_load(as, 8, R1, R3, BEGINS);
	as_store(as, 8, R4, BEGINS, R1);
	as_alu(as, BPF_ADD, R3, R9);
	as_alu(as, BPF_ADD, R4, R8);
	as_load(as, 8, R1, R3, RANGES);
	as_store(as, 8, R4, RANGES, R1);
	as_load(as, 8, R1, R3, RANGES + 8);
	as_store(as, 8, R4, RANGES + 8, R1);
}

/* R3 = the list + 8 * (place + more), as its begins go by; R5 = that without the list */
static void place_bytes(struct cg *cg, int at, int more)
{
	as_load(cg->as, 8, R5, R10, at + AT_PLACE);
	as_alu_imm(cg->as, BPF_ADD, R5, more);
	as_alu_imm(cg->as, BPF_AND, R5, UNWIND_RANGES_MOST - 1);
	as_alu_imm(cg->as, BPF_LSH, R5, 3);
	as_mov(cg->as, R3, R6);
	as_alu(cg->as, BPF_ADD, R3, R5);
}

/* The mapping's range where place_bytes() was. */
static void store_range(struct cg *cg, int at)
{
	struct as *as = cg->as;

	as_alu(as, BPF_ADD, R3, R5);
	as_load(as, 8, R1, R10, at + AT_START);
	as_store(as, 8, R3, RANGES + (int)offsetof(struct unwind_range, base), R1);
	as_load(as, 8, R1, R10, at + AT_RANGE_BYTES);
	as_store(as, 8, R3, RANGES + (int)offsetof(struct unwind_range, bytes), R1);
}

/* The mapping's range, also of what began inside of it before. */
static void store(struct cg *cg, int at)
{
	struct as *as = cg->as;
	as_label end = as_new_label(as);

	place_bytes(cg, at, 0);
	as_load(as, 8, R1, R10, at + AT_START);
	as_store(as, 8, R3, BEGINS, R1);
	store_range(cg, at);
	for (int i = 1; i <= OVERLAPS_MOST; i++) {
		place_bytes(cg, at, i);
		as_load(as, 8, R1, R3, BEGINS);
		as_load(as, 8, R2, R10, at + AT_END);
		as_jump_if(as, BPF_JGE, R1, R2, end);
		as_load(as, 8, R2, R10, at + AT_START);
		as_jump_if(as, BPF_JLE, R1, R2, end);	/* the list ends, the place is its first */
		store_range(cg, at);
	}
	as_store_imm(as, 8, R10, at + AT_KNOWN, 0);
	as_bind(as, end);
}

int cg_ranges_room(struct cg *cg)
{
	int at = cg_frame(cg, AT_ALL);

	cg_zero(cg, (struct place){ R10, at }, AT_ALL);
	return at;
}

void cg_ranges_counted(struct cg *cg, int at, int old, int now)
{
	as_store(cg->as, 8, R10, at + AT_OLD, old);
	as_store(cg->as, 8, R10, at + AT_NEW, now);
}

void cg_ranges_enter(struct cg *cg, int at, as_label out)
{
	struct as *as = cg->as;
	as_label make_room = as_new_label(as);
	struct ranges_members m;

	if (!find_members(cg, &m))
		return;
	cg_process(cg, (struct place){ R10, at + AT_PLACE });
	as_jump_if_imm(as, BPF_JEQ, R0, 0, out);
	as_store(as, 8, R10, at + AT_PID, R0);
	find_list(cg, &m, at, out);
	put_mapping(cg, &m, at, out);
	put_range(cg, at);
	find_place(cg, at, make_room, out);
	store(cg, at);
	as_load(as, 8, R1, R10, at + AT_KNOWN);
	as_jump_if_imm(as, BPF_JEQ, R1, 0, out);
	as_load(as, 8, R1, R10, at + AT_NEW);
	as_jump_if_imm(as, BPF_JEQ, R1, 0, out);
	as_load(as, 8, R2, R6, IN_PROCESS(mapped));
	as_load(as, 8, R3, R10, at + AT_OLD);
	as_jump_if(as, BPF_JNE, R2, R3, out);
	as_store(as, 8, R6, IN_PROCESS(mapped), R1);
	as_bind(as, out);
	as_imm(as, R0, 0);
	as_exit(as);
	move_up(cg, make_room);
}

/*
 * fork(parent, child): what a program's own child has until it calls exec. A list that is not whole is that of no
 * address space.
 *
 *	if (child->pid != child->tgid || !(list = lookup(processes, parent->tgid))) goto out;
 *	update(processes, child->tgid, list);
 *	to = lookup(processes, child->tgid);
 *	if (list->mapped != the parent's word, which is its own) { to->stack = to->space = 0; }
 *	else if (list->space) to->space = child->mm;
 *	to->mapped = the word of the child's number, which is not its own;
 */
void cg_ranges_fork(struct cg *cg)
{
	const struct cat_event *fork = cg_aux_event(cg, "sched", "sched_process_fork");
	int tgid = cg_aux_member(cg, "task_struct", "tgid"), pid = cg_aux_member(cg, "task_struct", "pid");
	struct ranges_members m;
	struct place key;
	as_label out, whole, put;
	struct as *as;

	/* numbers of the child in a PID namespace come with its notice */
	if (cg->image->unwind_files < 0 || cg->options->pid_namespaced || !fork || tgid < 0 || pid < 0 ||
	    !find_members(cg, &m))
		return;
	cg_aux_begin(cg, "a process makes another");
	as = cg->as;
	out = as_new_label(as);
	whole = as_new_label(as);
	put = as_new_label(as);
	key = (struct place){ R10, cg_frame(cg, 8) };
	as_load(as, 8, R7, R6, 8);
	as_load(as, 8, R6, R6, 0);
	as_load(as, 4, R1, R7, pid);
	as_load(as, 4, R2, R7, tgid);
	as_jump_if(as, BPF_JNE, R1, R2, out);
	as_load(as, 4, R1, R6, tgid);
	as_store(as, 8, R10, key.off, R1);
	cg_find(cg, cg->image->unwind_processes, key, out);
	as_mov(as, R8, R0);
	as_load(as, 8, R0, R10, key.off);
	cg_mapped_word(cg);
	as_load(as, 8, R9, R1, 0);
	as_load(as, 4, R1, R7, tgid);
	as_store(as, 8, R10, key.off, R1);
	as_map(as, R1, cg->image->unwind_processes);
	cg_addr(cg, R2, key);
	as_mov(as, R3, R8);
	as_imm(as, R4, BPF_ANY);
	as_call(as, BPF_FUNC_map_update_elem);
	cg_find(cg, cg->image->unwind_processes, key, out);
	as_mov(as, R3, R0);
	as_load(as, 8, R1, R8, IN_PROCESS(mapped));
	as_jump_if(as, BPF_JEQ, R1, R9, whole);
	as_mov(as, R1, R9);
	as_alu_imm(as, BPF_RSH, R1, 32);
	as_load(as, 4, R2, R6, tgid);
	as_jump_if(as, BPF_JNE, R1, R2, whole);
	as_store_imm(as, 8, R3, IN_PROCESS(space), 0);
	as_store_imm(as, 8, R3, IN_PROCESS(stack), 0);
	as_jump(as, put);
	as_bind(as, whole);
	as_load(as, 8, R1, R8, IN_PROCESS(space));
	as_jump_if_imm(as, BPF_JEQ, R1, 0, put);
	as_load(as, 8, R1, R7, m.mm);
	as_store(as, 8, R3, IN_PROCESS(space), R1);
	as_bind(as, put);
	as_load(as, 8, R0, R10, key.off);
	cg_mapped_word(cg);
	as_load(as, 8, R1, R1, 0);
	as_store(as, 8, R3, IN_PROCESS(mapped), R1);
	as_bind(as, out);
	cg_aux_end(cg, fork, "ranges", "gives the list of a process's code to its children");
}
