/*
 * asm: an assembler for BPF with labels, fix-ups and a sticky error.
 *
 * Every emitter is void: after a mistake (no room, label bound twice, jump
 * too far) the rest does nothing and as_finish says what was wrong. Jumps are
 * forward or backward; a 16-bit offset that does not reach is an error.
 * Instruction set: kernel Documentation/bpf/standardization/instruction-set.rst.
 */
#ifndef BPF_ASM_H
#define BPF_ASM_H

#include <linux/bpf.h>
#include <stdint.h>

#include "base/diag.h"

/* R0 result and scratch, R1-R5 arguments (lost at a call), R6-R9 kept, R10 frame. */
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

#define AS_INSNS_MOST 65536

struct as;
typedef int as_label;

/* One note an instruction: the block it belongs to, for the disassembly and for
 * a verifier's rejection. */
struct as_note {
	struct loc loc;			/* query text; may be none */
	const char *what;		/* "end: find the begin", or NULL: as before */
};

struct as *as_new(struct arena *a);
/* as_finish makes the code shorter where it can (peephole.h). */
void as_shorten(struct as *as);
/* Something of so many bytes is in the frame, at an offset below 0: its address leads nowhere
 * else. Of what is not told it may lead anywhere above. */
void as_frame(struct as *as, int off, int bytes);
as_label as_new_label(struct as *as);
void as_bind(struct as *as, as_label l);
void as_note(struct as *as, struct loc loc, const char *what);	/* from here on */

/* op: BPF_ADD BPF_SUB BPF_MUL BPF_DIV BPF_MOD BPF_AND BPF_OR BPF_XOR BPF_LSH BPF_RSH BPF_ARSH BPF_MOV */
void as_alu(struct as *as, int op, int dst, int src);			/* 64 bit */
void as_alu_imm(struct as *as, int op, int dst, int32_t imm);
void as_alu32(struct as *as, int op, int dst, int src);			/* upper half becomes 0 */
void as_alu32_imm(struct as *as, int op, int dst, int32_t imm);
void as_neg(struct as *as, int dst);
void as_bswap(struct as *as, int dst, int bits);			/* to big endian */
void as_mov(struct as *as, int dst, int src);
void as_imm(struct as *as, int dst, int64_t imm);	/* mov, or ld_imm64 where needed */
void as_map(struct as *as, int dst, int map);		/* image map number: BPF_PSEUDO_MAP_FD */
void as_map_value(struct as *as, int dst, int map, int32_t off);	/* BPF_PSEUDO_MAP_VALUE */
/* dst = the function that begins at the label, for a helper to call: BPF_PSEUDO_FUNC. It
 * stands behind the program's end, which nothing runs into. */
void as_callback(struct as *as, int dst, as_label function);

/* bytes: 1 2 4 8 */
void as_load(struct as *as, int bytes, int dst, int src, int off);
void as_store(struct as *as, int bytes, int dst, int off, int src);
void as_store_imm(struct as *as, int bytes, int dst, int off, int32_t imm);
/* *(u64 *)(dst + off) op= src. op: BPF_ADD BPF_OR ..., with BPF_FETCH src gets the
 * old value; BPF_CMPXCHG compares with R0 (5.12). */
void as_atomic(struct as *as, int op, int dst, int off, int src);

/* op: BPF_JEQ BPF_JNE BPF_JGT BPF_JGE BPF_JLT BPF_JLE BPF_JSGT BPF_JSGE BPF_JSLT BPF_JSLE BPF_JSET */
void as_jump(struct as *as, as_label to);
void as_jump_if(struct as *as, int op, int dst, int src, as_label to);
void as_jump_if_imm(struct as *as, int op, int dst, int32_t imm, as_label to);
void as_call(struct as *as, int helper);		/* BPF_FUNC_* */
/* A function of the kernel that is no helper; the executor knows its number there. */
enum as_kfunc { KFUNC_SESSION_COOKIE, KFUNC_SESSION_IS_RETURN, KFUNCS };
void as_kfunc(struct as *as, enum as_kfunc kfunc);		/* BPF_PSEUDO_KFUNC_CALL */
extern const char *const as_kfunc_names[KFUNCS];
/* The function that begins at the label, behind the program's end: BPF_PSEUDO_CALL. It
 * has R1 to R5 and a frame of its own, and R6 to R9 are kept. */
void as_call_function(struct as *as, as_label function);
void as_exit(struct as *as);

int as_here(const struct as *as);			/* number of the next instruction */
const char *as_error(const struct as *as);		/* NULL: fine so far */
/* For the emitter's callers: a limit that the query reached. Sticky. */
void as_fail(struct as *as, const char *why);

/* Resolves the labels. NULL, or the error. The arrays live in that arena. */
const char *as_finish(struct as *as, struct arena *a, struct bpf_insn **insns, struct as_note **notes,
		      int *n);

#endif
