/* Conditions that no value meets together, as of options: duration >= 5 ms and <= 1 ms. */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"

/* X op NUMBER: which numbers X may be, from and to; of an X that fits with the sign bit turned, so
 * that they are in order as they are. */
struct range {
	const struct px *term, *of;
	uint64_t least, most;
};

typedef VEC(struct range) ranges;

static bool is_call(const struct px *e, void *arg)
{
	(void)arg;
	return e->op == PX_CALL;	/* may be another value the next time */
}

static int mirrored(int op)
{
	return op == OP_LT ? OP_GT : op == OP_GT ? OP_LT : op == OP_LE ? OP_GE : op == OP_GE ? OP_LE : op;
}

static void add_range(struct arena *a, const struct px *e, ranges *to)
{
	bool number_first = e->kids[0]->op == PX_NUMBER;
	int op = number_first ? mirrored(e->c_op) : e->c_op;
	struct range r = { e, e->kids[number_first], 0, UINT64_MAX };
	int64_t number;
	uint64_t v;

	if (!px_is_number(e->kids[!number_first], &number) || px_any(r.of, is_call, NULL))
		return;
	v = (uint64_t)number ^ (r.of->type.is_signed || r.of->type.size < 8 ? 1ull << 63 : 0);
	switch (op) {			/* below the least number and above the most are all: of them nothing is told */
	case OP_EQ: r.least = r.most = v; break;
	case OP_LT: r.most = v - 1; break;
	case OP_LE: r.most = v; break;
	case OP_GT: r.least = v + 1; break;
	case OP_GE: r.least = v; break;
	default: return;
	}
	*vec_add(a, to) = r;
}

static void add_terms(struct arena *a, const struct px *e, ranges *to)
{
	if (e->op != PX_BINARY)
		return;
	if (e->c_op == OP_AND) {
		add_terms(a, e->kids[0], to);
		add_terms(a, e->kids[1], to);
	} else {
		add_range(a, e, to);
	}
}

void build_warn_empty(struct build *b, const struct p_branch *branch)
{
	ranges all = { 0 };

	for (int i = 0; i < branch->steps.n; i++)
		if (branch->steps.v[i].kind == STEP_WHERE)
			add_terms(b->arena, branch->steps.v[i].expr, &all);
	for (int i = 1; i < all.n; i++)
		for (int k = 0; k < i; k++) {
			const struct range *x = &all.v[k], *y = &all.v[i];

			if ((x->least <= y->most && y->least <= x->most) || !px_equal(x->of, y->of))
				continue;
			diag_warning(b->diag, DIAG_NEVER_TRUE, y->term->loc, "no row can pass both this and '%.*s'",
				     STR_ARG(loc_text(x->term->loc)));
			return;
		}
}
