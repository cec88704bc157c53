/*
 * The operators' type rules: which types go together says check_type.c; times and durations add
 * up. The result is signed when both operands are, and a
 * comparison is of signed numbers then. A comparison with none is false, and so
 * is none as a condition; any other operation with none is none.
 */
#include "plan/check_help.h"
#include "plan/check_in.h"
#include "plan/check_scope.h"
#include "plan/check_text.h"
#include "plan/check_type.h"

#include "plan/literal.h"

static const char *no_op(const struct scope *s, const struct ax *e)
{
	return arena_printf(s->env->arena, "has no '%s' with", op_text(e->op));
}

/* ---- names beside an enum ---- */

static struct px *no_enumerator(struct scope *s, const struct ax *e, const struct type *t)
{
	const char **names = arena_array(s->env->arena, const char *, t->en->n);
	int n = 0;

	for (int i = 0; i < t->en->n; i++)
		if (t->en->values[i].name)
			names[n++] = t->en->values[i].name;
	diag_error(s->env->diag, DIAG_NO_ENUMERATOR, e->loc, "'%.*s' is not a value of %s", STR_ARG(e->text),
		   t->en->name ? t->en->name : type_name(t));
	help_names(s->env, e->text, "names", names, n);
	return px_poison(s->env, e->loc);
}

struct px *check_partner(struct scope *s, const struct ax *e, const struct type *t)
{
	bool text = e->kind == AX_STRING;
	struct type found;
	int64_t n;

	if (e->kind == AX_BINARY && e->op == OP_BOR && type_has_names(t)) {
		struct px *kids[2] = { check_partner(s, e->kids[0], t),
				       check_partner(s, e->kids[1], t) };

		if (!px_unify(s, e->loc, kids[0], kids[1]))
			return px_poison(s->env, e->loc);
		found = type_common(kids[0], kids[1]);
		kids[0] = px_node(s->env, PX_BINARY, e->loc, &found, 2, kids);
		kids[0]->c_op = OP_BOR;
		return folded(s, kids[0]);
	}
	if (e->kind != AX_NAME && !text)
		return check_ax(s, e);
	if (type_has_names(t)) {
		if (literal_in_enum(t->en, e->text, &n))
			return px_number(s->env, e->loc, n, t);
		if (text || (!name_is_bound(s, e->text) && !literal_find(e->text, &n, &found) &&
			     !(s->env->catalog && s->env->catalog->ops->enumerator(
				       s->env->catalog->self, e->text, &n, &found))))
			return no_enumerator(s, e, t);
	}
	if (!text && t->kind == TY_STRING && !name_is_bound(s, e->text)) {
		struct px *x = check_ax(s, e);

		if (px_is_poison(x))
			diag_help(s->env->diag, "write a text in quotes: \"%.*s\"",
				  STR_ARG(e->text));
		return x;
	}
	if (text && ((t->kind == TY_ERRNO && literal_errno(e->text, &n)) ||
		     (t->kind == TY_SIGNAL && literal_signal(e->text, &n))))
		return px_number(s->env, e->loc, n, t);
	return check_ax(s, e);
}

/* Both operands; a name that means nothing by itself is looked up beside the other. */
static void check_pair(struct scope *s, const struct ax *e, struct px *kids[2])
{
	const struct ax *a = e->kids[0];
	bool second_first = a->kind == AX_STRING ||
			    (a->kind == AX_NAME && !name_is_bound(s, a->text));
	int first = second_first ? 1 : 0;

	kids[first] = check_ax(s, e->kids[first]);
	kids[1 - first] = check_partner(s, e->kids[1 - first], &kids[first]->type);
	/* fixed parts of other expressions are not to be changed by adopting */
	for (int i = 0; i < 2; i++)
		if (kids[i]->op == PX_NUMBER)
			kids[i] = px_copy(s->env, kids[i]);
}

static struct px *binary(struct scope *s, const struct ax *e, struct px *const kids[2],
			 const struct type *t)
{
	struct px *x = px_node(s->env, PX_BINARY, e->loc, t, 2, kids);

	x->c_op = e->op;
	if (t->kind == TY_BOOL)
		x->may_none = false;
	return folded(s, x);
}

/* ---- comparisons ---- */

static struct px *compare(struct scope *s, const struct ax *e, struct px *kids[2])
{
	struct px *a = kids[0], *b = kids[1];
	bool equality = op_class(e->op) == CLASS_EQUAL;

	if (px_is_none(a) || px_is_none(b))
		return px_bool(s->env, e->loc, false);
	a = kids[0] = type_is_plain(&b->type) ? px_as_address(a) : a;
	b = kids[1] = type_is_plain(&a->type) ? px_as_address(b) : b;
	for (int i = 0; i < 2; i++) {
		struct px *k = kids[i];

		if (px_is_word(k) ? !type_is_memory(&k->type) && (equality || k->type.kind != TY_BOOL)
				  : scope_is_text(s, k) && (equality || s->table))
			continue;
		diag_error(s->env->diag, DIAG_TYPE_MISMATCH, e->loc,
			   "values of type %s cannot be compared with '%s'",
			   type_name(&k->type), op_text(e->op));
		if (k->type.kind == TY_STRING)
			diag_help(s->env->diag, "for strings use == != ~ or in; a number stands without quotes: 1ms");
		else if (k->type.kind == TY_BOOL)
			diag_help(s->env->diag, "'!' is of what stands next to it: write !(A < B)");
		else if (kids[1 - i]->type.kind == TY_STRING)
			check_help_no_text(s->env, k);
		return px_poison(s->env, e->loc);
	}
	if (!scope_comparable(s, a, b))
		return px_mismatch(s, e->loc, a, "cannot be compared with", b);
	if (!check_text_fits(s->env, a, b) || !check_text_fits(s->env, b, a))
		return px_poison(s->env, e->loc);
	if (!check_compared(s, op_text(e->op), a, b))
		return px_poison(s->env, e->loc);
	px_adopt_types(a, b);
	return binary(s, e, kids, &type_bool);
}

/* ---- arithmetic ---- */

/* Rows of what has a unit; plain integers and all else make plain integers. */
static const struct arith_row {
	uint8_t op, a, b, result;
} arith_rows[] = {
	{ OP_ADD, TY_TIME, TY_DURATION, TY_TIME },
	{ OP_ADD, TY_DURATION, TY_TIME, TY_TIME },
	{ OP_SUB, TY_TIME, TY_DURATION, TY_TIME },
	{ OP_SUB, TY_TIME, TY_TIME, TY_DURATION },
	{ OP_DIV, TY_TIME, TY_DURATION, TY_INT },
	{ OP_MOD, TY_TIME, TY_DURATION, TY_DURATION },
	{ OP_ADD, TY_DURATION, TY_DURATION, TY_DURATION },
	{ OP_SUB, TY_DURATION, TY_DURATION, TY_DURATION },
	{ OP_MOD, TY_DURATION, TY_DURATION, TY_DURATION },
	{ OP_DIV, TY_DURATION, TY_DURATION, TY_INT },
	{ OP_ADD, TY_SIZE, TY_SIZE, TY_SIZE },
	{ OP_SUB, TY_SIZE, TY_SIZE, TY_SIZE },
	{ OP_MOD, TY_SIZE, TY_SIZE, TY_SIZE },
	{ OP_DIV, TY_SIZE, TY_SIZE, TY_INT },
	{ OP_MUL, TY_SIZE, TY_DURATION, TY_INT },
	{ OP_MUL, TY_DURATION, TY_SIZE, TY_INT },
	{ OP_DIV, TY_SIZE, TY_DURATION, TY_INT },
};

static bool has_unit(int kind)
{
	return kind == TY_TIME || kind == TY_DURATION || kind == TY_SIZE;
}

/* A unit beside a plain integer. */
static int scaled(int op, int a, int b)
{
	bool first = has_unit(a);
	int unit = first ? a : b;

	switch (op) {
	case OP_ADD: case OP_SUB:
		return unit;
	case OP_MUL:
		return unit == TY_TIME ? TY_INT : unit;
	}
	return first && unit != TY_TIME ? unit : TY_INT;
}

/* In a table what is not made of whole numbers alone is real; without a sign it is where nothing can make it
 * negative, so that it has room for 64 bits. */
static struct px *arith_of(struct scope *s, const struct ax *e, struct px *kids[2], struct type *t)
{
	if (s->table && t->kind == TY_INT &&
	    (e->op == OP_DIV || kids[0]->type.kind != TY_INT || kids[1]->type.kind != TY_INT))
		*t = type_real;
	t->is_signed |= s->table && (e->op == OP_SUB || kids[0]->type.is_signed || kids[1]->type.is_signed);
	return binary(s, e, kids, t);
}

static struct px *arith(struct scope *s, const struct ax *e, struct px *kids[2])
{
	struct px *a = kids[0], *b = kids[1];
	struct type t = type_uint;
	bool pa = type_is_plain(&a->type), pb = type_is_plain(&b->type);

	if (px_is_none(a) || px_is_none(b))
		return px_none(s->env, e->loc);
	for (size_t i = 0; i < sizeof(arith_rows) / sizeof(*arith_rows); i++) {
		const struct arith_row *r = &arith_rows[i];

		if (r->op == e->op && r->a == a->type.kind && r->b == b->type.kind) {
			t.kind = r->result;
			t.is_signed = t.kind != TY_TIME;
			return arith_of(s, e, kids, &t);
		}
	}
	if ((has_unit(a->type.kind) && !pb) || (has_unit(b->type.kind) && !pa) ||
	    (!pa && !pb && a->type.kind != b->type.kind &&
	     !(type_is_pointer(&a->type) && type_is_pointer(&b->type))))
		return px_mismatch(s, e->loc, a, no_op(s, e), b);
	if (has_unit(a->type.kind) || has_unit(b->type.kind)) {
		t.kind = (uint8_t)scaled(e->op, a->type.kind, b->type.kind);
	} else if ((e->op == OP_ADD || e->op == OP_SUB) && type_is_pointer(&a->type) && pb) {
		t = a->type;
	}
	if (a->op == PX_NUMBER)
		a->type.is_signed = b->op == PX_NUMBER ? a->type.is_signed : b->type.is_signed;
	else if (b->op == PX_NUMBER)
		b->type.is_signed = a->type.is_signed;
	t.is_signed = types_are_signed(&a->type, &b->type);
	return arith_of(s, e, kids, &t);
}

static struct px *bits(struct scope *s, const struct ax *e, struct px *kids[2])
{
	struct px *a = kids[0], *b = kids[1];
	struct type t = type_uint;

	if (px_is_none(a) || px_is_none(b))
		return px_none(s->env, e->loc);
	if (!type_comparable(&a->type, &b->type))
		return px_mismatch(s, e->loc, a, no_op(s, e), b);
	px_adopt_types(a, b);
	t.is_signed = types_are_signed(&a->type, &b->type);
	if (a->type.kind == TY_FLAGS || a->type.kind == TY_BLKFLAGS)
		t = a->type;
	else if (b->type.kind == TY_FLAGS || b->type.kind == TY_BLKFLAGS)
		t = b->type;
	return binary(s, e, kids, &t);
}

static struct px *shift(struct scope *s, const struct ax *e, struct px *kids[2])
{
	struct type t = { .kind = TY_INT, .is_signed = kids[0]->type.is_signed, .size = 8 };

	if (px_is_none(kids[0]) || px_is_none(kids[1]))
		return px_none(s->env, e->loc);
	if (!type_is_plain(&kids[1]->type))
		return px_mismatch(s, e->loc, kids[0], no_op(s, e), kids[1]);
	if (kids[0]->type.kind == TY_DURATION || kids[0]->type.kind == TY_SIZE)
		t.kind = kids[0]->type.kind;
	return binary(s, e, kids, &t);
}

static bool are_numbers(struct scope *s, const struct ax *e, struct px *const *kids, int n)
{
	for (int i = 0; i < n; i++) {
		if (px_is_word(kids[i]) && !type_is_memory(&kids[i]->type))
			continue;
		diag_error(s->env->diag, DIAG_NOT_A_NUMBER, e->kids[i]->loc,
			   "'%s' needs numbers, but this has type %s", op_text(e->op),
			   type_name(&kids[i]->type));
		return false;
	}
	return true;
}

/* ---- in and ~ ---- */

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

static struct px *check_match(struct scope *s, const struct ax *e)
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

/* ---- by the operator ---- */

struct px *check_binary(struct scope *s, const struct ax *e)
{
	enum op_class class = op_class(e->op);
	struct px *kids[2];

	if (class == CLASS_MATCH)
		return check_match(s, e);
	if (class == CLASS_LOGIC) {
		kids[0] = check_ax(s, e->kids[0]);
		kids[1] = check_ax(s, e->kids[1]);
	} else {
		check_pair(s, e, kids);
	}
	if (px_is_poison(kids[0]) || px_is_poison(kids[1]))
		return px_poison(s->env, e->loc);
	if (class == CLASS_EQUAL || class == CLASS_COMPARE)
		return compare(s, e, kids);
	if (!are_numbers(s, e, kids, 2))
		return px_poison(s->env, e->loc);
	if ((e->op == OP_DIV || e->op == OP_MOD) && px_is_number(kids[1], NULL) &&
	    !kids[1]->number) {
		diag_error(s->env->diag, DIAG_OUT_OF_RANGE, e->loc, "division by zero");
		return px_poison(s->env, e->loc);
	}
	if (e->op == OP_DIV)
		check_warn_unit_left(s, kids[0], kids[1]);
	switch (class) {
	case CLASS_LOGIC:
		return binary(s, e, kids, &type_bool);
	case CLASS_BITS:
		return check_bits(s, e, kids) ? bits(s, e, kids) : px_poison(s->env, e->loc);
	case CLASS_SHIFT:
		return shift(s, e, kids);
	default:
		return arith(s, e, kids);
	}
}

struct px *check_unary(struct scope *s, const struct ax *e)
{
	struct px *a = check_ax(s, e->kids[0]), *x;
	struct type t = type_int;

	if (px_is_poison(a) || (px_is_none(a) && e->op != OP_NOT))
		return a;
	if (!are_numbers(s, e, &a, 1)) {
		if (e->op == OP_NOT)
			diag_help(s->env->diag, "'!' is of what stands next to it: write !(A ~ B)");
		return px_poison(s->env, e->loc);
	}
	if (e->op == OP_NOT)
		t = type_bool;
	else if (e->op == OP_INV)
		t.is_signed = a->type.is_signed;
	else if (a->type.kind == TY_DURATION || a->type.kind == TY_SIZE)
		t.kind = a->type.kind;
	if (e->op == OP_INV && a->type.kind == TY_FLAGS)
		t = a->type;
	else if (s->table && type_is_plain(&a->type) && a->type.kind != TY_BOOL && e->op == OP_NEG)
		t.kind = a->type.kind;
	x = px_node(s->env, PX_UNARY, e->loc, &t, 1, &a);
	x->c_op = e->op;
	x->may_none &= e->op != OP_NOT;
	return folded(s, x);
}

struct px *check_choice(struct scope *s, const struct ax *e)
{
	struct px *kids[3] = { check_ax(s, e->kids[0]), check_ax(s, e->kids[1]), NULL }, *x;
	struct type t;

	kids[2] = check_partner(s, e->kids[2], &kids[1]->type);
	if (px_is_poison(kids[0]))
		return kids[0];
	if (!px_is_none(kids[0]) && !px_is_word(kids[0])) {
		diag_error(s->env->diag, DIAG_NOT_A_NUMBER, e->kids[0]->loc,
			   "'?' needs a condition before it, but this has type %s",
			   type_name(&kids[0]->type));
		return px_poison(s->env, e->loc);
	}
	for (int i = 1; i < 3; i++)
		if (kids[i]->op == PX_NUMBER)
			kids[i] = px_copy(s->env, kids[i]);
	if (!px_unify(s, e->loc, kids[1], kids[2]))
		return px_poison(s->env, e->loc);
	t = type_common(kids[1], kids[2]);
	x = px_node(s->env, PX_COND, e->loc, &t, 3, kids);
	x->may_none = kids[1]->may_none || kids[2]->may_none;
	return folded(s, x);
}
