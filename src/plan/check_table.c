/*
 * Table stages: what names and functions are there, and the checked expression as table/
 * computes it. The operators' rules are those of rows, in real numbers (check_op.c).
 *
 * A name is a column; so is any other expression whose text is a column's name:
 * `sum(duration)`, `begin.comm`, `hits.count`.
 */
#include "plan/check_help.h"
#include "plan/check_in.h"
#include "plan/check_scope.h"
#include "plan/check_type.h"

#include "plan/func.h"

/* ---- columns ---- */

/* Its text without blanks, as columns are named. */
static struct str name_of(struct check_env *env, const struct ax *e)
{
	struct str s = loc_text(e->loc);
	char *p = arena_strndup(env->arena, s.p, (size_t)s.n), *to = p;

	for (int i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\n' && s.p[i] != '\r')
			*to++ = s.p[i];
	return (struct str){ p, (int)(to - p) };
}

static int column_of(struct scope *s, const struct ax *e)
{
	if (e->kind == AX_NAME)
		return table_column(s->table, e->text);
	if (e->kind == AX_INT || e->kind == AX_REAL || e->kind == AX_STRING || e->kind == AX_PARAM)
		return -1;
	return table_column(s->table, name_of(s->env, e));
}

static struct px *column(struct scope *s, const struct ax *e, int i)
{
	const struct column *c = &s->table->columns[i];
	struct px *x;

	if (c->type.kind == TY_HIST)
		return px_wrong(s->env, DIAG_TYPE_MISMATCH, e->loc,
				"column '%s' is a histogram, not a number", c->name);
	x = px_new(s->env, PX_COLUMN, e->loc, &c->type);
	x->index = i;
	return x;
}

struct px *check_no_column(struct scope *s, const struct ax *e)
{
	const char **names = arena_array(s->env->arena, const char *, s->table->n);
	struct str name = name_of(s->env, e);
	struct px *x;

	for (int i = 0; i < s->table->n; i++)
		names[i] = s->table->columns[i].name;
	x = px_wrong(s->env, DIAG_UNKNOWN_NAME, e->loc, "no column '%.*s'", STR_ARG(name));
	help_names(s->env, name, "columns", names, s->table->n);
	return x;
}

/* ---- functions ---- */

static struct px *not_number(struct scope *s, const struct ax *call, int arg, const char *what)
{
	return px_wrong(s->env, DIAG_NOT_A_NUMBER, call->kids[arg]->loc, "%.*s() needs %s",
			STR_ARG(call->text), what);
}

/* Numbers of one unit, which is the result's. */
static struct px *call_numbers(struct scope *s, const struct ax *e, struct px **kids)
{
	struct type t;

	for (int i = 0; i < e->n_kids; i++)
		if (!px_is_word(kids[i]))
			return not_number(s, e, i, "numbers");
	t = kids[0]->type;
	if (e->n_kids > 1) {
		if (!px_unify(s, e->loc, kids[0], kids[1]))
			return px_poison(s->env, e->loc);
		t = type_common(kids[0], kids[1]);
	}
	return px_node(s->env, PX_CALL, e->loc, &t, e->n_kids, kids);
}

static struct px *call_column(struct scope *s, const struct ax *e, struct px **kids)
{
	struct px *x;

	if (kids[0]->op != PX_COLUMN || !px_is_word(kids[0]))
		return not_number(s, e, 0, "a column of numbers");
	x = px_node(s->env, PX_CALL, e->loc, &kids[0]->type, 1, kids);
	x->type.is_signed = true;
	return x;
}

static struct px *call_text(struct scope *s, const struct ax *e, struct px **kids)
{
	if (kids[0]->op != PX_TEXT)
		return px_wrong(s->env, DIAG_NOT_A_STRING, e->kids[0]->loc,
				"%.*s() needs a constant string", STR_ARG(e->text));
	return px_node(s->env, PX_CALL, e->loc, &kids[0]->type, 1, kids);
}

static struct px *call(struct scope *s, const struct ax *e)
{
	static struct px *(*const rules[])(struct scope *s, const struct ax *e, struct px **kids) = {
		[OVER_NUMBERS] = call_numbers, [OVER_COLUMN] = call_column, [OVER_TEXT] = call_text,
	};
	const struct func_ops *f = func_find(s->env->registry, e->text);
	struct px **kids = arena_array(s->env->arena, struct px *, e->n_kids), *x;

	if (!func_check_call(s->env, e, f, true))
		return px_poison(s->env, e->loc);
	for (int i = 0; i < e->n_kids; i++) {
		kids[i] = check_ax(s, e->kids[i]);
		if (px_is_poison(kids[i]))
			return kids[i];
	}
	x = rules[f->over](s, e, kids);
	if (px_is_poison(x))
		return x;
	x->func = f;
	if (f->over_type.kind)
		x->type = f->over_type;
	if (f->needs == TX_NEEDS_LAST)
		x->index = (*s->table->n_delta_slots)++;
	return x;
}

static struct px *real(struct scope *s, const struct ax *e)
{
	struct px *x = px_new(s->env, PX_REAL, e->loc, &type_real);

	x->real = e->real;
	return x;
}

struct px *check_table(struct scope *s, const struct ax *e)
{
	int i = column_of(s, e);

	if (i >= 0)
		return column(s, e, i);
	switch (e->kind) {
	case AX_SIDE: case AX_MEMBER: case AX_INDEX: case AX_AS_STRUCT: case AX_AS_INT:
		return check_no_column(s, e);
	case AX_CALL:
		return call(s, e);
	case AX_REAL:
		return real(s, e);
	}
	return NULL;
}

/* ---- for table/ ---- */

static const uint8_t tx_ops[] = {
	[PX_NUMBER] = TX_NUMBER, [PX_REAL] = TX_NUMBER, [PX_TEXT] = TX_TEXT, [PX_COLUMN] = TX_COLUMN,
	[PX_UNARY] = TX_UNARY, [PX_BINARY] = TX_BINARY, [PX_COND] = TX_COND, [PX_MATCH] = TX_MATCH,
	[PX_IN] = TX_IN, [PX_CALL] = TX_CALL,
};

static struct tx *to_table(struct arena *a, const struct px *e)
{
	struct tx *x = arena_new(a, struct tx);

	x->op = tx_ops[e->op];
	x->c_op = e->c_op;
	x->type = e->type;
	x->number = e->op == PX_REAL ? e->real : e->type.is_signed ? (long double)e->number
								    : (long double)(uint64_t)e->number;
	x->text = e->text.p ? arena_strndup(a, e->text.p, (size_t)e->text.n) : NULL;
	x->column = e->op == PX_COLUMN ? e->index : -1;
	x->n_kids = e->n_kids;
	x->kids = arena_array(a, struct tx *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++)
		x->kids[i] = to_table(a, e->kids[i]);
	if (e->op != PX_CALL)
		return x;
	x->needs = (uint8_t)e->func->needs;
	x->value = e->func->value;
	x->slot = e->index;
	if (e->func->over == OVER_COLUMN)
		x->column = x->kids[0]->column;
	if (e->func->over == OVER_TEXT)
		x->text = x->kids[0]->text;
	return x;
}

struct tx *check_table_expr(struct check_env *env, struct table_scope table, const struct ax *e)
{
	struct scope s = { .env = env, .table = &table };
	struct px *x = check_ax(&s, e);

	return px_is_poison(x) ? NULL : to_table(env->arena, x);
}
