/*
 * What can be asked of a typed expression whatever it is: see expr.h.
 *
 * Nothing here knows names or events; expressions are built in plan/check*.c.
 * The depth of an expression is bounded there.
 */
#include "plan/expr.h"

#include <inttypes.h>

#include "base/buf.h"
#include "plan/func.h"
#include "plan/plan.h"

static const char *const common_texts[] = {
#define COMMON(id, name, kind, ...) [COMMON_##id] = name,
#include "lang/common.def"
#undef COMMON
};

bool px_is_string_call(const struct px *e)
{
	return e->op == PX_CALL && e->func->is_string;
}

bool px_is_number(const struct px *e, int64_t *value)
{
	if (e->op != PX_NUMBER)
		return false;
	if (value)
		*value = e->number;
	return true;
}

static bool fits_signed(const struct px *e)
{
	return e->op == PX_NUMBER || e->type.is_signed || e->type.size < 8;
}

bool px_compares_signed(const struct px *a, const struct px *b)
{
	bool negative = (a->op == PX_NUMBER && a->number < 0) || (b->op == PX_NUMBER && b->number < 0);
	bool has_sign = (a->op != PX_NUMBER && a->type.is_signed) || (b->op != PX_NUMBER && b->type.is_signed);

	return (has_sign || negative) && fits_signed(a) && fits_signed(b);
}

int px_space(const struct px *e)
{
	switch (e->type.kind) {
	case TY_PTR: case TY_ARRAY:
		return e->type.user ? SPACE_USER : e->type.maybe_user ? SPACE_EITHER : SPACE_KERNEL;
	case TY_KADDR:
		return SPACE_KERNEL;
	case TY_UADDR:
		return SPACE_USER;
	case TY_INT:
		return SPACE_EITHER;
	}
	return -1;
}

static bool type_equal(const struct type *a, const struct type *b)
{
	return a->kind == b->kind && a->is_signed == b->is_signed && a->user == b->user &&
	       a->quoted == b->quoted &&
	       a->size == b->size && a->bytes == b->bytes && a->ktype == b->ktype;
}

/* Parameters of different system calls are the same where they are in the same place. */
static bool field_equal(const struct cat_field *a, const struct cat_field *b)
{
	return a == b || (a && b && a->loc == b->loc && (a->loc == LOC_SYSARG || a->loc == LOC_RECORD)
			  && a->index == b->index && a->offset == b->offset && a->size == b->size
			  && type_equal(&a->type, &b->type));
}

/* `event` has a number for where it is one event's, which both are of then. */
static bool index_equal(const struct px *a, const struct px *b)
{
	return a->index == b->index || a->op == PX_COMMON;
}

static bool node_equal(const struct px *a, const struct px *b)
{
	return a->op == b->op && a->c_op == b->c_op && a->common == b->common &&
	       a->func == b->func && a->space == b->space && a->bit_offset == b->bit_offset &&
	       a->bit_size == b->bit_size && a->number == b->number && a->offset == b->offset &&
	       a->stride == b->stride && index_equal(a, b) && field_equal(a->field, b->field) &&
	       a->look == b->look && a->absent_is_none == b->absent_is_none &&
	       a->n_kids == b->n_kids && type_equal(&a->type, &b->type);
}

bool px_equal(const struct px *a, const struct px *b)
{
	if (a == b)
		return true;
	if (!node_equal(a, b))
		return false;
	/* of a load it is the member's name: whatever it is called, it is the same */
	if ((a->op == PX_TEXT || a->op == PX_MATCH) && !str_eq(a->text, b->text))
		return false;
	for (int i = 0; i < a->n_kids; i++)
		if (!px_equal(a->kids[i], b->kids[i]))
			return false;
	return true;
}

/* What finds the period is a part of the expression, too. */
static bool look_any(const struct p_look *look, bool (*test)(const struct px *e, void *arg), void *arg)
{
	int n_keys = !look->keys ? 0 : look->by_key ? look->period->n_keys : 1;

	for (int i = 0; i < n_keys; i++)
		if (px_any(look->keys[i], test, arg))
			return true;
	return look->task && px_any(look->task, test, arg);
}

bool px_any(const struct px *e, bool (*test)(const struct px *e, void *arg), void *arg)
{
	if (test(e, arg))
		return true;
	for (int i = 0; i < e->n_kids; i++)
		if (px_any(e->kids[i], test, arg))
			return true;
	if (e->look && look_any(e->look, test, arg))
		return true;
	return e->alt && px_any(e->alt, test, arg);
}

/* ---- text ---- */

static void print_list(const struct px *e, int from, struct buf *out)
{
	buf_putc(out, '(');
	for (int i = from; i < e->n_kids; i++) {
		if (i > from)
			buf_puts(out, ", ");
		px_print(e->kids[i], out);
	}
	buf_putc(out, ')');
}

static void print_quoted(struct str s, struct buf *out)
{
	buf_putc(out, '"');
	for (int i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < ' ' || c > '~')
			buf_printf(out, "\\x%02x", c);
		else if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else
			buf_putc(out, (char)c);
	}
	buf_putc(out, '"');
}

static void print_number(const struct px *e, struct buf *out)
{
	for (int i = 0; e->type.en && i < e->type.en->n; i++)
		if (e->type.en->values[i].value == e->number && e->type.en->values[i].name) {
			buf_puts(out, e->type.en->values[i].name);
			return;
		}
	buf_printf(out, e->type.is_signed ? "%" PRId64 : "%" PRIu64, e->number);
	if (e->type.kind == TY_DURATION || e->type.kind == TY_TIME)
		buf_puts(out, "ns");
}

/* A member by its name, or by its place when it has none. */
static void print_member(const struct px *e, struct buf *out)
{
	px_print(e->kids[0], out);
	if (e->text.n)
		buf_printf(out, ".%.*s", STR_ARG(e->text));
	else if (e->op != PX_LOAD || e->offset)
		buf_printf(out, ".[+%" PRIu32 "]", e->offset);
}

static void print_operation(const struct px *e, struct buf *out)
{
	if (e->op == PX_UNARY) {
		buf_puts(out, op_text(e->c_op));
		px_print(e->kids[0], out);
		return;
	}
	buf_putc(out, '(');
	px_print(e->kids[0], out);
	if (e->op == PX_COND) {
		buf_puts(out, " ? ");
		px_print(e->kids[1], out);
		buf_puts(out, " : ");
		px_print(e->kids[2], out);
	} else {
		buf_printf(out, " %s ", op_text(e->c_op));
		px_print(e->kids[1], out);
	}
	buf_putc(out, ')');
}

static void print_other(const struct px *e, struct buf *out)
{
	px_print(e->kids[0], out);
	switch (e->op) {
	case PX_ELEMENT:
		buf_putc(out, '[');
		px_print(e->kids[1], out);
		buf_putc(out, ']');
		break;
	case PX_MATCH:
		buf_puts(out, " ~ ");
		print_quoted(e->text, out);
		break;
	case PX_IN:
		buf_puts(out, " in ");
		print_list(e, 1, out);
		break;
	case PX_NARROW:
		if (e->type.kind == TY_INT)
			buf_printf(out, " as %c%d", e->type.is_signed ? 's' : 'u',
				   e->type.size * 8);
		else
			buf_printf(out, " as %s", type_name(&e->type));
		break;
	case PX_FOLLOWED:
		buf_puts(out, " is of the command");
		break;
	}
}

void px_print(const struct px *e, struct buf *out)
{
	switch (e->op) {
	case PX_NUMBER: print_number(e, out); break;
	case PX_TEXT: print_quoted(e->text, out); break;
	case PX_NONE: buf_puts(out, "none"); break;
	case PX_FIELD: buf_puts(out, e->field->name); break;
	case PX_COMMON: buf_printf(out, "current.%s", common_texts[e->common]); break;
	case PX_HERE: buf_printf(out, "current.%s in this PID namespace", common_texts[e->common]); break;
	case PX_SLOT: buf_printf(out, "kept[%d]", e->index); break;
	case PX_FRAME: buf_puts(out, "frame"); break;
	case PX_DEPTH: buf_puts(out, "depth"); break;
	case PX_TREE_ROWS: buf_puts(out, "rows of the tree"); break;
	case PX_DURATION: buf_puts(out, "duration"); break;
	case PX_BEGIN_TIME: buf_puts(out, "begin.time"); break;
	case PX_OPEN: buf_puts(out, "one is open"); break;
	case PX_OPEN_SLOT: buf_printf(out, "open[%d]", e->index); break;
	case PX_OPEN_TIME: buf_puts(out, "open.time"); break;
	case PX_OPEN_DEPTH: buf_puts(out, "open.depth"); break;
	case PX_LET: buf_printf(out, "let[%d]", e->index); break;
	case PX_LOAD: case PX_ADDR: print_member(e, out); break;
	case PX_UNARY: case PX_BINARY: case PX_COND: print_operation(e, out); break;
	case PX_CALL:
		buf_puts(out, e->func->name);
		print_list(e, 0, out);
		break;
	default: print_other(e, out);
	}
}
