/*
 * insn: what an instruction is, and which registers and words of the frame it reads and
 * writes.
 */
#ifndef BPF_INSN_H
#define BPF_INSN_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#define INSN_REG(r) (1u << (r))
#define INSN_FRAME_WORDS 64
#define INSN_FRAME_BYTES (8 * INSN_FRAME_WORDS)

static inline bool insn_is_ld_imm64(const struct bpf_insn *i)
{
	return i->code == (BPF_LD | BPF_DW | BPF_IMM);
}

/* Of 8 bytes each. */
static inline int insn_slots(const struct bpf_insn *i)
{
	return 1 + insn_is_ld_imm64(i);
}

static inline bool insn_is_alu(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_ALU || BPF_CLASS(i->code) == BPF_ALU64;
}

/* source: BPF_X, BPF_K; 64 bit, of which no sign is extended */
static inline bool insn_is_mov(const struct bpf_insn *i, int source)
{
	return i->code == (BPF_ALU64 | BPF_MOV | source) && !i->off;
}

static inline bool insn_is_goto(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_JA);
}

static inline bool insn_is_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL);
}

static inline bool insn_is_exit(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_EXIT);
}

/* A jump with a condition. */
static inline bool insn_is_branch(const struct bpf_insn *i)
{
	int class = BPF_CLASS(i->code);

	return class == BPF_JMP32 ||
	       (class == BPF_JMP && !insn_is_goto(i) && !insn_is_call(i) && !insn_is_exit(i));
}

static inline bool insn_is_load(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_LDX;
}

static inline bool insn_is_atomic(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_STX && BPF_MODE(i->code) == BPF_ATOMIC;
}

/* Of a register or a number, no atomic one. */
static inline bool insn_is_store(const struct bpf_insn *i)
{
	return BPF_CLASS(i->code) == BPF_ST || (BPF_CLASS(i->code) == BPF_STX && !insn_is_atomic(i));
}

static inline bool insn_has_source(const struct bpf_insn *i)
{
	return BPF_SRC(i->code) == BPF_X;
}

uint32_t insn_regs_read(const struct bpf_insn *i);	/* INSN_REG of each */
uint32_t insn_regs_written(const struct bpf_insn *i);
int insn_bytes(const struct bpf_insn *i);
uint64_t insn_words(const struct bpf_insn *i);	/* of the frame, that it reads or writes through R10 */
bool insn_fills_word(const struct bpf_insn *i);	/* a store of all 8 bytes of such a word */

#endif
