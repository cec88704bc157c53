/*
 * The rules are a table; each looks at one instruction and at what comes straight
 * behind it, and says whether it changed something. They are tried until none does.
 *
 * What they ask: is a register, or a word of the frame, read again before it is written
 * (`live`, going back from the ends); is a word of the frame surely 0 here (`zero`,
 * going forward); does a jump come here (`joined`). A rule keeps these true or errs on the side of
 * more live, less zero, more joined.
 *
 * A copy is only taken out when all that read it can read the original instead: the verifier of
 * old kernels does not know that they are equal, so a test of one proves nothing of the other.
 */
#include "bpf/peephole.h"

#include "bpf/asm.h"
#include "bpf/insn.h"

#define ROUNDS_MOST 20
#define AHEAD_MOST 64			/* how far a rule looks */
#define REACH 30000			/* what a jump can pass for sure */

struct live {
	uint32_t regs;
	uint64_t frame;
};

struct peep {
	struct peep_code *c;
	struct live *live;		/* behind each instruction */
	uint64_t *zero;			/* before it */
	bool *joined;
	bool loops;			/* some jump goes back */
	uint64_t shared;		/* words of the frame whose address was taken */
};

/* ---- the ways through the program ---- */

static int behind(const struct peep *p, int i)
{
	return i + 1 + insn_is_ld_imm64(&p->c->insns[i]);
}

/* The next that is kept; n: none. */
static int next(const struct peep *p, int i)
{
	for (i = behind(p, i); i < p->c->n && !p->c->kept[i]; i++)
		;
	return i;
}

/* A function that it calls or names is no way that it goes. */
static bool jumps(const struct peep *p, int i)
{
	return p->c->to[i] >= 0 && (insn_is_goto(&p->c->insns[i]) || insn_is_branch(&p->c->insns[i]));
}

static bool goes_on(const struct bpf_insn *i)
{
	return !insn_is_goto(i) && !insn_is_exit(i);
}

static int first_kept(const struct peep *p, int i)
{
	while (i < p->c->n && !p->c->kept[i])
		i++;
	return i;
}

static void join(struct peep *p, int to)
{
	p->joined[first_kept(p, to)] = true;
}

static void drop(struct peep *p, int i)
{
	p->c->kept[i] = false;
	if (insn_is_ld_imm64(&p->c->insns[i]))
		p->c->kept[i + 1] = false;
	if (p->joined[i])
		join(p, i);
}

/* ---- what is known of each place ---- */

static void find_joins(struct peep *p)
{
	for (int i = 0; i <= p->c->n; i++)
		p->joined[i] = false;
	p->loops = false;
	for (int i = 0; i < p->c->n; i++)
		if (p->c->kept[i] && p->c->to[i] >= 0) {
			join(p, p->c->to[i]);
			p->loops |= p->c->to[i] <= i;
		}
}

static struct live live_before(const struct peep *p, int i)
{
	const struct bpf_insn *in;
	struct live l = { 0 };

	i = first_kept(p, i);
	if (i >= p->c->n)
		return l;
	in = &p->c->insns[i];
	l = p->live[i];
	l.regs = (l.regs & ~insn_regs_written(in)) | insn_regs_read(in);
	if (insn_fills_word(in))
		l.frame &= ~insn_words(in);
	else if (!insn_is_store(in))
		l.frame |= insn_words(in);
	return l;
}

static void find_live(struct peep *p)
{
	bool more;

	for (int i = 0; i < p->c->n; i++)
		p->live[i] = (struct live){ 0 };
	do {
		more = false;
		for (int i = p->c->n - 1; i >= 0; i--) {
			struct live l = { 0 }, to = { 0 };

			if (!p->c->kept[i] || (i && insn_is_ld_imm64(&p->c->insns[i - 1])))
				continue;
			if (goes_on(&p->c->insns[i]))
				l = live_before(p, behind(p, i));
			if (jumps(p, i))
				to = live_before(p, p->c->to[i]);
			l.regs |= to.regs;
			l.frame |= to.frame;
			more |= l.regs != p->live[i].regs || l.frame != p->live[i].frame;
			p->live[i] = l;
		}
	} while (more && p->loops);
}

static bool narrow(struct peep *p, int to, uint64_t zero)
{
	uint64_t before;

	to = first_kept(p, to);
	before = p->zero[to];
	p->zero[to] &= zero;
	return p->zero[to] != before;
}

static void find_zero(struct peep *p)
{
	bool more;

	for (int i = 0; i <= p->c->n; i++)
		p->zero[i] = UINT64_MAX;
	narrow(p, 0, 0);
	for (int i = 0; i < p->c->n; i++)
		if (p->c->kept[i] && p->c->to[i] >= 0 && !jumps(p, i))
			narrow(p, p->c->to[i], 0);
	do {
		more = false;
		for (int i = first_kept(p, 0); i < p->c->n; i = next(p, i)) {
			const struct bpf_insn *in = &p->c->insns[i];
			uint64_t zero = p->zero[i], words = insn_words(in);

			if (insn_is_store(in) || insn_is_atomic(in))
				zero &= ~words;
			if (insn_fills_word(in) && BPF_CLASS(in->code) == BPF_ST && in->imm == 0)
				zero |= words;
			if (goes_on(in))
				more |= narrow(p, behind(p, i), zero & ~p->shared);
			if (jumps(p, i))
				more |= narrow(p, p->c->to[i], zero & ~p->shared);
		}
	} while (more && p->loops);
}

static void drop_unreached(struct peep *p, int *todo)
{
	int n = 0;
	bool *reached = p->joined;	/* made anew behind this */

	for (int i = 0; i <= p->c->n; i++)
		reached[i] = false;
	todo[n++] = 0;
	while (n) {
		int i = first_kept(p, todo[--n]);

		while (i < p->c->n && !reached[i]) {
			reached[i] = true;
			if (p->c->to[i] >= 0)
				todo[n++] = p->c->to[i];
			if (!goes_on(&p->c->insns[i]))
				break;
			i = next(p, i);
		}
	}
	for (int i = 0; i < p->c->n; i = behind(p, i))
		if (p->c->kept[i] && !reached[i]) {
			p->c->kept[i] = false;
			if (insn_is_ld_imm64(&p->c->insns[i]))
				p->c->kept[i + 1] = false;
		}
}

/* The thing at that word of the frame, or all behind it where nobody told how long it is. */
static void share(struct peep *p, int at)
{
	int end = 0;

	for (int w = 0; w <= at; w++)
		if (p->c->frame_ends[w] > at && p->c->frame_ends[w] > end)
			end = p->c->frame_ends[w];
	for (int w = at; w < (end ? end : INSN_FRAME_WORDS); w++)
		p->shared |= 1ull << w;
}

/* r = r10; r += off: what is there can be reached through r. */
static void find_shared(struct peep *p)
{
	for (int i = 0; i + 1 < p->c->n; i = behind(p, i)) {
		const struct bpf_insn *in = &p->c->insns[i], *add = in + 1;
		bool taken = (insn_is_alu(in) && insn_has_source(in)) || BPF_CLASS(in->code) == BPF_STX;

		if (!taken || in->src_reg != R10)
			continue;
		if (insn_is_mov(in, BPF_X) && add->code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
		    add->dst_reg == in->dst_reg && add->imm < 0 && add->imm >= -INSN_FRAME_BYTES)
			share(p, (add->imm + INSN_FRAME_BYTES) / 8);
		else
			p->shared = UINT64_MAX;
	}
}

/* ---- rules ---- */

/* A jump to what comes next is none. */
static bool null_jump(struct peep *p, int i)
{
	if (!jumps(p, i) || first_kept(p, p->c->to[i]) != next(p, i))
		return false;
	drop(p, i);
	return true;
}

/* A jump to a jump goes there at once. */
static bool jump_to_jump(struct peep *p, int i)
{
	int at, to;

	if (!jumps(p, i) || (at = first_kept(p, p->c->to[i])) >= p->c->n || at == i ||
	    !insn_is_goto(&p->c->insns[at]))
		return false;
	to = p->c->to[at];
	if (first_kept(p, to) == at || to - i > REACH || i - to > REACH)
		return false;
	p->c->to[i] = to;
	join(p, to);
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
	struct bpf_insn *in = &p->c->insns[i];
	int second = next(p, i), op;

	if (!insn_is_branch(in) || second >= p->c->n || p->joined[second] ||
	    !insn_is_goto(&p->c->insns[second]) || first_kept(p, p->c->to[i]) != next(p, second))
		return false;
	if ((op = opposite(BPF_OP(in->code))) < 0)
		return false;
	in->code = (uint8_t)(BPF_JMP | op | BPF_SRC(in->code));
	p->c->to[i] = p->c->to[second];
	drop(p, second);
	return true;
}

/* What is written to a register that nobody reads. */
static bool dead_register(struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];

	if (insn_is_mov(in, BPF_X) && in->dst_reg == in->src_reg) {
		drop(p, i);
		return true;
	}
	if (!(insn_is_alu(in) || insn_is_load(in) || insn_is_ld_imm64(in)) ||
	    (p->live[i].regs & insn_regs_written(in)))
		return false;
	drop(p, i);
	return true;
}

/* And to a word of the frame. */
static bool dead_store(struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];
	uint64_t words = insn_words(in);

	if (!insn_is_store(in) || !words || (words & (p->live[i].frame | p->shared)))
		return false;
	drop(p, i);
	return true;
}

/* A word of the frame that is surely 0 here. */
static bool load_of_zero(struct peep *p, int i)
{
	struct bpf_insn *in = &p->c->insns[i];
	uint64_t words = insn_words(in);

	if (!insn_is_load(in) || !words || (words & ~p->zero[i]))
		return false;
	*in = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = in->dst_reg };
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

/* r = 1; if r == 0 goto x */
static bool known_branch(struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];
	int at = next(p, i);
	struct bpf_insn *branch;

	if (!insn_is_mov(in, BPF_K) || at >= p->c->n || p->joined[at])
		return false;
	branch = &p->c->insns[at];
	if (!insn_is_branch(branch) || insn_has_source(branch) || branch->dst_reg != in->dst_reg)
		return false;
	if (holds(BPF_OP(branch->code), in->imm, branch->imm))
		*branch = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
	else
		drop(p, at);
	return true;
}

/* r0 = ...; r1 = r0, and r0 is not read again: r1 = ... */
static bool made_elsewhere(struct peep *p, int i)
{
	struct bpf_insn *in = &p->c->insns[i];
	int at = next(p, i);
	const struct bpf_insn *mov;
	bool moves = insn_is_alu(in) && BPF_OP(in->code) == BPF_MOV;

	if (!(moves || insn_is_load(in) || insn_is_ld_imm64(in)) ||
	    at >= p->c->n || p->joined[at])
		return false;
	mov = &p->c->insns[at];
	if (!insn_is_mov(mov, BPF_X) || mov->src_reg != in->dst_reg || mov->dst_reg == in->dst_reg ||
	    (p->live[at].regs & INSN_REG(in->dst_reg)))
		return false;
	in->dst_reg = mov->dst_reg;
	p->live[i].regs |= INSN_REG(in->dst_reg);
	drop(p, at);
	return true;
}

/* Can `in` do without the register: with what `mov` puts there? It writes it into `in`. */
static bool read_number(struct bpf_insn *in, int reg, int32_t imm)
{
	int op = BPF_OP(in->code), bits = BPF_CLASS(in->code) == BPF_ALU ? 32 : 64;

	if (insn_is_store(in) && BPF_CLASS(in->code) == BPF_STX && in->dst_reg != reg) {
		in->code = (uint8_t)(BPF_ST | BPF_MEM | BPF_SIZE(in->code));
	} else if ((insn_is_alu(in) || insn_is_branch(in)) && insn_has_source(in) && in->dst_reg != reg) {
		if (insn_is_alu(in) && op == BPF_END)
			return false;
		if (insn_is_alu(in) && (op == BPF_DIV || op == BPF_MOD) && imm == 0)
			return false;
		if (insn_is_alu(in) && (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) &&
		    (imm < 0 || imm >= bits))
			return false;
		in->code = (uint8_t)((in->code & ~BPF_X) | BPF_K);
	} else {
		return insn_is_mov(in, BPF_X) && in->dst_reg == reg;
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
		if ((k = next(p, k)) >= p->c->n || p->joined[k] || n == AHEAD_MOST)
			return false;
		at[n] = k;
		changed[n] = p->c->insns[k];
		if ((insn_regs_read(&changed[n]) & reg) && !read_instead(&changed[n], &mov))
			return false;
		if (jumps(p, k) && (live_before(p, p->c->to[k]).regs & reg))
			return false;
		n++;
		if (insn_regs_written(&p->c->insns[k]) & reg)
			break;
		if ((insn_regs_written(&p->c->insns[k]) & from) && (p->live[k].regs & reg))
			return false;
	} while (p->live[k].regs & reg);
	for (int j = 0; j < n; j++) {
		p->c->insns[at[j]] = changed[j];
		if (j + 1 < n)
			p->live[at[j]].regs |= from;
	}
	drop(p, i);
	return true;
}

/* What was stored or loaded is in a register still, when it is loaded again. */
static bool known_load(struct peep *p, int i)
{
	const struct bpf_insn in = p->c->insns[i];
	bool load = insn_is_load(&in), frame = (load ? in.src_reg : in.dst_reg) == R10;
	int reg = load ? in.dst_reg : in.src_reg, base = load ? in.src_reg : in.dst_reg;
	uint64_t words = insn_words(&in);

	if (!(load || (frame && insn_is_store(&in) && BPF_CLASS(in.code) == BPF_STX &&
		       insn_bytes(&in) == 8)) || (load && reg == base))
		return false;
	for (int k = next(p, i), n = 0; k < p->c->n && !p->joined[k] && n < AHEAD_MOST; n++) {
		struct bpf_insn *at = &p->c->insns[k];

		if (insn_is_load(at) && at->src_reg == base && at->off == in.off &&
		    BPF_SIZE(at->code) == BPF_SIZE(in.code)) {
			*at = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X,
						 .dst_reg = at->dst_reg, .src_reg = reg & 15 };
			for (int j = i; j < k; j = next(p, j))
				p->live[j].regs |= INSN_REG(reg);
			return true;
		}
		if (insn_regs_written(at) & (INSN_REG(reg) | INSN_REG(base)))
			return false;
		if (insn_is_store(at) || insn_is_atomic(at) || insn_is_call(at)) {
			if (!frame || (words & p->shared && !insn_words(at)) || (words & insn_words(at)))
				return false;
		}
		if (!goes_on(at))
			return false;
		k = next(p, k);
	}
	return false;
}

#define CLASS(class) (1u << (class))
#define ALU (CLASS(BPF_ALU) | CLASS(BPF_ALU64))
#define STORES (CLASS(BPF_ST) | CLASS(BPF_STX))

static const struct {
	bool (*apply)(struct peep *p, int i);
	uint32_t classes;		/* of instructions that it begins with */
} rules[] = {
	{ null_jump, CLASS(BPF_JMP) },
	{ jump_to_jump, CLASS(BPF_JMP) },
	{ jump_over_jump, CLASS(BPF_JMP) },
	{ dead_register, ALU | CLASS(BPF_LDX) | CLASS(BPF_LD) },
	{ dead_store, STORES },
	{ load_of_zero, CLASS(BPF_LDX) },
	{ known_branch, ALU },
	{ made_elsewhere, ALU | CLASS(BPF_LDX) | CLASS(BPF_LD) },
	{ copy, ALU },
	{ known_load, CLASS(BPF_LDX) | CLASS(BPF_STX) },
};

static bool apply(struct peep *p)
{
	bool changed = false;

	for (int i = first_kept(p, 0); i < p->c->n; i = next(p, i))
		for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]) && p->c->kept[i]; r++)
			if (rules[r].classes & CLASS(BPF_CLASS(p->c->insns[i].code)))
				changed |= rules[r].apply(p, i);
	return changed;
}

void peephole(struct arena *arena, struct peep_code *code)
{
	struct peep p = {
		.c = code,
		.live = arena_array(arena, struct live, code->n + 1),
		.zero = arena_array(arena, uint64_t, code->n + 1),
		.joined = arena_array(arena, bool, code->n + 1),
	};
	int *todo = arena_array(arena, int, code->n + 1);
	bool changed = true;

	find_shared(&p);
	for (int round = 0; changed && round < ROUNDS_MOST; round++) {
		drop_unreached(&p, todo);
		find_joins(&p);
		find_live(&p);
		find_zero(&p);
		changed = apply(&p);
	}
}
