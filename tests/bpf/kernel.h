/*
 * kernel: a kernel made of structs of this process, and the programs of an image run over it by vm/. They may touch
 * all memory; that they read what they wrote is checked. Functions that bpf_loop calls are programs of their own.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <errno.h>
#include <stddef.h>

#include "session/compile.h"
#include "base/unwind.h"
#include "bpf/insn.h"
#include "vm/vm.h"
#include "test.h"

struct super_block { uint64_t other; uint32_t s_dev, beside; };
struct inode { uint64_t i_ino, i_size, i_mtime_sec; uint32_t i_mtime_nsec, beside; struct super_block *i_sb; };
struct file { uint64_t other; struct inode *f_inode; };
struct mm_struct { uint64_t exec_vm, start_stack, arg_start, arg_end; };
struct vm_special_mapping { const char *name; };
struct vm_area_struct {
	uint64_t vm_start, vm_end, vm_pgoff;
	struct vm_special_mapping *vm_private_data;
	struct file *vm_file;
	struct mm_struct *vm_mm;
	uint64_t vm_flags;
};
struct return_instance { uint64_t other, stack, orig_ret_vaddr; struct return_instance *next; uint64_t behind[3]; };
struct uprobe_task { uint64_t other; struct return_instance *return_instances; };
struct task_struct { int32_t pid, tgid; struct mm_struct *mm; struct uprobe_task *utask; };
struct pt_regs { uint64_t before_bp[4], bp, before_ip[11], ip, before_sp[2], sp; };	/* x86-64's */

static const struct kernel_member { const char *of, *name; size_t offset; } kernel_members[] = {
#define MEMBER(of, name) { #of, #name, offsetof(struct of, name) }
	MEMBER(super_block, s_dev), MEMBER(inode, i_ino), MEMBER(inode, i_size), MEMBER(inode, i_mtime_sec),
	MEMBER(inode, i_mtime_nsec), MEMBER(inode, i_sb), MEMBER(file, f_inode), MEMBER(mm_struct, exec_vm),
	MEMBER(mm_struct, start_stack), MEMBER(mm_struct, arg_start), MEMBER(mm_struct, arg_end), MEMBER(vm_area_struct, vm_start), MEMBER(vm_area_struct, vm_end),
	MEMBER(vm_area_struct, vm_pgoff), MEMBER(vm_area_struct, vm_private_data), MEMBER(vm_area_struct, vm_file),
	MEMBER(vm_area_struct, vm_mm), MEMBER(vm_area_struct, vm_flags), MEMBER(task_struct, pid), MEMBER(task_struct, tgid),
	MEMBER(task_struct, mm), MEMBER(task_struct, utask), MEMBER(uprobe_task, return_instances),
	MEMBER(return_instance, stack), MEMBER(return_instance, orig_ret_vaddr), MEMBER(return_instance, next),
#undef MEMBER
};
#define KERNEL_MEMBERS (sizeof(kernel_members) / sizeof(*kernel_members))

static const struct cat_field kernel_args[] = {
	{ .name = "list", .type = { .kind = TY_PTR, .size = 8, .user = true }, .loc = LOC_ARG },
};
static const struct cat_event kernel_events[] = {
	{ .kind = CAT_TRACEPOINT, .system = "made", .name = "event", .n_args = 1, .args = kernel_args, .btf_id = 1 },
	{ .kind = CAT_TRACEPOINT, .system = "maple_tree", .name = "ma_write", .btf_id = 2 },
	{ .kind = CAT_TRACEPOINT, .system = "sched", .name = "sched_process_fork", .btf_id = 3 },
};

static const struct cat_event *kernel_event(void *self, struct str system, struct str name)
{
	(void)self, (void)system;
	for (size_t i = 0; i < sizeof(kernel_events) / sizeof(*kernel_events); i++)
		if (str_is(name, kernel_events[i].name))
			return &kernel_events[i];
	return NULL;
}

/* The number of its first member + 1. */
static uint32_t kernel_struct(void *self, struct str name)
{
	(void)self;
	for (size_t i = 0; i < KERNEL_MEMBERS; i++)
		if (str_is(name, kernel_members[i].of))
			return (uint32_t)i + 1;
	return 0;
}

static bool kernel_member(void *self, uint32_t type, struct str name, struct cat_member *m)
{
	(void)self;
	for (size_t i = 0; i < KERNEL_MEMBERS; i++)
		if (!strcmp(kernel_members[i].of, kernel_members[type - 1].of) && str_is(name, kernel_members[i].name)) {
			*m = (struct cat_member){ .offset = (uint32_t)kernel_members[i].offset };
			return true;
		}
	return false;
}

static bool kernel_pointee(void *self, uint32_t type, struct type *t)
{
	(void)self;
	*t = (struct type){ .kind = TY_STRUCT, .size = 8, .ktype = type };
	return type != 0;
}

static const char *kernel_name(void *self, uint32_t type)
{
	(void)self;
	return type ? kernel_members[type - 1].of : NULL;
}

static const struct catalog_ops kernel_ops = {
	.event = kernel_event, .struct_type = kernel_struct, .member = kernel_member, .pointee = kernel_pointee,
	.ktype_name = kernel_name,
};
static const struct catalog kernel_catalog = { .ops = &kernel_ops };

/* ---- what there is ---- */

static struct arena arena;
static const struct bpf_image *image;
static struct vm vm, callee;		/* the program's, and of functions that it or bpf_loop calls */
static struct record kernel_record;
static struct task_struct current;
static struct pt_regs registers;

static void kernel_open(const char *query)
{
	struct compile c = {
		.arena = &arena, .catalog = &kernel_catalog, .text = { "query", str_of(query) },
		.options = { .has = { .tp_btf = true, .unwind = true }, .uid = -1, .table_rows = 100, .max_open = 100,
			     .cpus_possible = 1 },
	};
	struct err e = { .arena = &arena };

	compile_run(&c, 0);
	REQUIRE(!c.diag.errors && c.image);
	image = c.image;
	vm = (struct vm){ .checked = true, .record = &kernel_record, .n_maps = image->maps.n };
	vm.maps = arena_array(&arena, struct vm_map, vm.n_maps + 1);
	for (int i = 0; i < vm.n_maps; i++)
		REQUIRE(!vm_map_init(&vm.maps[i], &image->maps.v[i], false, &e));
	callee = vm;
	kernel_record.valid = RECORD_BIT(RECORD_TID) | RECORD_BIT(RECORD_PID);
	kernel_record.words[RECORD_TID] = (uint64_t)current.pid;
	kernel_record.words[RECORD_PID] = (uint64_t)current.tgid;
}

static void kernel_close(void)
{
	for (int i = 0; i < vm.n_maps; i++)
		vm_map_fini(&vm.maps[i]);
	arena_fini(&arena);
}

/* ---- helpers that replay has not, or has not over memory ---- */

static uint64_t may_all(struct vm *of, const uint64_t *args)
{
	(void)args;
	of->n_regions = 0;
	vm_grant(of, (void *)8, UINT64_MAX - 8, true);
	return 0;
}

static uint64_t get_current(struct vm *of, const uint64_t *args)
{
	may_all(of, args);
	return (uint64_t)(uintptr_t)&current;
}

static uint64_t get_registers(struct vm *of, const uint64_t *args)
{
	(void)of;
	return args[0] == (uint64_t)(uintptr_t)&current ? (uint64_t)(uintptr_t)&registers : 0;
}

static uint64_t read_memory(struct vm *of, const uint64_t *args)
{
	const bool has = args[2] >= 4096;

	taint_filled(of, args[0], (uint32_t)args[1]);
	if (has)
		memcpy((void *)(uintptr_t)args[0], (void *)(uintptr_t)args[2], (uint32_t)args[1]);
	return has ? 0 : (uint64_t)-EFAULT;
}

static uint64_t read_text(struct vm *of, const uint64_t *args)
{
	size_t room = (uint32_t)args[1], n;

	taint_filled(of, args[0], room);
	if (args[2] < 4096)
		return (uint64_t)-EFAULT;
	n = strnlen((const char *)(uintptr_t)args[2], room - 1);
	memcpy((void *)(uintptr_t)args[0], (const void *)(uintptr_t)args[2], n);
	((char *)(uintptr_t)args[0])[n] = '\0';
	return n + 1;
}

/* Of the table of tables each is this. */
static uint32_t kernel_piece[UNWIND_PIECE_ROWS];
static const char kernel_table;

static uint64_t look_up(struct vm *of, const uint64_t *args)
{
	if (args[0] == (uint64_t)(uintptr_t)&vm.maps[image->unwind_pieces])
		return (uint64_t)(uintptr_t)&kernel_table;
	if (args[0] == (uint64_t)(uintptr_t)&kernel_table)
		return (uint64_t)(uintptr_t)kernel_piece;
	return vm_helper_find(BPF_FUNC_map_lookup_elem)(of, args);
}

static uint64_t loop(struct vm *of, const uint64_t *args);
static uint64_t call_function(struct vm *of, const uint64_t *args);

static const struct { int id; vm_helper run; } kernel_helpers[] = {
	{ BPF_FUNC_map_lookup_elem, look_up },
	{ BPF_FUNC_get_current_task, get_current }, { BPF_FUNC_get_current_task_btf, get_current },
	{ BPF_FUNC_task_pt_regs, get_registers }, { BPF_FUNC_probe_read_kernel, read_memory },
	{ BPF_FUNC_probe_read_user, read_memory }, { BPF_FUNC_probe_read_user_str, read_text }, { BPF_FUNC_loop, loop },
};

static vm_helper kernel_helper(const struct bpf_insn *call)
{
	if (call->src_reg == BPF_PSEUDO_CALL)
		return call_function;
	for (size_t i = 0; i < sizeof(kernel_helpers) / sizeof(*kernel_helpers); i++)
		if (kernel_helpers[i].id == call->imm)
			return kernel_helpers[i].run;
	return NULL;
}

/* ---- programs ---- */

static const struct img_prog *kernel_running;	/* whose functions are called; */
static int called_at;				/* where the only one is that it calls itself */

static void code_make(struct vm *of, struct vm_code *c, const struct img_prog *p)
{
	struct img_prog known = *p;
	struct err e = { .arena = &arena };

	known.insns = arena_array(&arena, struct bpf_insn, p->n_insns);
	memcpy(known.insns, p->insns, sizeof(*p->insns) * (size_t)p->n_insns);
	for (int i = 0; i < p->n_insns; i++) {
		struct bpf_insn *in = &known.insns[i];

		if (insn_is_ld_imm64(in) && in->src_reg == BPF_PSEUDO_FUNC) {
			in->src_reg = 0;
			in->imm += i + 1;		/* where it is in this program */
		} else if (insn_is_call(in) && kernel_helper(in)) {
			if (in->src_reg == BPF_PSEUDO_CALL)
				called_at = i + 1 + in->imm;
			*in = (struct bpf_insn){ .code = in->code, .imm = BPF_FUNC_ktime_get_ns };	/* any that is there */
		}
	}
	if (vm_code_init(&arena, c, &known, of, &e))
		TEST_FAIL("%s", e.causes.v[0]);
	c->insns = p->insns;
	for (int i = 0; i < c->n; i++)
		if (insn_is_call(&c->insns[i]) && kernel_helper(&c->insns[i]))
			c->ops[i].helper = kernel_helper(&c->insns[i]);
}

static uint64_t code_result;

/* The program from an instruction on, behind these that let it touch all memory; what it returns goes to code_result. */
static struct img_prog code_from(const struct img_prog *p, int at, const struct bpf_insn *before, int n_before)
{
	const struct bpf_insn behind[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = R1, .imm = (int32_t)(uintptr_t)&code_result },
		{ .imm = (int32_t)((uint64_t)(uintptr_t)&code_result >> 32) },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = R1, .src_reg = R0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int n = p->n_insns - at, end = n_before + n;
	struct img_prog f = { .name = p->name, .n_insns = end + (int)(sizeof(behind) / sizeof(*behind)) };

	f.insns = arena_array(&arena, struct bpf_insn, f.n_insns);
	memcpy(f.insns, before, sizeof(*before) * (size_t)n_before);
	memcpy(f.insns + n_before, p->insns + at, sizeof(*p->insns) * (size_t)n);
	memcpy(f.insns + end, behind, sizeof(behind));
	for (int i = n_before; i < end; i++)
		if (insn_is_exit(&f.insns[i]))
			f.insns[i] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = (int16_t)(end - i - 1) };
	return f;
}

#define MOVE(to, from) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) }
#define LOAD(to, from, at) { .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (to), .src_reg = (from), .off = (at) }
#define MAY_ALL { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task }

static struct img_prog function_of(const struct img_prog *p, int at)
{
	static const struct bpf_insn before[] = { MOVE(R6, R1), MAY_ALL, LOAD(R1, R6, 0), LOAD(R2, R6, 8) };

	return code_from(p, at, before, 4);
}

static struct img_prog program_of(const struct img_prog *p)
{
	static const struct bpf_insn before[] = { MOVE(R6, R1), MAY_ALL, MOVE(R1, R6) };

	return code_from(p, 0, before, 3);
}

/* Calls the function at an instruction; returns what it does. */
static uint64_t called(struct vm *of, const struct vm_code *c, uint64_t first, uint64_t second)
{
	const uint64_t args[2] = { first, second };

	if (!vm_code_run(c, &callee, args, sizeof(args)))
		of->fault = callee.fault;
	return code_result;
}

static uint64_t call_function(struct vm *of, const uint64_t *args)
{
	const struct img_prog function = function_of(kernel_running, called_at);
	struct vm_code c;

	code_make(&callee, &c, &function);
	return called(of, &c, args[0], 0);
}

static uint64_t loop(struct vm *of, const uint64_t *args)
{
	const struct img_prog function = function_of(kernel_running, (int)args[1]);
	struct vm_code c;
	uint64_t i = 0;

	code_make(&callee, &c, &function);
	while (i < args[0] && !called(of, &c, i, args[2]) && !of->fault)
		i++;
	return i;
}

/* Runs the program at this event; words are its arguments. */
static void kernel_run(const char *event, const uint64_t *words, int n_words)
{
	for (int i = 0; i < image->progs.n; i++) {
		const struct img_prog *p = &image->progs.v[i];
		struct img_prog whole;
		struct vm_code c;

		if (strcmp((p->event ? p->event->cat : p->cat)->name, event))
			continue;
		whole = program_of(p);
		kernel_running = &whole;
		code_make(&vm, &c, &whole);
		if (!vm_code_run(&c, &vm, words, 8 * (uint64_t)n_words))
			TEST_FAIL("%s: %s", event, vm.fault);
		return;
	}
	TEST_FAIL("no program at %s", event);
}

#endif
