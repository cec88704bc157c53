/* What an instruction is and does. */
#include "bpf/insn.h"

#include "bpf/asm.h"

#define ARGUMENTS (INSN_REG(R1) | INSN_REG(R2) | INSN_REG(R3) | INSN_REG(R4) | INSN_REG(R5))

/* Arguments of the helpers that are called most; of others all five are taken as read. */
static const struct { uint8_t helper, arguments; } helpers[] = {
	{ BPF_FUNC_map_lookup_elem, 2 }, { BPF_FUNC_map_update_elem, 4 },
	{ BPF_FUNC_map_delete_elem, 2 }, { BPF_FUNC_ktime_get_ns, 0 },
	{ BPF_FUNC_get_smp_processor_id, 0 }, { BPF_FUNC_get_current_pid_tgid, 0 },
	{ BPF_FUNC_get_current_uid_gid, 0 }, { BPF_FUNC_get_current_comm, 2 },
	{ BPF_FUNC_get_current_cgroup_id, 0 }, { BPF_FUNC_get_current_task_btf, 0 },
	{ BPF_FUNC_probe_read_kernel, 3 }, { BPF_FUNC_probe_read_user, 3 },
	{ BPF_FUNC_probe_read_kernel_str, 3 }, { BPF_FUNC_probe_read_user_str, 3 },
	{ BPF_FUNC_get_stack, 4 }, { BPF_FUNC_task_storage_get, 4 },
	{ BPF_FUNC_ringbuf_reserve, 3 }, { BPF_FUNC_ringbuf_submit, 2 },
	{ BPF_FUNC_ringbuf_output, 4 }, { BPF_FUNC_task_pt_regs, 1 },
	{ BPF_FUNC_get_ns_current_pid_tgid, 4 }, { BPF_FUNC_get_func_ip, 1 },
};

static uint32_t arguments_of(const struct bpf_insn *call)
{
	if (call->src_reg == 0)
		for (size_t k = 0; k < sizeof(helpers) / sizeof(helpers[0]); k++)
			if (helpers[k].helper == call->imm)
				return (INSN_REG(R1 + helpers[k].arguments) - 1) & ~INSN_REG(R0);
	return ARGUMENTS;
}

uint32_t insn_regs_read(const struct bpf_insn *i)
{
	if (insn_is_call(i))
		return arguments_of(i);
	if (insn_is_exit(i))
		return INSN_REG(R0);
	if (insn_is_ld_imm64(i) || insn_is_goto(i) || insn_is_mov(i, BPF_K) ||
	    i->code == (BPF_ALU | BPF_MOV | BPF_K))
		return 0;
	if (insn_is_load(i))
		return INSN_REG(i->src_reg);
	if (insn_is_alu(i) && BPF_OP(i->code) == BPF_MOV)
		return INSN_REG(i->src_reg);
	if (insn_is_alu(i) && (BPF_OP(i->code) == BPF_END || BPF_OP(i->code) == BPF_NEG))
		return INSN_REG(i->dst_reg);
	if (insn_is_atomic(i))
		return INSN_REG(i->dst_reg) | INSN_REG(i->src_reg) | (i->imm == BPF_CMPXCHG ? INSN_REG(R0) : 0);
	if (BPF_CLASS(i->code) == BPF_STX || (BPF_CLASS(i->code) != BPF_ST && insn_has_source(i)))
		return INSN_REG(i->dst_reg) | INSN_REG(i->src_reg);
	return INSN_REG(i->dst_reg);
}

uint32_t insn_regs_written(const struct bpf_insn *i)
{
	if (insn_is_call(i))
		return INSN_REG(R0) | ARGUMENTS;
	if (insn_is_ld_imm64(i) || insn_is_load(i) || insn_is_alu(i))
		return INSN_REG(i->dst_reg);
	if (insn_is_atomic(i) && i->imm == BPF_CMPXCHG)
		return INSN_REG(R0);
	if (insn_is_atomic(i) && (i->imm & BPF_FETCH))
		return INSN_REG(i->src_reg);
	return 0;
}

int insn_bytes(const struct bpf_insn *i)
{
	return BPF_SIZE(i->code) == BPF_DW ? 8 : BPF_SIZE(i->code) == BPF_W ? 4 :
	       BPF_SIZE(i->code) == BPF_H ? 2 : 1;
}

/* The words of the frame that a load or store through R10 touches. */
uint64_t insn_words(const struct bpf_insn *i)
{
	int base = insn_is_load(i) ? i->src_reg : i->dst_reg;
	int at = i->off + INSN_FRAME_BYTES, first = at / 8, last = (at + insn_bytes(i) - 1) / 8;
	uint64_t words = 0;

	if (base != R10 || !(insn_is_load(i) || insn_is_store(i) || insn_is_atomic(i)))
		return 0;
	for (int w = first; w <= last && w < INSN_FRAME_WORDS; w++)
		words |= w >= 0 ? 1ull << w : 0;
	return words;
}

bool insn_fills_word(const struct bpf_insn *i)
{
	return insn_is_store(i) && insn_bytes(i) == 8 && i->off % 8 == 0;
}
