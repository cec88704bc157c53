/*
 * The programs of call frame information (DWARF 5, 6.4) into rows: which rule holds from
 * which address on. Of registers only the CFA, rbp and the return address are followed.
 *
 * What is no rule of unwind.h becomes UNWIND_NONE from there on; an unknown or broken
 * instruction ends the program, and the rest of the code has no rule.
 */
#include <string.h>

#include "user/ehframe_impl.h"

enum { REG_BP = 6, REG_SP = 7, REG_PC = 16 };

#define STATES_MOST 16			/* remembered at once */
#define WORK_MOST (1u << 20)		/* instructions of one program */

enum how {
	HOW_SAME,			/* the caller's, unchanged */
	HOW_UNDEFINED,
	HOW_CFA,			/* saved at CFA + offset */
	HOW_AT_BP,			/* saved at *(bp + 0) */
	HOW_SIGNAL,			/* saved at sp + offset */
	HOW_OTHER,
};

struct saved {
	enum how how;
	int64_t offset;
};

enum cfa {
	CFA_NONE, CFA_SP, CFA_BP, CFA_AT_BP, CFA_PLT, CFA_AT_SP,
};

struct state {
	enum cfa cfa;
	int64_t cfa_offset;
	struct saved bp, ra;
};

struct run {
	const struct cie *cie;
	struct state now, first;	/* first: what the CIE's program leaves */
	struct state kept[STATES_MOST];
	int n_kept;
	uint64_t at, end;
	struct rows *rows;
	bool in_cie, stop;
};

/* ---- rules ---- */

static bool offset_fits(int64_t offset)
{
	return offset >= 0 && offset <= UNWIND_OFFSET_MOST && offset % 8 == 0;
}

/* False: no row can say where bp is. */
static bool bp_words(const struct state *s, uint32_t *words)
{
	*words = 0;
	switch (s->bp.how) {
	case HOW_SAME:
	case HOW_UNDEFINED:
		return true;
	case HOW_AT_BP:
		*words = UNWIND_BP_AT_BP;
		return true;
	case HOW_CFA:
		if (s->bp.offset >= 0 || s->bp.offset % 8 || -s->bp.offset / 8 > UNWIND_BP_MOST)
			return false;
		*words = (uint32_t)(-s->bp.offset / 8);
		return true;
	default:
		return false;
	}
}

static uint32_t signal_rule(const struct state *s)
{
	if (s->ra.how == HOW_SIGNAL && s->ra.offset == UNWIND_SIGNAL_PC &&
	    s->bp.how == HOW_SIGNAL && s->bp.offset == UNWIND_SIGNAL_BP &&
	    s->cfa_offset == UNWIND_SIGNAL_SP)
		return unwind_rule(UNWIND_SIGNAL, 0, 0);
	return unwind_rule(UNWIND_NONE, 0, 0);
}

static uint32_t rule_of(const struct run *r)
{
	static const enum unwind_kind kinds[] = {
		[CFA_NONE] = UNWIND_NONE, [CFA_SP] = UNWIND_SP, [CFA_BP] = UNWIND_BP,
		[CFA_AT_BP] = UNWIND_AT_BP, [CFA_PLT] = UNWIND_PLT,
	};
	const struct state *s = &r->now;
	uint32_t bp;

	if (s->ra.how == HOW_UNDEFINED)
		return unwind_rule(UNWIND_END, 0, 0);
	if (s->cfa == CFA_AT_SP)
		return signal_rule(s);
	if (s->ra.how != HOW_CFA || s->ra.offset != -8 || !offset_fits(s->cfa_offset) ||
	    !bp_words(s, &bp))
		return unwind_rule(UNWIND_NONE, 0, 0);
	return unwind_rule(kinds[s->cfa], (uint32_t)s->cfa_offset, bp);
}

static void row(struct run *r)
{
	if (!r->in_cie && r->at < r->end)
		rows_add(r->rows, r->at, rule_of(r));
}

static void advance(struct run *r, uint64_t n)
{
	uint64_t step;

	if (__builtin_mul_overflow(n, r->cie->code_align, &step) || step > r->end - r->at) {
		r->stop = true;
		step = r->end - r->at;
	}
	if (step)
		row(r);
	r->at += step;
}

/* ---- expressions ---- */

enum { OP_DEREF = 0x06, OP_AND = 0x1a, OP_PLUS = 0x22, OP_SHL = 0x24, OP_GE = 0x2a,
       OP_LIT0 = 0x30, OP_BREG0 = 0x70 };

/* breg7 8; breg16 0; lit15; and; litN; ge; lit3; shl; plus: N bytes in, the slot's number
 * has been pushed. */
static bool is_plt(const uint8_t *p, size_t n, int64_t *pushed)
{
	static const uint8_t form[] = { OP_BREG0 + REG_SP, 8, OP_BREG0 + REG_PC, 0, OP_LIT0 + 15,
					OP_AND, 0, OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };

	if (n != sizeof(form) || memcmp(p, form, 6) || memcmp(p + 7, form + 7, n - 7) ||
	    p[6] < OP_LIT0 || p[6] > OP_LIT0 + 15)
		return false;
	*pushed = p[6] - OP_LIT0;
	return true;
}

/* "breg N offset", behind it "deref" if wanted. */
static bool is_register(struct cursor c, int reg, bool deref, int64_t *offset)
{
	if (cursor_byte(&c) != OP_BREG0 + reg)
		return false;
	*offset = cursor_sleb(&c);
	if (deref && cursor_byte(&c) != OP_DEREF)
		return false;
	return !c.bad && c.p == c.end;
}

static void cfa_expression(struct run *r, struct cursor c)
{
	struct state *s = &r->now;
	int64_t n;

	s->cfa = CFA_NONE;
	if (is_plt(c.p, (size_t)(c.end - c.p), &n)) {
		s->cfa = CFA_PLT;
		s->cfa_offset = n * 8;
	} else if (is_register(c, REG_BP, true, &n)) {
		s->cfa = CFA_AT_BP;
		s->cfa_offset = n <= 0 && n > INT32_MIN ? -n : -1;
	} else if (is_register(c, REG_SP, true, &n) && r->cie->is_signal) {
		s->cfa = CFA_AT_SP;
		s->cfa_offset = n;
	}
}

/* ---- registers ---- */

static struct saved *saved_of(struct run *r, struct state *s, uint64_t reg)
{
	if (reg == REG_BP)
		return &s->bp;
	return reg == r->cie->ra ? &s->ra : NULL;
}

static void save(struct run *r, uint64_t reg, enum how how, int64_t offset)
{
	struct saved *s = saved_of(r, &r->now, reg);

	if (s)
		*s = (struct saved){ how, offset };
}

static void save_factored(struct run *r, uint64_t reg, int64_t n)
{
	int64_t offset;

	if (__builtin_mul_overflow(n, r->cie->data_align, &offset))
		save(r, reg, HOW_OTHER, 0);
	else
		save(r, reg, HOW_CFA, offset);
}

static void save_expression(struct run *r, uint64_t reg, struct cursor c)
{
	int64_t n;

	if (is_register(c, REG_SP, false, &n) && r->cie->is_signal)
		save(r, reg, HOW_SIGNAL, n);
	else if (is_register(c, REG_BP, false, &n) && n == 0)
		save(r, reg, HOW_AT_BP, 0);
	else
		save(r, reg, HOW_OTHER, 0);
}

static void restore(struct run *r, uint64_t reg)
{
	struct saved *to = saved_of(r, &r->now, reg);

	if (to)
		*to = *saved_of(r, &r->first, reg);
}

static void cfa_register(struct run *r, uint64_t reg)
{
	r->now.cfa = reg == REG_SP ? CFA_SP : reg == REG_BP ? CFA_BP : CFA_NONE;
}

static void cfa_offset(struct run *r, int64_t offset)
{
	r->now.cfa_offset = offset;
}

static void cfa_factored(struct run *r, int64_t n)
{
	if (__builtin_mul_overflow(n, r->cie->data_align, &r->now.cfa_offset))
		r->now.cfa = CFA_NONE;
}

static void remember(struct run *r)
{
	if (r->n_kept == STATES_MOST)
		r->stop = true;
	else
		r->kept[r->n_kept++] = r->now;
}

static void recall(struct run *r)
{
	if (!r->n_kept)
		r->stop = true;
	else
		r->now = r->kept[--r->n_kept];
}

/* ---- instructions ---- */

enum {
	CFA_SET_LOC = 0x01, CFA_ADVANCE1, CFA_ADVANCE2, CFA_ADVANCE4, CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED, CFA_UNDEFINED, CFA_SAME_VALUE, CFA_REGISTER, CFA_REMEMBER,
	CFA_RESTORE_STATE, CFA_DEF_CFA, CFA_DEF_CFA_REGISTER, CFA_DEF_CFA_OFFSET,
	CFA_DEF_CFA_EXPRESSION, CFA_EXPRESSION, CFA_OFFSET_EXTENDED_SF, CFA_DEF_CFA_SF,
	CFA_DEF_CFA_OFFSET_SF, CFA_VAL_OFFSET, CFA_VAL_OFFSET_SF, CFA_VAL_EXPRESSION,
	CFA_ARGS_SIZE = 0x2e, CFA_NEGATIVE_OFFSET_EXTENDED,
};

/* Where registers are saved. False: it is no such instruction. */
static bool register_rule(struct run *r, struct cursor *c, int op)
{
	uint64_t reg = cursor_uleb(c);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		save_factored(r, reg, (int64_t)cursor_uleb(c));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		save_factored(r, reg, cursor_sleb(c));
		return true;
	case CFA_NEGATIVE_OFFSET_EXTENDED:
		save_factored(r, reg, -(int64_t)(cursor_uleb(c) & INT64_MAX));
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(r, reg);
		return true;
	case CFA_UNDEFINED:
		save(r, reg, HOW_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		save(r, reg, HOW_SAME, 0);
		return true;
	case CFA_REGISTER:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		save(r, reg, HOW_OTHER, 0);
		cursor_uleb(c);		/* a signed one is as long */
		return true;
	case CFA_EXPRESSION:
		save_expression(r, reg, cursor_take(c, cursor_uleb(c)));
		return true;
	case CFA_VAL_EXPRESSION:
		save(r, reg, HOW_OTHER, 0);
		cursor_take(c, cursor_uleb(c));
		return true;
	}
	return false;
}

/* Where the CFA is, and the rest. */
static void extended(struct run *r, struct cursor *c, int op)
{
	switch (op) {
	case 0:
		break;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		advance(r, op == CFA_ADVANCE1 ? cursor_byte(c) : cursor_word(c, 1 << (op - CFA_ADVANCE1)));
		break;
	case CFA_REMEMBER:
		remember(r);
		break;
	case CFA_RESTORE_STATE:
		recall(r);
		break;
	case CFA_DEF_CFA:
		cfa_register(r, cursor_uleb(c));
		cfa_offset(r, (int64_t)cursor_uleb(c));
		break;
	case CFA_DEF_CFA_SF:
		cfa_register(r, cursor_uleb(c));
		cfa_factored(r, cursor_sleb(c));
		break;
	case CFA_DEF_CFA_REGISTER:
		cfa_register(r, cursor_uleb(c));
		break;
	case CFA_DEF_CFA_OFFSET:
		cfa_offset(r, (int64_t)cursor_uleb(c));
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		cfa_factored(r, cursor_sleb(c));
		break;
	case CFA_DEF_CFA_EXPRESSION:
		cfa_expression(r, cursor_take(c, cursor_uleb(c)));
		break;
	case CFA_ARGS_SIZE:
		cursor_uleb(c);
		break;
	default:			/* CFA_SET_LOC, too: no compiler makes it */
		if (!register_rule(r, c, op))
			r->stop = true;
	}
}

static void run(struct run *r, struct cursor c)
{
	for (unsigned n = 0; c.p < c.end && !r->stop && !c.bad && n < WORK_MOST; n++) {
		int op = cursor_byte(&c), low = op & 0x3f;

		switch (op >> 6) {
		case 0:
			extended(r, &c, low);
			break;
		case 1:
			advance(r, (uint64_t)low);
			break;
		case 2:
			save_factored(r, (uint64_t)low, (int64_t)cursor_uleb(&c));
			break;
		case 3:
			restore(r, (uint64_t)low);
			break;
		}
	}
	r->stop |= c.bad;
}

void ehframe_run(const struct cie *cie, struct cursor program, uint64_t begin, uint64_t end,
		 struct rows *rows)
{
	struct run r;

	/* kept is large and nearly always empty: not cleared */
	memset(&r, 0, offsetof(struct run, kept));
	r.cie = cie;
	r.now.ra.how = HOW_OTHER;
	r.n_kept = 0;
	r.at = begin;
	r.end = end;
	r.rows = rows;
	r.in_cie = true;
	r.stop = false;
	run(&r, cie->program);
	r.in_cie = false;
	r.at = begin;
	r.first = r.now;
	if (!r.stop)
		run(&r, program);
	if (r.stop) {
		r.now.cfa = CFA_NONE;
		r.now.ra.how = HOW_OTHER;
	}
	row(&r);
}
