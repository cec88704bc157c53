/*
 * The operators' type rules.
 *
 * A literal takes the type of its partner; an integer of no special meaning
 * goes with everything; other types only with their own, but times and
 * durations add up. The result is signed when both operands are, and a
 * comparison is of signed numbers then. A comparison with none is false, and so
 * is none as a condition; any other operation with none is none.
 */
#include "plan/check_in.h"

#include <string.h>

#include "plan/literal.h"

/* ---- types beside each other ---- */

/* Numbers without a meaning of their own, the wider the higher; 0: another type. */
static int plain_rank(const struct type *t)
{
	static const uint8_t ranks[] = {
		[TY_BOOL] = 1, [TY_INT] = 2, [TY_REAL] = 3, [TY_RATE] = 4, [TY_SHARE] = 4,
	};

	return t->kind < sizeof(ranks) ? ranks[t->kind] : 0;
}

static bool is_plain(const struct type *t)
{
	return plain_rank(t);
}

static bool is_thread(const struct type *t)
{
	return t->kind == TY_PID || t->kind == TY_TID;
}

static bool is_pointer(const struct type *t)
{
	return t->kind == TY_PTR || t->kind == TY_KADDR || t->kind == TY_UADDR;
}

bool type_is_memory(const struct type *t)
{
	return t->kind == TY_STRUCT || t->kind == TY_ARRAY;
}

bool type_comparable(const struct type *a, const struct type *b)
{
	if (a->kind == TY_POISON || b->kind == TY_POISON || a->kind == TY_NONE ||
	    b->kind == TY_NONE)
		return true;
	if (type_is_memory(a) || type_is_memory(b))
		return false;
	if (is_plain(a) || is_plain(b))
		return type_is_word(a) && type_is_word(b);
	if (is_pointer(a) && is_pointer(b))
		return true;
	if (a->kind != b->kind)
		return false;
	if ((a->kind == TY_ENUM || a->kind == TY_FLAGS) && a->en && b->en && a->en != b->en)
		return a->en->name && b->en->name && !strcmp(a->en->name, b->en->name);
	return true;
}

/* A literal of INT becomes what the other is; a typed one only as signed as it. */
void px_adopt_type(struct px *literal, const struct type *t)
{
	if (literal->op != PX_NUMBER || !type_is_word(t) || t->kind == TY_POISON ||
	    t->kind == TY_NONE || type_is_memory(t))
		return;
	literal->type.is_signed = t->is_signed;
	if (!is_plain(&literal->type) || t->kind == TY_BOOL)
		return;
	literal->type = *t;
	literal->type.size = 8;
}

static void adopt_each_other(struct px *a, struct px *b)
{
	if (a->op == PX_NUMBER && (b->op != PX_NUMBER || is_plain(&a->type)))
		px_adopt_type(a, &b->type);
	else if (b->op == PX_NUMBER)
		px_adopt_type(b, &a->type);
}

static const char *article(const struct type *t)
{
	return strchr("aeio", type_name(t)[0]) ? "an" : "a";
}

bool type_has_names(const struct type *t)
{
	return t->en && (t->kind == TY_ENUM || t->kind == TY_FLAGS || t->kind == TY_EVENT ||
			 t->kind == TY_BLKFLAGS);
}

static const char *no_op(const struct scope *s, const struct ax *e)
{
	return arena_printf(s->env->arena, "has no '%s' with", op_text(e->op));
}

struct px *px_mismatch(struct scope *s, struct loc loc, const struct px *a, const char *what,
		       const struct px *b)
{
	bool threads = (a->type.kind == TY_PID && b->type.kind == TY_TID) ||
		       (a->type.kind == TY_TID && b->type.kind == TY_PID);

	if (threads) {
		const struct px *pid = a->type.kind == TY_PID ? a : b;
		struct str text = loc_text(pid->loc);

		diag_error(s->env->diag, DIAG_PID_TID_COMPARE, loc,
			   "a thread (tid) %s a process (pid)", what);
		if (str_is(text, "pid") || str_is(text, "current.pid"))
			diag_help(s->env->diag, "the kernel's fields named pid hold a thread: "
				  "write %s instead of %.*s",
				  str_is(text, "pid") ? "tid" : "current.tid", STR_ARG(text));
		else
			diag_help(s->env->diag, "the kernel's fields named pid hold a thread: "
				  "compare with tid, or write `as s32` after one to compare the numbers");
		return px_poison(s->env, loc);
	}
	diag_error(s->env->diag, DIAG_TYPE_MISMATCH, loc, "%s %s %s %s %s", article(&a->type),
		   type_name(&a->type), what, article(&b->type), type_name(&b->type));
	if (a->type.kind == TY_STRING || b->type.kind == TY_STRING)
		check_help_no_text(s->env, a->type.kind == TY_STRING ? b : a);
	return px_poison(s->env, loc);
}

bool px_unify(struct scope *s, struct loc loc, struct px *a, struct px *b)
{
	if (px_is_poison(a) || px_is_poison(b))
		return false;
	if (!type_comparable(&a->type, &b->type)) {
		px_mismatch(s, loc, a, "does not go together with", b);
		return false;
	}
	adopt_each_other(a, b);
	return true;
}

/* Signed where one is and the other's values fit: an unsigned field of less than
 * 64 bits loses nothing. */
static bool both_signed(const struct type *a, const struct type *b)
{
	return (a->is_signed && (b->is_signed || b->size < 8))
	    || (b->is_signed && (a->is_signed || a->size < 8));
}

struct type type_common(const struct px *a, const struct px *b)
{
	struct type t = a->type;

	if (px_is_none(a))
		return b->type;
	if (px_is_none(b))
		return t;
	if (!type_is_word(&t)) {
		if (b->type.bytes > t.bytes)
			t.bytes = b->type.bytes;
		return t;
	}
	if (is_plain(&t) && (!is_plain(&b->type) || plain_rank(&t) < plain_rank(&b->type)))
		t = b->type;
	t.is_signed = both_signed(&a->type, &b->type);
	t.size = a->type.size > b->type.size ? a->type.size : b->type.size;
	if (a->type.is_signed != b->type.is_signed)	/* the largest of one, the least of the other */
		t.size = 8;
	t.dense = a->type.dense && b->type.dense
		? (a->type.dense > b->type.dense ? a->type.dense : b->type.dense) : 0;
	return t;
}

struct px *folded(struct scope *s, struct px *e)
{
	return s->table ? e : fold(s->env, e);
}

bool scope_is_text(const struct scope *s, const struct px *e)
{
	return s->table ? !px_is_word(e) : e->type.kind == TY_STRING;
}

bool scope_comparable(const struct scope *s, const struct px *a, const struct px *b)
{
	/* a table has no `as` that would make a number of a thread or a process */
	bool numbers = is_thread(&a->type) && is_thread(&b->type);

	return (s->table && (numbers || (scope_is_text(s, a) && scope_is_text(s, b)))) ||
	       type_comparable(&a->type, &b->type);
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
	a = kids[0] = is_plain(&b->type) ? px_as_address(a) : a;
	b = kids[1] = is_plain(&a->type) ? px_as_address(b) : b;
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
	adopt_each_other(a, b);
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
	bool pa = is_plain(&a->type), pb = is_plain(&b->type);

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
	     !(is_pointer(&a->type) && is_pointer(&b->type))))
		return px_mismatch(s, e->loc, a, no_op(s, e), b);
	if (has_unit(a->type.kind) || has_unit(b->type.kind)) {
		t.kind = (uint8_t)scaled(e->op, a->type.kind, b->type.kind);
	} else if ((e->op == OP_ADD || e->op == OP_SUB) && is_pointer(&a->type) && pb) {
		t = a->type;
	}
	if (a->op == PX_NUMBER)
		a->type.is_signed = b->op == PX_NUMBER ? a->type.is_signed : b->type.is_signed;
	else if (b->op == PX_NUMBER)
		b->type.is_signed = a->type.is_signed;
	t.is_signed = both_signed(&a->type, &b->type);
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
	adopt_each_other(a, b);
	t.is_signed = both_signed(&a->type, &b->type);
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
	if (!is_plain(&kids[1]->type))
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
	else if (s->table && is_plain(&a->type) && a->type.kind != TY_BOOL && e->op == OP_NEG)
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
