/*
 * interp: runs BPF instructions in this process.
 *
 * Instructions are decoded once into operations with one code each, their tables'
 * addresses and helpers put in; running is one indirect jump an operation. It knows
 * the instructions that bpf/asm.c can emit and their 32-bit forms; tables and helpers
 * are in map.c and helper.c. A new instruction is a row of a list here.
 *
 * Programs come from our own generator, so that addresses are taken as they are; a
 * checked run verifies each, and where values come from (taint.c). The number of jumps taken is bounded in every run.
 */
#include <endian.h>
#include <errno.h>

#include "vm/vm.h"

/* Value of dst after the operation: U unsigned, S signed, BITS of both; d and s. */
#define ALU_LIST(X)						\
	X(ADD, d + s) X(SUB, d - s) X(MUL, d * s)		\
	X(DIV, s ? d / s : 0) X(MOD, s ? d % s : d)		\
	X(OR, d | s) X(AND, d & s) X(XOR, d ^ s) X(MOV, s)	\
	X(LSH, d << (s & (BITS - 1))) X(RSH, d >> (s & (BITS - 1))) \
	X(ARSH, (U)((S)d >> (s & (BITS - 1))))

/* When the jump is taken. */
#define JUMP_LIST(X)						\
	X(JEQ, d == s) X(JNE, d != s) X(JSET, (d & s) != 0)	\
	X(JGT, d > s) X(JGE, d >= s) X(JLT, d < s) X(JLE, d <= s) \
	X(JSGT, (S)d > (S)s) X(JSGE, (S)d >= (S)s)		\
	X(JSLT, (S)d < (S)s) X(JSLE, (S)d <= (S)s)

#define SIZE_LIST(X) X(B, uint8_t) X(H, uint16_t) X(W, uint32_t) X(DW, uint64_t)

/* Operations with one form. */
#define OTHER_LIST(X)						\
	X(NEG64, BPF_ALU64 | BPF_NEG) X(NEG32, BPF_ALU | BPF_NEG) \
	X(BE, BPF_ALU | BPF_END | BPF_TO_BE) X(LE, BPF_ALU | BPF_END | BPF_TO_LE) \
	X(JA, BPF_JMP | BPF_JA) X(CALL, BPF_JMP | BPF_CALL) X(EXIT, BPF_JMP | BPF_EXIT) \
	X(LDIMM64, BPF_LD | BPF_DW | BPF_IMM)			\
	X(ATOMIC64, BPF_STX | BPF_ATOMIC | BPF_DW) X(ATOMIC32, BPF_STX | BPF_ATOMIC | BPF_W)

/* Each operation's name and the instruction code that it is. */
#define ALU_ROWS(op, ...) \
	ROW(op##64K, BPF_ALU64 | BPF_##op | BPF_K) ROW(op##64X, BPF_ALU64 | BPF_##op | BPF_X) \
	ROW(op##32K, BPF_ALU | BPF_##op | BPF_K) ROW(op##32X, BPF_ALU | BPF_##op | BPF_X)
#define JUMP_ROWS(op, ...) \
	ROW(op##64K, BPF_JMP | BPF_##op | BPF_K) ROW(op##64X, BPF_JMP | BPF_##op | BPF_X) \
	ROW(op##32K, BPF_JMP32 | BPF_##op | BPF_K) ROW(op##32X, BPF_JMP32 | BPF_##op | BPF_X)
#define SIZE_ROWS(size, ...) \
	ROW(LDX##size, BPF_LDX | BPF_MEM | BPF_##size) ROW(ST##size, BPF_ST | BPF_MEM | BPF_##size) \
	ROW(STX##size, BPF_STX | BPF_MEM | BPF_##size)
#define OTHER_ROWS(op, code) ROW(op, code)
#define ALL_ROWS \
	ALU_LIST(ALU_ROWS) JUMP_LIST(JUMP_ROWS) SIZE_LIST(SIZE_ROWS) OTHER_LIST(OTHER_ROWS)

enum op_code {
	RP_UNKNOWN,
#define ROW(name, code) RP_##name,
	ALL_ROWS
#undef ROW
	RP_CODES
};

static const uint16_t op_codes[256] = {
#define ROW(name, code) [code] = RP_##name,
	ALL_ROWS
#undef ROW
};

/* ---- decoding ---- */

static int op_error(struct err *e, const struct img_prog *p, int at, const char *what, int n)
{
	return err_push(e, -EINVAL, "program %s, instruction %d: %s %d", p->name, at, what, n);
}

static int decode_ld_imm64(struct vm_op *op, const struct img_prog *p, int at, struct vm *vm,
			   struct err *e)
{
	const struct bpf_insn *i = &p->insns[at];
	uint64_t imm = (uint32_t)i[0].imm | (uint64_t)(uint32_t)i[1].imm << 32;
	const struct vm_map *m;

	if (i->src_reg == 0) {
		op->imm = (int64_t)imm;
		return 0;
	}
	if (i->imm < 0 || i->imm >= vm->n_maps)
		return op_error(e, p, at, "no table", i->imm);
	m = &vm->maps[i->imm];
	if (i->src_reg == BPF_PSEUDO_MAP_FD)
		op->imm = (int64_t)(uintptr_t)m;
	else if (i->src_reg != BPF_PSEUDO_MAP_VALUE || !m->array ||
		 (uint32_t)i[1].imm >= m->value_bytes)
		return op_error(e, p, at, "no value in table", i->imm);
	else
		op->imm = (int64_t)(uintptr_t)(m->array + i[1].imm);
	return 0;
}

static int decode(struct vm_op *op, const struct img_prog *p, int at, struct vm *vm,
		  struct err *e)
{
	const struct bpf_insn *i = &p->insns[at];
	int class = BPF_CLASS(i->code);

	*op = (struct vm_op){ .code = op_codes[i->code], .dst = i->dst_reg, .src = i->src_reg,
			      .off = i->off, .imm = i->imm };
	if (op->code == RP_UNKNOWN || i->dst_reg > R10 ||
	    (i->src_reg > R10 && op->code != RP_LDIMM64))
		return op_error(e, p, at, "unknown code", i->code);
	if (op->code == RP_LDIMM64)
		return at + 1 < p->n_insns ? decode_ld_imm64(op, p, at, vm, e) :
					     op_error(e, p, at, "incomplete code", i->code);
	if (op->code == RP_CALL) {
		op->helper = i->src_reg ? NULL : vm_helper_find(i->imm);
		return op->helper ? 0 : op_error(e, p, at, "no helper", i->imm);
	}
	if ((class == BPF_JMP || class == BPF_JMP32) && op->code != RP_EXIT &&
	    (at + 1 + i->off < 0 || at + 1 + i->off >= p->n_insns))
		return op_error(e, p, at, "jump out of the program to", at + 1 + i->off);
	return 0;
}

int vm_code_init(struct arena *a, struct vm_code *c, const struct img_prog *p, struct vm *vm,
		 struct err *e)
{
	int last = p->n_insns - 1;

	*c = (struct vm_code){ .name = p->name, .prog = p, .insns = p->insns, .n = p->n_insns,
			       .ops = arena_array(a, struct vm_op, p->n_insns) };
	for (int i = 0; i < c->n; i++) {
		int err = decode(&c->ops[i], p, i, vm, e);

		if (err)
			return err;
		i += c->ops[i].code == RP_LDIMM64;
	}
	if (last < 0 || (c->ops[last].code != RP_EXIT && c->ops[last].code != RP_JA))
		return op_error(e, p, last, "runs past its end, code", last);
	return 0;
}

/* ---- running ---- */

#define FETCH(T) \
static uint64_t atomic_##T(T *at, uint64_t *r, int src, int op) \
{ \
	T old, s = (T)r[src], value; \
\
	memcpy(&old, at, sizeof(old)); \
	value = op == BPF_XCHG ? s : \
		op == BPF_CMPXCHG ? (old == (T)r[R0] ? s : old) : \
		(op & ~BPF_FETCH) == BPF_ADD ? old + s : \
		(op & ~BPF_FETCH) == BPF_OR ? old | s : \
		(op & ~BPF_FETCH) == BPF_AND ? (old & s) : old ^ s; \
	memcpy(at, &value, sizeof(value)); \
	if (op == BPF_CMPXCHG) \
		r[R0] = old; \
	else if (op & BPF_FETCH) \
		r[src] = old; \
	return 0; \
}
FETCH(uint64_t)
FETCH(uint32_t)

static uint64_t to_endian(uint64_t v, int bits, bool big)
{
	if (bits == 16)
		return big ? htobe16((uint16_t)v) : htole16((uint16_t)v);
	if (bits == 32)
		return big ? htobe32((uint32_t)v) : htole32((uint32_t)v);
	return big ? htobe64(v) : htole64(v);
}

#define TYPES(bits)							\
	typedef uint##bits##_t U __attribute__((unused));		\
	typedef int##bits##_t S __attribute__((unused));		\
	enum { BITS = bits }

#define NEXT goto *go[(++op)->code]
#define ALU(name, bits, source, expr)					\
do_##name: {								\
	TYPES(bits);							\
	U d = (U)r[op->dst], s = (U)(source);				\
	(void)d;							\
	r[op->dst] = (U)(expr);						\
	NEXT;								\
}
#define ALU_CODE(op_, expr)						\
	ALU(op_##64K, 64, op->imm, expr) ALU(op_##64X, 64, r[op->src], expr) \
	ALU(op_##32K, 32, op->imm, expr) ALU(op_##32X, 32, r[op->src], expr)

#define JUMP(name, bits, source, expr)					\
do_##name: {								\
	TYPES(bits);							\
	U d = (U)r[op->dst], s = (U)(source);				\
	if (expr)							\
		goto do_JA;						\
	NEXT;								\
}
#define JUMP_CODE(op_, expr)						\
	JUMP(op_##64K, 64, op->imm, expr) JUMP(op_##64X, 64, r[op->src], expr) \
	JUMP(op_##32K, 32, op->imm, expr) JUMP(op_##32X, 32, r[op->src], expr)

#define ONE(name, statement) do_##name: statement; NEXT;

/* at = register + offset; out of what a checked run may touch: fault. */
#define ADDRESS(reg, bytes, write)					\
	uint64_t at = r[reg] + (uint64_t)(int64_t)op->off;		\
	if (__builtin_expect(vm->checked, 0) && !vm_may(vm, at, bytes, write)) \
		goto bad_address;

#define SIZE_CODE(size, T)						\
do_LDX##size: {								\
	T v;								\
	ADDRESS(op->src, sizeof(T), false)				\
	memcpy(&v, (const void *)(uintptr_t)at, sizeof(v));		\
	r[op->dst] = v;							\
	NEXT;								\
}									\
do_ST##size: {								\
	T v = (T)op->imm;						\
	ADDRESS(op->dst, sizeof(T), true)				\
	memcpy((void *)(uintptr_t)at, &v, sizeof(v));			\
	NEXT;								\
}									\
do_STX##size: {								\
	T v = (T)r[op->src];						\
	ADDRESS(op->dst, sizeof(T), true)				\
	memcpy((void *)(uintptr_t)at, &v, sizeof(v));			\
	NEXT;								\
}

/* A checked run finds what relies on arguments after a call. */
static void lose_arguments(const struct vm *vm, uint64_t *r)
{
	if (vm->checked)
		for (int i = R1; i <= R5; i++)
			r[i] = 0xdeadbeef00000000 + (unsigned int)i;
}

static bool run(const struct vm_code *c, struct vm *vm, uint64_t *r)
{
	static const void *const labels[] = {
		&&do_UNKNOWN,
#define ROW(name, code) &&do_##name,
		ALL_ROWS
#undef ROW
	};
	static const void *const checks[] = { [0 ... RP_CODES - 1] = &&do_check };
	const void *const *go = vm->checked ? checks : labels;
	const struct vm_op *op = c->ops;
	int budget = VM_BUDGET;

	goto *go[op->code];
do_check:				/* of each operation of a checked run */
	if (taint_step(vm, &c->insns[op - c->ops], r))
		goto *labels[op->code];
	return false;
	ALU_LIST(ALU_CODE)
	JUMP_LIST(JUMP_CODE)
	SIZE_LIST(SIZE_CODE)
	ONE(NEG64, r[op->dst] = -r[op->dst])
	ONE(NEG32, r[op->dst] = (uint32_t)-(uint32_t)r[op->dst])
	ONE(BE, r[op->dst] = to_endian(r[op->dst], (int)op->imm, true))
	ONE(LE, r[op->dst] = to_endian(r[op->dst], (int)op->imm, false))
	ONE(LDIMM64, r[op->dst] = (uint64_t)op->imm; op++)
do_ATOMIC64: {
	ADDRESS(op->dst, 8, true)
	atomic_uint64_t((uint64_t *)(uintptr_t)at, r, op->src, (int)op->imm);
	NEXT;
}
do_ATOMIC32: {
	ADDRESS(op->dst, 4, true)
	atomic_uint32_t((uint32_t *)(uintptr_t)at, r, op->src, (int)op->imm);
	NEXT;
}
do_JA:
	op += op->off;
	if (--budget >= 0)
		NEXT;
	vm->fault = "it does not end";
	return false;
do_CALL:
	r[R0] = op->helper(vm, &r[R1]);
	lose_arguments(vm, r);
	if (__builtin_expect(!vm->fault, 1))
		NEXT;
	return false;
bad_address:
	vm->fault = "a load or store outside its memory";
	return false;
do_UNKNOWN:
	vm->fault = "an unknown instruction";
	return false;
do_EXIT:
	return true;
}

/* What the program may touch from its begin on. */
static void grant_all(struct vm *vm, const uint64_t *stack, const void *ctx, uint64_t ctx_bytes)
{
	vm->n_regions = 0;
	vm_grant(vm, stack, VM_STACK_BYTES, true);
	vm_grant(vm, ctx, ctx_bytes, false);
	for (int i = 0; i < vm->n_maps; i++)	/* what BPF_PSEUDO_MAP_VALUE gives */
		if (vm->maps[i].img->type == BPF_MAP_TYPE_ARRAY)
			vm_grant(vm, vm->maps[i].array, vm->maps[i].value_bytes, true);
}

bool vm_code_interpret(const struct vm_code *c, struct vm *vm, const void *ctx,
		       uint64_t ctx_bytes)
{
	uint64_t stack[VM_STACK_BYTES / 8];
	uint64_t r[R10 + 1];

	if (__builtin_expect(vm->checked, 0)) {
		memset(stack, 0xa5, sizeof(stack));
		memset(r, 0xa5, sizeof(r));
		grant_all(vm, stack, ctx, ctx_bytes);
		taint_begin(vm, stack);
	}
	r[R1] = (uint64_t)(uintptr_t)ctx;
	r[R10] = (uint64_t)(uintptr_t)stack + sizeof(stack);
	return run(c, vm, r);
}
