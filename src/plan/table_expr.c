/*
 * Expressions of the table stages: over columns, in real numbers.
 *
 * A name is a column; so is any other expression whose text is a column's
 * name: `sum(duration)`, `begin.comm`, `hits.count`. Types are for the view
 * here: a ratio is real, a duration divided by a number is a duration. How it
 * is computed is in table/expr.c.
 */
#include "plan/check.h"

#include "plan/check_in.h"
#include "plan/func.h"
#include "plan/literal.h"

struct tables {
	struct check_env *env;
	const struct column *columns;
	int n;
	int *n_delta_slots;
	bool failed;
};

static const struct type type_text = { .kind = TY_STRING };

static struct tx *node(struct tables *t, int op, const struct type *type, int n)
{
	struct tx *x = arena_new(t->env->arena, struct tx);

	x->op = (uint8_t)op;
	x->type = *type;
	x->column = -1;
	x->n_kids = n;
	x->kids = n ? arena_array(t->env->arena, struct tx *, n) : NULL;
	return x;
}

static struct tx *wrong(struct tables *t, const char *tag, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static struct tx *wrong(struct tables *t, const char *tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(t->env->diag, tag, loc, "%s", arena_vprintf(t->env->arena, fmt, ap));
	va_end(ap);
	t->failed = true;
	return node(t, TX_NUMBER, &type_poison, 0);
}

static bool is_poison(const struct tx *x)
{
	return x->type.kind == TY_POISON;
}

static bool is_text(const struct tx *x)
{
	return !type_is_word(&x->type);
}

/* ---- columns ---- */

/* Its text without blanks, as columns are named. */
static const char *name_of(struct tables *t, struct loc loc)
{
	struct str s = loc_text(loc);
	char *p = arena_strndup(t->env->arena, s.p, (size_t)s.n), *to = p;

	for (int i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '\n' && s.p[i] != '\r')
			*to++ = s.p[i];
	*to = '\0';
	return p;
}

static int column_find(const struct tables *t, const char *name)
{
	for (int i = 0; i < t->n; i++)
		if (!strcmp(t->columns[i].name, name))
			return i;
	return -1;
}

static int column_of(struct tables *t, const struct ax *e)
{
	if (e->kind == AX_NAME)
		return column_find(t, arena_strndup(t->env->arena, e->text.p, (size_t)e->text.n));
	if (e->kind == AX_INT || e->kind == AX_REAL || e->kind == AX_STRING || e->kind == AX_PARAM)
		return -1;
	return column_find(t, name_of(t, e->loc));
}

static struct tx *column(struct tables *t, const struct ax *e, int i)
{
	struct tx *x;

	if (t->columns[i].type.kind == TY_HIST)
		return wrong(t, DIAG_TYPE_MISMATCH, e->loc,
			     "column '%s' is a histogram, not a number", t->columns[i].name);
	x = node(t, TX_COLUMN, &t->columns[i].type, 0);
	x->column = i;
	return x;
}

static struct tx *no_column(struct tables *t, const struct ax *e)
{
	const char **names = arena_array(t->env->arena, const char *, t->n);
	const char *name = name_of(t, e->loc);
	struct tx *x;

	for (int i = 0; i < t->n; i++)
		names[i] = t->columns[i].name;
	x = wrong(t, DIAG_UNKNOWN_NAME, e->loc, "no column '%s'", name);
	help_names(t->env, str_of(name), "columns", names, t->n);
	return x;
}

/* ---- nodes ---- */

static struct tx *check(struct tables *t, const struct ax *e);

static struct tx *text(struct tables *t, struct str s)
{
	struct tx *x = node(t, TX_TEXT, &type_text, 0);

	x->text = arena_strndup(t->env->arena, s.p, (size_t)s.n);
	return x;
}

/* A constant of the language as a constant here. */
static struct tx *constant(struct tables *t, const struct ax *e)
{
	const struct px *c = check_const(t->env, e);
	struct tx *x;

	if (px_is_poison(c)) {
		t->failed = true;
		return node(t, TX_NUMBER, &type_poison, 0);
	}
	if (c->op == PX_TEXT)
		return text(t, c->text);
	x = node(t, TX_NUMBER, &c->type, 0);
	x->number = c->type.is_signed ? (double)c->number : (double)(uint64_t)c->number;
	return x;
}

static struct tx *name(struct tables *t, const struct ax *e)
{
	const struct catalog *c = t->env->catalog;
	struct type type;
	int64_t n;

	if (literal_find(e->text, &n, &type) ||
	    (c && c->ops->enumerator(c->self, e->text, &n, &type)))
		return constant(t, e);
	return no_column(t, e);
}

/* Beside a column with names, a name is one of them. */
static struct tx *partner(struct tables *t, const struct ax *e, const struct tx *other)
{
	int64_t n;

	if (e->kind == AX_NAME && other->type.en && column_of(t, e) < 0 &&
	    literal_in_enum(other->type.en, e->text, &n))
		return text(t, e->text);
	return check(t, e);
}

static struct tx *operands(struct tables *t, const struct ax *e, struct tx *x)
{
	bool second_first = e->kids[0]->kind == AX_NAME && column_of(t, e->kids[0]) < 0;
	int a = second_first;

	x->kids[a] = check(t, e->kids[a]);
	x->kids[1 - a] = partner(t, e->kids[1 - a], x->kids[a]);
	return x;
}

static bool is_unit(const struct type *t)
{
	return t->kind == TY_DURATION || t->kind == TY_SIZE || t->kind == TY_TIME;
}

static struct type arith_type(int op, const struct type *a, const struct type *b)
{
	struct type t = type_real;

	if (op == OP_ADD || op == OP_SUB || op == OP_MOD) {
		t = is_unit(b) && !is_unit(a) ? *b : *a;
		if (op == OP_SUB && a->kind == TY_TIME && b->kind == TY_TIME)
			t = type_duration;
		else if (!is_unit(&t))
			t = a->kind == TY_INT && b->kind == TY_INT ? type_int : type_real;
	} else if (op == OP_MUL) {
		if (is_unit(a) != is_unit(b))
			t = is_unit(a) ? *a : *b;
		else if (a->kind == TY_INT && b->kind == TY_INT)
			t = type_int;
	} else if (op == OP_DIV && is_unit(a) && !is_unit(b)) {
		t = *a;
	}
	t.is_signed = true;
	return t;
}

static bool units_agree(int op, const struct type *a, const struct type *b)
{
	if (op == OP_MUL || op == OP_DIV || !is_unit(a) || !is_unit(b) || a->kind == b->kind)
		return true;
	return (a->kind == TY_TIME && b->kind == TY_DURATION) ||
	       (op == OP_ADD && a->kind == TY_DURATION && b->kind == TY_TIME);
}

static struct tx *binary_type(struct tables *t, const struct ax *e, struct tx *x)
{
	const struct type *a = &x->kids[0]->type, *b = &x->kids[1]->type;
	enum op_class class = op_class(e->op);

	if (class == CLASS_LOGIC)
		return x;
	if (class == CLASS_EQUAL || class == CLASS_COMPARE) {
		if (is_unit(a) && is_unit(b) && a->kind != b->kind)
			return wrong(t, DIAG_TYPE_MISMATCH, e->loc, "a %s cannot be compared with a %s",
				     type_name(a), type_name(b));
		return x;
	}
	if (is_text(x->kids[0]) || is_text(x->kids[1]))
		return wrong(t, DIAG_NOT_A_NUMBER, e->loc, "'%s' needs numbers", op_text(e->op));
	if (class == CLASS_BITS || class == CLASS_SHIFT) {
		x->type = type_int;
		return x;
	}
	if (!units_agree(e->op, a, b))
		return wrong(t, DIAG_TYPE_MISMATCH, e->loc, "a %s has no '%s' with a %s", type_name(a),
			     op_text(e->op), type_name(b));
	x->type = arith_type(e->op, a, b);
	return x;
}

static struct tx *match(struct tables *t, const struct ax *e)
{
	struct tx *x = node(t, TX_MATCH, &type_bool, 1), *glob = check(t, e->kids[1]);

	x->kids[0] = check(t, e->kids[0]);
	if (is_poison(glob) || is_poison(x->kids[0]))
		return node(t, TX_NUMBER, &type_poison, 0);
	if (glob->op != TX_TEXT)
		return wrong(t, DIAG_NOT_A_STRING, e->kids[1]->loc,
			     "'~' needs a constant pattern after it: ~ \"nginx*\"");
	if (!is_text(x->kids[0]) && !x->kids[0]->type.en)
		return wrong(t, DIAG_NOT_A_STRING, e->kids[0]->loc,
			     "'~' needs a string, but this has type %s", type_name(&x->kids[0]->type));
	x->text = glob->text;
	return x;
}

static struct tx *binary(struct tables *t, const struct ax *e)
{
	struct tx *x;

	if (op_class(e->op) == CLASS_MATCH)
		return match(t, e);
	x = operands(t, e, node(t, TX_BINARY, &type_bool, 2));
	x->c_op = e->op;
	if (is_poison(x->kids[0]) || is_poison(x->kids[1]))
		return node(t, TX_NUMBER, &type_poison, 0);
	return binary_type(t, e, x);
}

static struct tx *unary(struct tables *t, const struct ax *e)
{
	struct tx *x = node(t, TX_UNARY, &type_bool, 1);

	x->kids[0] = check(t, e->kids[0]);
	x->c_op = e->op;
	if (is_poison(x->kids[0]) || e->op == OP_NOT)
		return is_poison(x->kids[0]) ? x->kids[0] : x;
	if (is_text(x->kids[0]))
		return wrong(t, DIAG_NOT_A_NUMBER, e->loc, "'%s' needs a number", op_text(e->op));
	x->type = x->kids[0]->type;
	x->type.is_signed = true;
	return x;
}

static struct tx *choice(struct tables *t, const struct ax *e)
{
	struct tx *x = node(t, TX_COND, &type_bool, 3);

	for (int i = 0; i < 3; i++)
		x->kids[i] = check(t, e->kids[i]);
	for (int i = 0; i < 3; i++)
		if (is_poison(x->kids[i]))
			return x->kids[i];
	if (is_text(x->kids[1]) != is_text(x->kids[2]))
		return wrong(t, DIAG_TYPE_MISMATCH, e->loc, "the values have different types: %s and %s",
			     type_name(&x->kids[1]->type), type_name(&x->kids[2]->type));
	x->type = x->kids[x->kids[1]->type.kind == TY_INT ? 2 : 1]->type;
	return x;
}

static struct tx *in_list(struct tables *t, const struct ax *e)
{
	struct tx *x = node(t, TX_IN, &type_bool, e->n_kids);

	x->kids[0] = check(t, e->kids[0]);
	for (int i = 1; i < e->n_kids; i++)
		x->kids[i] = partner(t, e->kids[i], x->kids[0]);
	return x;
}

/* ---- functions ---- */

static struct tx *call_numbers(struct tables *t, const struct ax *e)
{
	struct tx *x = node(t, TX_CALL, &type_real, e->n_kids);

	for (int i = 0; i < e->n_kids; i++) {
		x->kids[i] = check(t, e->kids[i]);
		if (is_poison(x->kids[i]))
			return x->kids[i];
		if (is_text(x->kids[i]))
			return wrong(t, DIAG_NOT_A_NUMBER, e->kids[i]->loc,
				     "%.*s() needs numbers", STR_ARG(e->text));
	}
	x->type = x->kids[0]->type;
	if (e->n_kids > 1 && x->type.kind == TY_INT)
		x->type = x->kids[1]->type;
	if (e->n_kids > 1 && !units_agree(OP_SUB, &x->kids[0]->type, &x->kids[1]->type))
		return wrong(t, DIAG_TYPE_MISMATCH, e->loc, "the values have different types: %s and %s",
			     type_name(&x->kids[0]->type), type_name(&x->kids[1]->type));
	return x;
}

static struct tx *call_column(struct tables *t, const struct ax *e, const struct func_ops *f)
{
	struct tx *x = check(t, e->kids[0]);

	if (is_poison(x))
		return x;
	if (x->op != TX_COLUMN || is_text(x))
		return wrong(t, DIAG_NOT_A_NUMBER, e->kids[0]->loc,
			     "%.*s() needs a column of numbers", STR_ARG(e->text));
	x->type.is_signed = true;
	if (f->needs == TX_NEEDS_LAST)
		x->slot = (*t->n_delta_slots)++;
	return x;
}

static struct tx *call_text(struct tables *t, const struct ax *e)
{
	struct tx *x = check(t, e->kids[0]);

	if (is_poison(x))
		return x;
	if (x->op != TX_TEXT)
		return wrong(t, DIAG_NOT_A_STRING, e->kids[0]->loc,
			     "%.*s() needs a constant string",
			     STR_ARG(e->text));
	return x;
}

static struct tx *call(struct tables *t, const struct ax *e)
{
	const struct func_ops *f = func_find(e->text);
	struct tx *x;

	if (!func_check_call(t->env, e, f, true)) {
		t->failed = true;
		return node(t, TX_NUMBER, &type_poison, 0);
	}
	x = f->over == OVER_COLUMN ? call_column(t, e, f)
	  : f->over == OVER_TEXT ? call_text(t, e) : call_numbers(t, e);
	if (is_poison(x))
		return x;
	x->op = TX_CALL;
	x->needs = f->needs;
	x->value = f->value;
	if (f->over_type.kind)
		x->type = f->over_type;
	return x;
}

/* ---- dispatch ---- */

static struct tx *real(struct tables *t, const struct ax *e)
{
	struct tx *x = node(t, TX_NUMBER, &type_real, 0);

	x->number = e->real;
	return x;
}

static struct tx *(*const checkers[])(struct tables *t, const struct ax *e) = {
	[AX_INT] = constant, [AX_REAL] = real, [AX_STRING] = constant, [AX_NAME] = name,
	[AX_PARAM] = constant, [AX_SIDE] = no_column, [AX_MEMBER] = no_column,
	[AX_INDEX] = no_column, [AX_AS_STRUCT] = no_column, [AX_AS_INT] = no_column,
	[AX_UNARY] = unary, [AX_BINARY] = binary, [AX_COND] = choice, [AX_IN] = in_list,
	[AX_CALL] = call,
};

static struct tx *check(struct tables *t, const struct ax *e)
{
	int i = column_of(t, e);

	return i >= 0 ? column(t, e, i) : checkers[e->kind](t, e);
}

struct tx *check_table_expr(struct check_env *env, const struct column *columns, int n,
			    const struct ax *e, int *n_delta_slots)
{
	struct tables t = { .env = env, .columns = columns, .n = n,
			    .n_delta_slots = n_delta_slots };
	struct tx *x = check(&t, e);

	return t.failed || is_poison(x) ? NULL : x;
}
