/*
 * native: programs as machine code of x86-64, instead of interp.c's operations, which are
 * what it is made from. Each register of BPF is one of the machine's, in the places where
 * C wants arguments, so that a helper's are there already:
 *
 *	R0 rax   R1-R5 rdi rsi rdx rcx r8   R6-R9 rbx r13 r14 r15   R10 rbp
 *	r10 r11 for what takes several steps, r12 the vm
 *
 * Nothing is checked, so that a checked run interprets. Jumps back are counted. A program with
 * an instruction that is not here is interpreted, as all are on other machines and where
 * memory cannot be made executable.
 */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bpf/insn.h"
#include "vm/vm.h"

#ifdef __x86_64__

#include "vm/x86.h"

enum { TEMP = R10_, OTHER = R11_, VM = R12_ };

static const uint8_t registers[R10 + 1] = {
	RAX, RDI, RSI, RDX, RCX, R8_, RBX, R13_, R14_, R15_, RBP
};

/* The frame below what is saved: arguments of helpers, jumps left, the program's stack. */
enum { ARGS_AT = 0, BUDGET_AT = 40, STACK_AT = 48, FRAME_BYTES = STACK_AT + VM_STACK_BYTES };
#define OP_BYTES_MOST 64		/* of one instruction */
#define ENDS_BYTES 128			/* of what is before and behind a program's */

struct emit {
	struct x86 x;
	const struct img_prog *prog;
	const struct vm_code *code;
	uint8_t **at;			/* of each instruction */
	uint8_t **jumps;		/* the distance that its jump has, to be filled in */
	bool *is_target;
	const struct vm_map *table;	/* in R1, if that is known */
	uint8_t *stops, *ends;		/* where a run ends that takes too long, and any */
	uint8_t *begins;
	unsigned int used;		/* bits: registers of the machine */
	uint32_t frame_bytes;		/* so that calls find the stack aligned to 16 */
};

/* ---- arithmetic ---- */

struct alu {
	const struct bpf_insn *in;
	bool wide, by_register;
	int dst, src;
};

/* which: the machine's number of the operation, by which its forms are made. */
static void alu_simple(struct emit *e, const struct alu *a, unsigned int which)
{
	if (a->by_register) {
		put_rr(&e->x, a->wide, which << 3 | 1, a->src, a->dst);
		return;
	}
	put_rr(&e->x, a->wide, 0x81, (int)which, a->dst);
	put32(&e->x, (uint32_t)a->in->imm);
}

static void alu_mov(struct emit *e, const struct alu *a, unsigned int which)
{
	(void)which;
	if (a->by_register)
		put_mov(&e->x, a->wide, a->dst, a->src);
	else
		put_imm(&e->x, a->dst, a->wide ? (uint64_t)(int64_t)a->in->imm : (uint32_t)a->in->imm);
}

static void alu_mul(struct emit *e, const struct alu *a, unsigned int which)
{
	(void)which;
	if (a->by_register) {
		put_rr(&e->x, a->wide, 0x0faf, a->dst, a->src);
		return;
	}
	put_rr(&e->x, a->wide, 0x69, a->dst, a->dst);
	put32(&e->x, (uint32_t)a->in->imm);
}

/* The machine wants rax and rdx, and that it is not by 0: that gives 0 (which: 0), or what
 * was to be divided as the rest (which: 1). */
static void alu_divide(struct emit *e, const struct alu *a, unsigned int which)
{
	uint8_t *by_zero, *done;

	put_mov(&e->x, a->wide, TEMP, a->dst);
	if (a->by_register)
		put_mov(&e->x, a->wide, OTHER, a->src);
	else
		put_imm(&e->x, OTHER, a->wide ? (uint64_t)(int64_t)a->in->imm : (uint32_t)a->in->imm);
	put8(&e->x, 0x50 | RAX);				/* push */
	put8(&e->x, 0x50 | RDX);
	put_rr(&e->x, a->wide, 0x85, OTHER, OTHER);		/* test */
	by_zero = put_jump(&e->x, JCC | CC_E);
	put_mov(&e->x, a->wide, RAX, TEMP);
	put_rr(&e->x, false, 0x31, RDX, RDX);		/* xor */
	put_rr(&e->x, a->wide, 0xf7, 6, OTHER);		/* div */
	put_mov(&e->x, a->wide, TEMP, which ? RDX : RAX);
	done = put_jump(&e->x, JMP);
	set_jump(by_zero, e->x.p);
	if (!which)
		put_rr(&e->x, false, 0x31, TEMP, TEMP);
	set_jump(done, e->x.p);
	put8(&e->x, 0x58 | RDX);				/* pop */
	put8(&e->x, 0x58 | RAX);
	put_mov(&e->x, a->wide, a->dst, TEMP);
}

/* By a register only rcx will do. */
static void alu_shift(struct emit *e, const struct alu *a, unsigned int which)
{
	if (!a->by_register) {
		if (!a->wide)
			put_mov(&e->x, false, a->dst, a->dst);
		put_rr(&e->x, a->wide, 0xc1, (int)which, a->dst);
		put8(&e->x, (unsigned int)a->in->imm & (a->wide ? 63 : 31));
		return;
	}
	put_mov(&e->x, a->wide, TEMP, a->dst);
	put_mov(&e->x, true, OTHER, RCX);
	put_mov(&e->x, true, RCX, a->src);
	put_rr(&e->x, a->wide, 0xd3, (int)which, TEMP);
	put_mov(&e->x, true, RCX, OTHER);
	put_mov(&e->x, a->wide, a->dst, TEMP);
}

static void alu_negate(struct emit *e, const struct alu *a, unsigned int which)
{
	put_rr(&e->x, a->wide, 0xf7, (int)which, a->dst);
}

/* To big-endian or, as the machine is, little-endian: the low imm bits. */
static void alu_bytes(struct emit *e, const struct alu *a, unsigned int which)
{
	bool big = BPF_SRC(a->in->code) == BPF_TO_BE;

	(void)which;
	if (a->in->imm == 16) {
		if (big) {
			put8(&e->x, 0x66);			/* ror by 8 */
			put_rr(&e->x, false, 0xc1, 1, a->dst);
			put8(&e->x, 8);
		}
		put_rr(&e->x, false, 0x0fb7, a->dst, a->dst);
	} else if (big) {				/* bswap */
		put_op(&e->x, a->in->imm != 32, false, 0x0fc8u | (unsigned int)(a->dst & 7), 0, a->dst);
	} else if (a->in->imm == 32) {
		put_mov(&e->x, false, a->dst, a->dst);
	}
}

static const struct {
	void (*put)(struct emit *e, const struct alu *a, unsigned int which);
	unsigned int which;
} alus[16] = {
	[BPF_ADD >> 4] = { alu_simple, 0 }, [BPF_OR >> 4] = { alu_simple, 1 },
	[BPF_AND >> 4] = { alu_simple, 4 }, [BPF_SUB >> 4] = { alu_simple, 5 },
	[BPF_XOR >> 4] = { alu_simple, 6 }, [BPF_MOV >> 4] = { alu_mov, 0 },
	[BPF_MUL >> 4] = { alu_mul, 0 }, [BPF_DIV >> 4] = { alu_divide, 0 },
	[BPF_MOD >> 4] = { alu_divide, 1 }, [BPF_LSH >> 4] = { alu_shift, 4 },
	[BPF_RSH >> 4] = { alu_shift, 5 }, [BPF_ARSH >> 4] = { alu_shift, 7 },
	[BPF_NEG >> 4] = { alu_negate, 3 }, [BPF_END >> 4] = { alu_bytes, 0 },
};

static bool put_alu(struct emit *e, const struct bpf_insn *in)
{
	const struct alu a = {
		.in = in, .wide = BPF_CLASS(in->code) == BPF_ALU64,
		.by_register = BPF_SRC(in->code) == BPF_X,
		.dst = registers[in->dst_reg], .src = registers[in->src_reg],
	};
	int op = BPF_OP(in->code) >> 4;

	if (!alus[op].put)
		return false;
	alus[op].put(e, &a, alus[op].which);
	return true;
}

/* ---- memory ---- */

/* By BPF_SIZE >> 3: W H B DW. */
static const struct {
	int bytes;
	unsigned int load, store, store_imm;
	bool wide;			/* what is loaded by that */
} sizes[4] = {
	{ 4, 0x8b, 0x89, 0xc7, false }, { 2, 0x0fb7, 0x89, 0xc7, false },
	{ 1, 0x0fb6, 0x88, 0xc6, false }, { 8, 0x8b, 0x89, 0xc7, true },
};

static void put_load(struct emit *e, const struct bpf_insn *in)
{
	int size = BPF_SIZE(in->code) >> 3;

	put_mem(&e->x, sizes[size].wide ? 8 : 4, sizes[size].load, registers[in->dst_reg],
		registers[in->src_reg], in->off);
}

static void put_store_imm(struct emit *e, const struct bpf_insn *in)
{
	int size = BPF_SIZE(in->code) >> 3, bytes = sizes[size].bytes;

	put_mem(&e->x, bytes, sizes[size].store_imm, 0, registers[in->dst_reg], in->off);
	for (int i = 0; i < (bytes < 4 ? bytes : 4); i++)
		put8(&e->x, (uint8_t)((uint32_t)in->imm >> (i * 8)));
}

/* One thread runs programs, so that nothing has to be atomic. */
static bool put_atomic(struct emit *e, const struct bpf_insn *in)
{
	static const struct {
		int imm;
		unsigned int op;
	} rows[] = {
		{ BPF_ADD, 0x01 }, { BPF_OR, 0x09 }, { BPF_AND, 0x21 }, { BPF_XOR, 0x31 },
		{ BPF_ADD | BPF_FETCH, 0x0fc1 }, { BPF_XCHG, 0x87 }, { BPF_CMPXCHG, 0x0fb1 },
	};
	int bytes = BPF_SIZE(in->code) == BPF_DW ? 8 : 4;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].imm != in->imm)
			continue;
		put_mem(&e->x, bytes, rows[i].op, registers[in->src_reg], registers[in->dst_reg],
			in->off);
		if (in->imm == BPF_CMPXCHG && bytes == 4)
			put_mov(&e->x, false, RAX, RAX);
		return true;
	}
	return false;
}

static bool put_store(struct emit *e, const struct bpf_insn *in)
{
	int size = BPF_SIZE(in->code) >> 3;

	if (BPF_MODE(in->code) == BPF_ATOMIC)
		return put_atomic(e, in);
	put_mem(&e->x, sizes[size].bytes, sizes[size].store, registers[in->src_reg],
		registers[in->dst_reg], in->off);
	return true;
}

/* ---- calls ---- */

/* The table is an array: its values are counted off. */
static void put_array_lookup(struct emit *e, const struct vm_map *m)
{
	uint8_t *outside, *done;

	put_mem(&e->x, 4, 0x8b, RAX, RSI, 0);
	put8(&e->x, 0x3d);					/* cmp eax */
	put32(&e->x, m->img->max_entries);
	outside = put_jump(&e->x, JCC | CC_AE);
	/* imul */
	put_rr(&e->x, true, 0x69, RAX, RAX);
	put32(&e->x, m->value_stride);
	put_imm(&e->x, TEMP, (uintptr_t)m->array);
	put_rr(&e->x, true, 0x01, TEMP, RAX);
	done = put_jump(&e->x, JMP);
	set_jump(outside, e->x.p);
	put_rr(&e->x, false, 0x31, RAX, RAX);
	set_jump(done, e->x.p);
}

/* What needs no more than the table that is known and the arguments where they are. */
static bool put_table_call(struct emit *e, int helper)
{
	const struct vm_map *m = e->table;

	if (!m)
		return false;
	if (helper == BPF_FUNC_map_lookup_elem && m->array && m->value_stride <= INT32_MAX)
		put_array_lookup(e, m);
	else if (helper == BPF_FUNC_map_lookup_elem)
		put_call(&e->x, (uintptr_t)vm_map_lookup);
	else if (helper == BPF_FUNC_map_update_elem)
		put_call(&e->x, (uintptr_t)vm_map_update);
	else if (helper == BPF_FUNC_map_delete_elem)
		put_call(&e->x, (uintptr_t)vm_map_delete);
	else
		return false;
	if (helper != BPF_FUNC_map_lookup_elem)
		put_rr(&e->x, true, 0x63, RAX, RAX);	/* an int, extended */
	return true;
}

static void put_helper(struct emit *e, int i)
{
	for (int k = R1; k <= R5; k++)
		put_mem(&e->x, 8, 0x89, registers[k], RSP, ARGS_AT + (k - R1) * 8);
	put_mov(&e->x, true, RDI, VM);
	put_mov(&e->x, true, RSI, RSP);
	put_call(&e->x, (uintptr_t)e->code->ops[i].helper);
	put_mem(&e->x, 8, 0x83, 7, VM, offsetof(struct vm, fault));	/* cmp */
	put8(&e->x, 0);
	set_jump(put_jump(&e->x, JCC | CC_NE), e->ends);
}

static void put_any_call(struct emit *e, int i)
{
	int helper = e->prog->insns[i].imm;

	if (helper == BPF_FUNC_ktime_get_ns) {
		put_mem(&e->x, 8, 0x8b, RAX, VM, offsetof(struct vm, record));
		put_mem(&e->x, 8, 0x8b, RAX, RAX, offsetof(struct record, time_ns));
	} else if (!put_table_call(e, helper)) {
		put_helper(e, i);
	}
	e->table = NULL;
}

/* ---- jumps ---- */

/* The condition by BPF_OP >> 4; 0: none. */
static const uint8_t conditions[16] = {
	[BPF_JEQ >> 4] = CC_E, [BPF_JNE >> 4] = CC_NE, [BPF_JSET >> 4] = CC_NE,
	[BPF_JGT >> 4] = CC_A, [BPF_JGE >> 4] = CC_AE, [BPF_JLT >> 4] = CC_B,
	[BPF_JLE >> 4] = CC_BE, [BPF_JSGT >> 4] = CC_G, [BPF_JSGE >> 4] = CC_GE,
	[BPF_JSLT >> 4] = CC_L, [BPF_JSLE >> 4] = CC_LE,
};

static void put_compare(struct emit *e, const struct bpf_insn *in)
{
	bool wide = BPF_CLASS(in->code) == BPF_JMP, test = BPF_OP(in->code) == BPF_JSET;
	int dst = registers[in->dst_reg];

	if (BPF_SRC(in->code) == BPF_X) {
		put_rr(&e->x, wide, test ? 0x85 : 0x39, registers[in->src_reg], dst);
		return;
	}
	put_rr(&e->x, wide, test ? 0xf7 : 0x81, test ? 0 : 7, dst);
	put32(&e->x, (uint32_t)in->imm);
}

static void put_any_jump(struct emit *e, int i)
{
	const struct bpf_insn *in = &e->prog->insns[i];
	unsigned int cc = conditions[BPF_OP(in->code) >> 4];
	uint8_t *not_taken = NULL;

	if (cc)
		put_compare(e, in);
	if (in->off >= 0) {
		e->jumps[i] = put_jump(&e->x, cc ? JCC | cc : JMP);
		return;
	}
	if (cc)
		not_taken = put_jump(&e->x, JCC | (cc ^ 1));
	put_mem(&e->x, 4, 0xff, 1, RSP, BUDGET_AT);		/* dec */
	set_jump(put_jump(&e->x, JCC | CC_S), e->stops);
	e->jumps[i] = put_jump(&e->x, JMP);
	if (not_taken)
		set_jump(not_taken, e->x.p);
}

/* ---- programs ---- */

static const uint8_t saved[] = { RBP, R12_, RBX, R13_, R14_, R15_ };
#define SAVED (int)sizeof(saved)

/* Which registers have to be saved, and what the frame takes. */
static void lay_frame(struct emit *e)
{
	int n = 1;			/* where it was called from */

	e->used = 1u << RBP | 1u << VM;
	for (int i = 0; i < e->prog->n_insns; i++)
		if (e->prog->insns[i].dst_reg <= R10)
			e->used |= 1u << registers[e->prog->insns[i].dst_reg];
	for (int i = 0; i < SAVED; i++)
		n += e->used >> saved[i] & 1;
	e->frame_bytes = FRAME_BYTES + (n % 2 ? 8 : 0);
}

static void put_end(struct emit *e)
{
	put_rr(&e->x, true, 0x81, 0, RSP);			/* add */
	put32(&e->x, e->frame_bytes);
	for (int i = SAVED - 1; i >= 0; i--)
		if (e->used >> saved[i] & 1)
			put_op(&e->x, false, false, 0x58u | (saved[i] & 7u), 0, saved[i]);
	put8(&e->x, 0xc3);
}

/* What is before the first instruction: where a run ends, and where it begins. */
static void put_begin(struct emit *e)
{
	static const char endless[] = "it does not end";

	e->stops = e->x.p;
	put_imm(&e->x, RAX, (uintptr_t)endless);
	put_mem(&e->x, 8, 0x89, RAX, VM, offsetof(struct vm, fault));
	e->ends = e->x.p;
	put_end(e);
	e->begins = e->x.p;
	for (int i = 0; i < SAVED; i++)
		if (e->used >> saved[i] & 1)
			put_op(&e->x, false, false, 0x50u | (saved[i] & 7u), 0, saved[i]);
	put_rr(&e->x, true, 0x81, 5, RSP);			/* sub */
	put32(&e->x, e->frame_bytes);
	put_mem(&e->x, 8, 0x8d, RBP, RSP, FRAME_BYTES);	/* lea */
	put_mov(&e->x, true, VM, RSI);
	put_mem(&e->x, 4, 0xc7, 0, RSP, BUDGET_AT);
	put32(&e->x, VM_BUDGET);
}

static bool put_insn(struct emit *e, int i)
{
	const struct bpf_insn *in = &e->prog->insns[i];

	switch (BPF_CLASS(in->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return put_alu(e, in);
	case BPF_LDX:
		put_load(e, in);
		return true;
	case BPF_ST:
		put_store_imm(e, in);
		return true;
	case BPF_STX:
		return put_store(e, in);
	case BPF_LD:
		put_imm(&e->x, registers[in->dst_reg], (uint64_t)e->code->ops[i].imm);
		return true;
	default:
		if (insn_is_call(in))
			put_any_call(e, i);
		else if (insn_is_exit(in))
			set_jump(put_jump(&e->x, JMP), e->ends);
		else
			put_any_jump(e, i);
		return true;
	}
}

/* Before instruction i: which table R1 has. */
static void note_table(struct emit *e, int i)
{
	const struct bpf_insn *in = &e->prog->insns[i];

	if (insn_is_ld_imm64(in) && in->dst_reg == R1 &&
	    in->src_reg == BPF_PSEUDO_MAP_FD)
		e->table = (const struct vm_map *)(uintptr_t)e->code->ops[i].imm;
	else if (e->is_target[i] || in->dst_reg == R1 || in->src_reg == R1)
		e->table = NULL;
}

static bool is_jump(const struct bpf_insn *in)
{
	return insn_is_goto(in) || insn_is_branch(in);
}

/* False: it has something that is not here. */
static bool put_program(struct emit *e)
{
	const struct bpf_insn *in = e->prog->insns;
	int n = e->prog->n_insns;

	e->table = NULL;
	memset(e->is_target, 0, (size_t)n);
	for (int i = 0; i < n; i += insn_slots(&in[i]))
		if (is_jump(&in[i]))
			e->is_target[i + 1 + in[i].off] = true;
	lay_frame(e);
	put_begin(e);
	for (int i = 0; i < n; i += insn_slots(&in[i])) {
		note_table(e, i);
		e->at[i] = e->x.p;
		if (!put_insn(e, i))
			return false;
	}
	for (int i = 0; i < n; i += insn_slots(&in[i]))
		if (is_jump(&in[i]))
			set_jump(e->jumps[i], e->at[i + 1 + in[i].off]);
	return true;
}

void vm_native_make(struct vm_native *n, struct vm_code *const *codes, int n_codes)
{
	struct emit e = { 0 };
	size_t longest = 0;

	for (int i = 0; i < n_codes; i++) {
		size_t insns = (size_t)codes[i]->n;

		n->bytes += ENDS_BYTES + insns * OP_BYTES_MOST;
		longest = insns > longest ? insns : longest;
	}
	n->map = n->bytes ? mmap(NULL, n->bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
	if (n->map == MAP_FAILED) {
		n->map = NULL;
		return;
	}
	e.x.p = n->map;
	e.at = xcalloc(longest, sizeof(*e.at));
	e.jumps = xcalloc(longest, sizeof(*e.jumps));
	e.is_target = xcalloc(longest, sizeof(*e.is_target));
	for (int i = 0; i < n_codes; i++) {
		uint8_t *from = e.x.p;

		e.code = codes[i];
		e.prog = codes[i]->prog;
		if (put_program(&e))
			memcpy(&codes[i]->native, &e.begins, sizeof(e.begins));
		else
			e.x.p = from;
		assert((size_t)(e.x.p - from) <= ENDS_BYTES + (size_t)codes[i]->n * OP_BYTES_MOST);
	}
	free(e.at);
	free(e.jumps);
	free(e.is_target);
	if (mprotect(n->map, n->bytes, PROT_READ | PROT_EXEC))
		for (int i = 0; i < n_codes; i++)
			codes[i]->native = NULL;
}

void vm_native_fini(struct vm_native *n)
{
	if (n->map)
		munmap(n->map, n->bytes);
}

#else

void vm_native_make(struct vm_native *n, struct vm_code *const *codes, int n_codes)
{
	(void)n, (void)codes, (void)n_codes;
}

void vm_native_fini(struct vm_native *n)
{
	(void)n;
}

#endif
