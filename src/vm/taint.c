/*
 * taint: what a checked run knows of its values: which are addresses of this process (the frame,
 * the context, tables, a task, the event's texts), which were never written.
 *
 * Reading what was not written ends the run, as the verifier would refuse it; so does an address
 * that is stored in a table, in a task or in a printed row, or is part of a key: it would get into
 * a result. What events tell (also addresses of the traced system) are numbers, and so is
 * how far two addresses are apart.
 */
#include "bpf/insn.h"
#include "vm/vm.h"

enum { UNWRITTEN = 1, ADDRESS = 2 };

static const char unwritten[] = "a register is read that was not written";
static const char escapes[] = "an address of this process is stored in a table or a row";
static const char unwritten_word[] = "bytes of its frame that were not written get out of it";

void taint_begin(struct vm *vm, const void *frame)
{
	struct taint *t = &vm->taint;

	memset(t->regs, UNWRITTEN, sizeof(t->regs));
	memset(t->frame, UNWRITTEN, sizeof(t->frame));
	t->regs[R1] = t->regs[R10] = ADDRESS;
	t->frame_at = (uint64_t)(uintptr_t)frame;
}

/* The bytes of the frame at this address; NULL: they are not in it. */
static uint8_t *frame_bytes(struct vm *vm, uint64_t at, uint64_t bytes)
{
	uint64_t off = at - vm->taint.frame_at;

	return off < VM_STACK_BYTES && bytes <= VM_STACK_BYTES - off ? vm->taint.frame + off : NULL;
}

static uint8_t any(const uint8_t *p, uint64_t n)
{
	uint8_t all = 0;

	for (uint64_t i = 0; p && i < n; i++)
		all |= p[i];
	return all;
}

/* An event's text is where a reader keeps it. */
static uint8_t of_context(const struct vm *vm, uint64_t at)
{
	const struct record *rec = vm->record;
	uint64_t word = rec ? (at - (uint64_t)(uintptr_t)rec->words) / 8 : RECORD_WORDS;

	return word < RECORD_WORDS && (rec->strings & rec->valid & RECORD_BIT(word)) ? ADDRESS : 0;
}

static uint8_t loaded(struct vm *vm, uint64_t at, uint64_t bytes)
{
	const uint8_t *p = frame_bytes(vm, at, bytes);

	return p ? any(p, bytes) : of_context(vm, at);
}

static bool stored(struct vm *vm, uint64_t at, uint64_t bytes, uint8_t taint)
{
	uint8_t *p = frame_bytes(vm, at, bytes);

	if (p)
		memset(p, taint, bytes);
	else if (taint)
		vm->fault = escapes;
	return !vm->fault;
}

bool taint_given(struct vm *vm, uint64_t at, uint64_t bytes)
{
	uint8_t taint = any(frame_bytes(vm, at, bytes), bytes);

	if (taint)
		vm->fault = taint & ADDRESS ? escapes : unwritten_word;
	return !taint;
}

void taint_filled(struct vm *vm, uint64_t at, uint64_t bytes)
{
	uint8_t *p = frame_bytes(vm, at, bytes);

	if (p)
		memset(p, 0, bytes);
}

static uint8_t returned(const struct bpf_insn *call)
{
	switch (call->imm) {
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_task_storage_get:
	case BPF_FUNC_ringbuf_reserve:
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf:
		return ADDRESS;
	}
	return 0;
}

static uint8_t computed(const struct vm *vm, const struct bpf_insn *i)
{
	uint8_t d = vm->taint.regs[i->dst_reg], s = vm->taint.regs[i->src_reg];
	int op = BPF_OP(i->code);

	if (op == BPF_END || op == BPF_NEG)
		return d;
	if (!insn_has_source(i))
		s = 0;
	if (op == BPF_MOV)
		return s;
	return op == BPF_SUB && d == ADDRESS && s == ADDRESS ? 0 : d | s;
}

/* Of a helper that it does not know insn says that it reads all five. */
static bool reads_unwritten(const struct vm *vm, const struct bpf_insn *i)
{
	uint32_t read = insn_regs_read(i);

	if (insn_is_call(i) && (read & INSN_REG(R5)))
		return false;
	for (int r = R0; r <= R10; r++)
		if ((read & INSN_REG(r)) && (vm->taint.regs[r] & UNWRITTEN))
			return true;
	return false;
}

static bool store(struct vm *vm, const struct bpf_insn *i, const uint64_t *r)
{
	uint8_t *regs = vm->taint.regs;
	uint64_t at = r[i->dst_reg] + (uint64_t)(int64_t)i->off, bytes = (uint64_t)insn_bytes(i);
	uint8_t taint = BPF_CLASS(i->code) == BPF_STX ? regs[i->src_reg] : 0;

	if (insn_is_atomic(i)) {
		uint8_t was = loaded(vm, at, bytes);

		if (i->imm & BPF_FETCH)
			regs[i->imm == BPF_CMPXCHG ? R0 : i->src_reg] = was;
		taint |= i->imm == BPF_XCHG ? 0 : was;
	}
	return stored(vm, at, bytes, taint);
}

bool taint_step(struct vm *vm, const struct bpf_insn *i, const uint64_t *r)
{
	uint8_t *regs = vm->taint.regs;

	if (reads_unwritten(vm, i)) {
		vm->fault = unwritten;
		return false;
	}
	if (insn_is_store(i) || insn_is_atomic(i))
		return store(vm, i, r);
	if (insn_is_load(i)) {
		regs[i->dst_reg] = loaded(vm, r[i->src_reg] + (uint64_t)(int64_t)i->off,
					  (uint64_t)insn_bytes(i));
	} else if (insn_is_ld_imm64(i)) {
		regs[i->dst_reg] = i->src_reg ? ADDRESS : 0;
	} else if (insn_is_alu(i)) {
		regs[i->dst_reg] = computed(vm, i);
	} else if (insn_is_call(i)) {
		memset(&regs[R1], UNWRITTEN, R5 - R1 + 1);
		regs[R0] = returned(i);
	}
	return true;
}
