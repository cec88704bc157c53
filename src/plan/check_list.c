/* `in` and `~`: a value beside a list of constants, or a pattern. See check_in.h. */
#include "plan/check_in.h"

static bool in_element(struct scope *s, const struct ax *e, struct px *value, struct px **element)
{
	struct px *k = check_partner(s, e, &value->type);

	if (px_is_poison(k))
		return false;
	if (k->op != PX_NUMBER && k->op != PX_TEXT && k->op != PX_REAL) {
		diag_error(s->env->diag, DIAG_TYPE_MISMATCH, e->loc,
			   "the list of 'in' takes only constants: compare this one with ==");
		return false;
	}
	*element = px_copy(s->env, k);
	if (px_is_none(value))
		return true;
	if (!scope_comparable(s, value, k)) {
		px_mismatch(s, e->loc, value, "cannot be compared with", k);
		return false;
	}
	if (!check_compared(s, "in", value, k))
		return false;
	px_adopt_type(*element, &value->type);
	return check_text_fits(s->env, value, k);
}

struct px *check_in_list(struct scope *s, const struct ax *e)
{
	struct px **kids = arena_array(s->env->arena, struct px *, e->n_kids);
	bool fine = true;

	kids[0] = check_ax(s, e->kids[0]);
	if (px_is_poison(kids[0]))
		return kids[0];
	if (!px_is_none(kids[0]) && !scope_is_text(s, kids[0]) &&
	    (!px_is_word(kids[0]) || type_is_memory(&kids[0]->type))) {
		diag_error(s->env->diag, DIAG_TYPE_MISMATCH, e->kids[0]->loc,
			   "'in' cannot look for a value of type %s", type_name(&kids[0]->type));
		return px_poison(s->env, e->loc);
	}
	for (int i = 1; i < e->n_kids; i++)
		fine &= in_element(s, e->kids[i], kids[0], &kids[i]);
	if (!fine)
		return px_poison(s->env, e->loc);
	return folded(s, px_truth(s->env, PX_IN, e->loc, e->n_kids, kids));
}

/* A pattern over names: the values whose names match. */
static struct px *match_names(struct scope *s, const struct ax *e, struct px *a, const struct px *glob)
{
	const struct enum_desc *en = a->type.en;
	struct px **kids = arena_array(s->env->arena, struct px *, en->n + 1);
	int n = 1;

	kids[0] = a;
	for (int i = 0; i < en->n; i++)
		if (en->values[i].name && str_glob(glob->text, str_of(en->values[i].name)))
			kids[n++] = px_number(s->env, e->loc, en->values[i].value, &a->type);
	if (n == 1) {
		if (a->type.kind == TY_EVENT)
			diag_warning(s->env->diag, DIAG_NEVER_MATCHES, glob->loc, "no event here has a name like '%.*s'",
				     STR_ARG(glob->text));
		return px_bool(s->env, e->loc, false);
	}
	return folded(s, px_truth(s->env, PX_IN, e->loc, n, kids));
}

struct px *check_match(struct scope *s, const struct ax *e)
{
	struct px *a = check_ax(s, e->kids[0]), *glob = check_ax(s, e->kids[1]), *x;

	if (px_is_poison(a) || px_is_poison(glob))
		return px_poison(s->env, e->loc);
	if (glob->op != PX_TEXT)
		return px_wrong(s->env, DIAG_NOT_A_STRING, e->kids[1]->loc,
				"'~' needs a constant pattern after it: ~ \"nginx*\"");
	if (glob->text.n > GLOB_BYTES_MOST) {
		diag_error(s->env->diag, DIAG_GLOB_TOO_LONG, e->kids[1]->loc,
			   "this pattern has %d characters: at most %d are possible", glob->text.n, GLOB_BYTES_MOST);
		return px_poison(s->env, e->loc);
	}
	if (type_has_names(&a->type) && a->type.kind != TY_FLAGS && a->type.kind != TY_BLKFLAGS)
		return match_names(s, e, a, glob);
	if (!px_is_none(a) && !scope_is_text(s, a) && a->type.kind != TY_ARGS) {
		diag_error(s->env->diag, DIAG_NOT_A_STRING, e->kids[0]->loc,
			   "'~' needs a string, but this has type %s", type_name(&a->type));
		if (type_has_names(&a->type))
			diag_help(s->env->diag, "several flags can be set at once: test one with &");
		else
			check_help_no_text(s->env, a);
		return px_poison(s->env, e->loc);
	}
	if (!check_pattern_fits(s->env, a, glob))
		return px_poison(s->env, e->loc);
	x = px_truth(s->env, PX_MATCH, e->loc, 1, &a);
	x->text = glob->text;
	return folded(s, x);
}
