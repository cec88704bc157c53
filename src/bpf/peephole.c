/*
 * The rules are a table; each looks at one instruction and at what comes straight
 * behind it, and says whether it changed something. They are tried until none does.
 *
 * What they ask: is a register, or a word of the frame, read again before it is written
 * (`live`, going back from the ends); is a word of the frame surely 0 here (`zero`,
 * going forward); does a jump come here (`joined`). The answers are those of the program as the
 * last change left it: peephole_impl.h. All is asked first, then changed from the last
 * instruction to the first, so that nothing seems to be read that no longer is.
 *
 * A copy is only taken out when all that read it can read the original instead: the verifier of
 * old kernels does not know that they are equal, so a test of one proves nothing of the other.
 */
#include "bpf/peephole_impl.h"

#include "bpf/asm.h"

#define ROUNDS_MOST 20
#define AHEAD_MOST 64			/* how far a rule looks */
#define REACH 30000			/* what a jump can pass for sure */

/* ---- rules ---- */

/* A jump to what comes next is none. */
static bool null_jump(struct peep *p, int i)
{
	if (!peep_jumps(p, i) || peep_kept(p, p->c->to[i]) != peep_next(p, i))
		return false;
	peep_drop(p, i);
	return true;
}

static bool reaches(int i, int to)
{
	return to - i <= REACH && i - to <= REACH;
}

/* A jump to a jump goes there at once. */
static bool jump_to_jump(struct peep *p, int i)
{
	int at, to;

	if (!peep_jumps(p, i) || (at = peep_kept(p, p->c->to[i])) >= p->c->n || at == i ||
	    !insn_is_goto(&p->c->insns[at]))
		return false;
	to = p->c->to[at];
	if (peep_kept(p, to) == at || !reaches(i, to))
		return false;
	peep_jump(p, i, to);
	return true;
}

static int opposite(int op)
{
	static const uint8_t pairs[][2] = {
		{ BPF_JEQ, BPF_JNE }, { BPF_JGT, BPF_JLE }, { BPF_JGE, BPF_JLT },
		{ BPF_JSGT, BPF_JSLE }, { BPF_JSGE, BPF_JSLT },
	};

	for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++)
		for (int side = 0; side < 2; side++)
			if (pairs[k][side] == op)
				return pairs[k][!side];
	return -1;
}

/* if c goto over; goto x; over: -> if not c goto x */
static bool jump_over_jump(struct peep *p, int i)
{
	struct bpf_insn in = p->c->insns[i];
	int second = peep_next(p, i), op;

	if (!insn_is_branch(&in) || second >= p->c->n || p->joined[second] ||
	    !insn_is_goto(&p->c->insns[second]) || peep_kept(p, p->c->to[i]) != peep_next(p, second))
		return false;
	if ((op = opposite(BPF_OP(in.code))) < 0 || !reaches(i, p->c->to[second]))
		return false;
	in.code = (uint8_t)(BPF_CLASS(in.code) | op | BPF_SRC(in.code));
	peep_change(p, i, in);
	peep_jump(p, i, p->c->to[second]);
	peep_drop(p, second);
	return true;
}

/* What is written to a register that nobody reads. */
static bool dead_register(struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];

	if (insn_is_mov(in, BPF_X) && in->dst_reg == in->src_reg) {
		peep_drop(p, i);
		return true;
	}
	if (!(insn_is_alu(in) || insn_is_load(in) || insn_is_ld_imm64(in)) ||
	    (p->live[i].regs & insn_regs_written(in)))
		return false;
	peep_drop(p, i);
	return true;
}

/* And to a word of the frame. */
static bool dead_store(struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];
	uint64_t words = insn_words(in);

	if (!insn_is_store(in) || !words || (words & (p->live[i].frame | p->shared)))
		return false;
	peep_drop(p, i);
	return true;
}

/* A word of the frame that is surely 0 here. */
static bool load_of_zero(struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];
	uint64_t words = insn_words(in);

	if (!insn_is_load(in) || !words || (words & ~p->zero[i]))
		return false;
	peep_change(p, i, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K,
					     .dst_reg = in->dst_reg });
	return true;
}

static bool holds(int op, int64_t a, int64_t b)
{
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

	switch (op) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return ua > ub;
	case BPF_JGE: return ua >= ub;
	case BPF_JLT: return ua < ub;
	case BPF_JLE: return ua <= ub;
	case BPF_JSGT: return a > b;
	case BPF_JSGE: return a >= b;
	case BPF_JSLT: return a < b;
	case BPF_JSLE: return a <= b;
	}
	return ua & ub;
}

/* r = 1; if r == 0 goto x. Of a number of 32 bits the lower half says the same. */
static bool known_branch(struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];
	int at = peep_next(p, i);
	const struct bpf_insn *branch;

	if (!insn_is_mov(in, BPF_K) || at >= p->c->n || p->joined[at])
		return false;
	branch = &p->c->insns[at];
	if (!insn_is_branch(branch) || insn_has_source(branch) || branch->dst_reg != in->dst_reg)
		return false;
	if (holds(BPF_OP(branch->code), in->imm, branch->imm))
		peep_change(p, at, (struct bpf_insn){ .code = BPF_JMP | BPF_JA });
	else
		peep_drop(p, at);
	return true;
}

/* r0 = ...; r1 = r0, and r0 is not read again: r1 = ... */
static bool made_elsewhere(struct peep *p, int i)
{
	struct bpf_insn in = p->c->insns[i];
	int at = peep_next(p, i);
	const struct bpf_insn *mov;
	bool moves = insn_is_alu(&in) && BPF_OP(in.code) == BPF_MOV;

	if (!(moves || insn_is_load(&in) || insn_is_ld_imm64(&in)) ||
	    at >= p->c->n || p->joined[at])
		return false;
	mov = &p->c->insns[at];
	if (!insn_is_mov(mov, BPF_X) || mov->src_reg != in.dst_reg || mov->dst_reg == in.dst_reg ||
	    (p->live[at].regs & INSN_REG(in.dst_reg)))
		return false;
	in.dst_reg = mov->dst_reg;
	peep_drop(p, at);
	peep_change(p, i, in);
	return true;
}

/* Can `in` do without the register, with the number instead? That is written into it. */
static bool read_number(struct bpf_insn *in, int reg, int32_t imm)
{
	int op = BPF_OP(in->code), bits = BPF_CLASS(in->code) == BPF_ALU ? 32 : 64;
	bool moves = insn_is_alu(in) && op == BPF_MOV;

	if (insn_is_store(in) && BPF_CLASS(in->code) == BPF_STX && in->dst_reg != reg) {
		in->code = (uint8_t)(BPF_ST | BPF_MEM | BPF_SIZE(in->code));
	} else if ((insn_is_alu(in) || insn_is_branch(in)) && insn_has_source(in) &&
		   (in->dst_reg != reg || moves)) {
		if (insn_is_alu(in) && op == BPF_END)
			return false;
		if (insn_is_alu(in) && (op == BPF_DIV || op == BPF_MOD) && imm == 0)
			return false;
		if (insn_is_alu(in) && (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) &&
		    (imm < 0 || imm >= bits))
			return false;
		in->code = (uint8_t)((in->code & ~BPF_X) | BPF_K);
	} else {
		return false;
	}
	in->src_reg = 0;
	in->imm = imm;
	return true;
}

static bool read_register(struct bpf_insn *in, int reg, int instead)
{
	bool base = BPF_CLASS(in->code) == BPF_ST || BPF_CLASS(in->code) == BPF_STX;
	bool swap = insn_is_alu(in) && BPF_OP(in->code) == BPF_END;
	bool source = insn_is_load(in) || BPF_CLASS(in->code) == BPF_STX ||
		      ((insn_is_alu(in) || insn_is_branch(in)) && insn_has_source(in) && !swap);

	if (insn_is_call(in) || insn_is_exit(in) || (insn_is_atomic(in) && (in->imm & BPF_FETCH)))
		return false;
	if (insn_is_alu(in) && BPF_OP(in->code) != BPF_MOV && in->dst_reg == reg)
		return false;
	if (source && in->src_reg == reg)
		in->src_reg = (uint8_t)instead & 15;
	if ((base || insn_is_branch(in)) && in->dst_reg == reg)
		in->dst_reg = (uint8_t)instead & 15;
	return true;
}

static bool read_instead(struct bpf_insn *in, const struct bpf_insn *mov)
{
	return insn_has_source(mov) ? read_register(in, mov->dst_reg, mov->src_reg)
			       : read_number(in, mov->dst_reg, mov->imm);
}

/* r1 = r8 or r1 = 4: who reads r1 reads that, where all can. */
static bool copy(struct peep *p, int i)
{
	const struct bpf_insn mov = p->c->insns[i];
	struct bpf_insn changed[AHEAD_MOST];
	int at[AHEAD_MOST], n = 0, k = i;
	uint32_t reg = INSN_REG(mov.dst_reg);
	uint32_t from = insn_is_mov(&mov, BPF_X) ? INSN_REG(mov.src_reg) : 0;

	if (!(insn_is_mov(&mov, BPF_K) || (from && mov.src_reg != R10 && from != reg)))
		return false;
	do {
		if ((k = peep_next(p, k)) >= p->c->n || p->joined[k] || n == AHEAD_MOST)
			return false;
		at[n] = k;
		changed[n] = p->c->insns[k];
		if ((insn_regs_read(&changed[n]) & reg) && !read_instead(&changed[n], &mov))
			return false;
		if (peep_jumps(p, k) && (peep_live_at(p, p->c->to[k]).regs & reg))
			return false;
		n++;
		if (insn_regs_written(&p->c->insns[k]) & reg)
			break;
		if ((insn_regs_written(&p->c->insns[k]) & from) && (p->live[k].regs & reg))
			return false;
	} while (p->live[k].regs & reg);
	while (n--)
		peep_change(p, at[n], changed[n]);
	peep_drop(p, i);
	return true;
}

/* What was stored or loaded is in a register still, when it is loaded again. */
static bool known_load(struct peep *p, int i)
{
	const struct bpf_insn in = p->c->insns[i];
	bool load = insn_is_load(&in), frame = (load ? in.src_reg : in.dst_reg) == R10;
	int reg = load ? in.dst_reg : in.src_reg, base = load ? in.src_reg : in.dst_reg;
	uint64_t words = insn_words(&in);

	if (!((load && BPF_MODE(in.code) == BPF_MEM) || (frame && insn_is_store(&in) && BPF_CLASS(in.code) == BPF_STX &&
		       insn_bytes(&in) == 8)) || (load && reg == base))
		return false;
	for (int k = peep_next(p, i), n = 0; k < p->c->n && !p->joined[k] && n < AHEAD_MOST; n++) {
		const struct bpf_insn *at = &p->c->insns[k];

		if (insn_is_load(at) && at->src_reg == base && at->off == in.off &&
		    at->code == (BPF_LDX | BPF_MEM | BPF_SIZE(in.code))) {
			peep_change(p, k, (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X,
							     .dst_reg = at->dst_reg, .src_reg = reg & 15 });
			return true;
		}
		if (insn_regs_written(at) & (INSN_REG(reg) | INSN_REG(base)))
			return false;
		if (insn_is_store(at) || insn_is_atomic(at) || insn_is_call(at)) {
			if (!frame || (words & p->shared && !insn_words(at)) || (words & insn_words(at)))
				return false;
		}
		if (!peep_goes_on(at))
			return false;
		k = peep_next(p, k);
	}
	return false;
}

#define CLASS(class) (1u << (class))
#define ALU (CLASS(BPF_ALU) | CLASS(BPF_ALU64))
#define JUMPS (CLASS(BPF_JMP) | CLASS(BPF_JMP32))
#define STORES (CLASS(BPF_ST) | CLASS(BPF_STX))
#define RULE(name, classes) { #name, name, classes }

static const struct {
	const char *name;
	bool (*apply)(struct peep *p, int i);
	uint32_t classes;		/* of instructions that it begins with */
} rules[] = {
	RULE(null_jump, JUMPS),
	RULE(jump_to_jump, JUMPS),
	RULE(jump_over_jump, JUMPS),
	RULE(dead_register, ALU | CLASS(BPF_LDX) | CLASS(BPF_LD)),
	RULE(dead_store, STORES),
	RULE(load_of_zero, CLASS(BPF_LDX)),
	RULE(known_branch, ALU),
	RULE(made_elsewhere, ALU | CLASS(BPF_LDX) | CLASS(BPF_LD)),
	RULE(copy, ALU),
	RULE(known_load, CLASS(BPF_LDX) | CLASS(BPF_STX)),
};

const int peep_rules = sizeof(rules) / sizeof(rules[0]);

const char *peep_rule_name(int rule)
{
	return rules[rule].name;
}

bool peep_rule_apply(struct peep *p, int rule, int i)
{
	return (rules[rule].classes & CLASS(BPF_CLASS(p->c->insns[i].code))) && rules[rule].apply(p, i);
}

static bool apply(struct peep *p)
{
	bool changed = false;

	for (int i = peep_kept(p, 0); i < p->c->n; i = peep_next(p, i))
		for (int r = 0; r < peep_rules && p->c->kept[i]; r++)
			changed |= peep_rule_apply(p, r, i);
	return changed;
}

void peephole(struct arena *arena, struct peep_code *code)
{
	struct peep *p = peep_new(arena, code);
	bool changed = true;

	for (int round = 0; changed && round < ROUNDS_MOST; round++) {
		peep_find(p);
		changed = apply(p);
	}
}
