/*
 * A row that `in` asks for a period which it is itself, or may be; one whose part it may be.
 */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"
#include "plan/build_event.h"

/* Are f's calls those of one that m names? *of: which. */
static enum func_within within(const struct cat_function *f, const struct source_match *m,
			       const struct cat_function **of)
{
	enum func_within best = WITHIN_NEVER;

	for (int i = 0; i < m->functions.n; i++) {
		enum func_within is = source_func_within(f, m->functions.v[i]);

		if (is <= best)
			continue;
		best = is;
		*of = m->functions.v[i];
	}
	return best;
}

static enum func_within within_period(const struct cat_function *f, const struct b_period *p,
				      const struct cat_function **of)
{
	enum func_within best = WITHIN_NEVER;

	for (int i = 0; i < p->ends.n && best != WITHIN_ALWAYS; i++) {
		enum func_within is = within(f, p->ends.v[i].match, of);

		best = is > best ? is : best;
	}
	return best;
}

static bool is_always(const struct cat_function *f, const struct b_period *p)
{
	const struct cat_function *of;

	return within_period(f, p, &of) == WITHIN_ALWAYS;
}

const struct cat_function *build_shared_function(struct b_period *x, struct b_period *y)
{
	const struct cat_function *of;

	for (int i = 0; i < build_n_actions(x); i++) {
		const struct source_match *m = build_action_at(x, i)->match;

		for (int f = 0; f < m->functions.n; f++)
			for (int k = 0; k < build_n_actions(y); k++)
				if (within(m->functions.v[f], build_action_at(y, k)->match, &of))
					return m->functions.v[f];
	}
	return NULL;
}

/*
 * Rows and periods of one function are of two programs, and which of them the kernel runs
 * first is not ours to say: the period could end before the row asks. But such a row is
 * the period's own call, and its function says so. NULL: none of the row's functions is.
 * known: can it be told by the function's name?
 */
static struct px *is_own_call(struct build *b, const struct b_branch *row, const struct b_period *p,
			      bool *known)
{
	const struct source_match *m = row->end->match;
	struct px *e = px_new(b->env, PX_IN, row->end->loc, &type_bool);
	int n_own = 0;

	*known = true;
	e->kids = arena_array(b->arena, struct px *, m->functions.n + 1);
	e->n_kids = 1;
	for (int i = 0; i < m->functions.n; i++) {
		bool own = is_always(m->functions.v[i], p);

		for (int k = 0; k < i; k++)
			if (!strcmp(m->functions.v[k]->name, m->functions.v[i]->name))
				*known &= is_always(m->functions.v[k], p) == own;
		n_own += own;
		if (!own)
			continue;
		e->kids[e->n_kids++] = px_number(b->env, e->loc,
				build_event_number(b, m->functions.v[i]->name), &type_int);
	}
	if (!n_own || !*known)
		return NULL;
	if (n_own == m->functions.n)
		return px_bool(b->env, e->loc, true);
	e->kids[0] = px_new(b->env, PX_COMMON, e->loc, &type_int);
	e->kids[0]->common = COMMON_EVENT;
	return e;
}

/* Are only the calls that one process makes of the row's function the period's? That is said. */
static bool is_of_one_process(struct build *b, const struct source_match *m, const struct b_period *p,
			      struct loc loc)
{
	const struct cat_function *of;

	for (int i = 0; i < m->functions.n; i++) {
		if (within_period(m->functions.v[i], p, &of) != WITHIN_SOMETIMES)
			continue;
		diag_error(b->diag, DIAG_STAGE_ORDER, loc, "'in' is of calls of %s() in process %lld, the row's source of "
			   "those in all: which rows are such calls is not known", of->name, (long long)of->pid);
		diag_help(b->diag, "name the process in the row's source, too: pid:%lld:%s()", (long long)of->pid, of->name);
		return true;
	}
	return false;
}

bool build_itself(struct build *b, const struct b_branch *row, const struct b_period *p, struct loc loc,
		  struct px **itself)
{
	bool known = true;

	if (p != row->period && is_of_one_process(b, row->end->match, p, loc))
		return false;
	*itself = p == row->period ? px_bool(b->env, loc, true) : is_own_call(b, row, p, &known);
	if (!known) {
		diag_error(b->diag, DIAG_STAGE_ORDER, loc, "the row's source and 'in' have several functions of "
			   "one name: their calls cannot be told apart");
		diag_help(b->diag, "write its file or module on both sides: MODULE:NAME()");
	} else if (*itself && !row->period) {
		diag_error(b->diag, DIAG_STAGE_ORDER, loc, "a call's own entry and return are not known to "
			   "be inside of it or not");
		diag_help(b->diag, "leave the function out of one side, or write NAME() "
			  "without .enter or .return");
	}
	return known && (!*itself || row->period);
}
