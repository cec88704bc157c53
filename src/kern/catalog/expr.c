/*
 * expr.c: does an expression of field.def fit this kernel?
 *
 * A row is for some kernels: its paths decide which. Only names are looked at; what the
 * expression computes is the compiler's business, which sees it when it is used.
 */
#include "kern/catalog/impl.h"

#include <ctype.h>

struct reader {
	struct ktypes *k;
	const struct cat_event *event;
	struct str rest;
	bool failed;
	int depth;
};

#define DEPTH_MOST 20

static char peek(struct reader *r)
{
	while (r->rest.n && *r->rest.p == ' ')
		r->rest = str_sub(r->rest, 1, -1);
	return r->rest.n ? *r->rest.p : 0;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct str word(struct reader *r)
{
	struct str w = { r->rest.p, 0 };

	peek(r);
	w.p = r->rest.p;
	while (w.n < r->rest.n && is_name(w.p[w.n]))
		w.n++;
	r->rest = str_sub(r->rest, w.n, -1);
	return w;
}

static bool take(struct reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->rest = str_sub(r->rest, 1, -1);
	return true;
}

static bool take_word(struct reader *r, const char *w)
{
	struct reader before = *r;

	if (str_is(word(r), w))
		return true;
	*r = before;
	return false;
}

static struct type expr(struct reader *r);

static struct type fail(struct reader *r)
{
	r->failed = true;
	return type_none;
}

static struct type name(struct reader *r)
{
	struct str w = word(r);
	struct type t;
	int64_t value;

	if (!w.n)
		return fail(r);
	if (isdigit((unsigned char)*w.p))
		return type_int;
	if (take(r, '(')) {
		do
			expr(r);
		while (!r->failed && take(r, ','));
		return take(r, ')') ? type_none : fail(r);
	}
	for (int i = 0; i < r->event->n_args; i++)
		if (str_is(w, r->event->args[i].name))
			return r->event->args[i].type;
	if (str_is(w, "current")) {
		if (!take(r, '.') || !word(r).n)
			return fail(r);
		return type_none;
	}
	return ktype_enumerator(r->k, w, &value, &t) ? type_int : fail(r);
}

static struct type member(struct reader *r, struct type of)
{
	struct cat_member m;
	struct str w = word(r);

	if ((of.kind != TY_PTR && of.kind != TY_STRUCT) ||
	    !ktype_member(r->k, of.ktype, w, &m))
		return fail(r);
	return m.type;
}

static bool is_int_type(struct str s)
{
	static const char *const names[] = { "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_is(s, names[i]))
			return true;
	return false;
}

static struct type operand(struct reader *r)
{
	struct type t;

	while (take(r, '!') || take(r, '-') || take(r, '~'))
		;
	if (take(r, '(')) {
		t = expr(r);
		if (!take(r, ')'))
			return fail(r);
	} else {
		t = name(r);
	}
	while (!r->failed) {
		if (take(r, '.')) {
			t = member(r, t);
		} else if (take_word(r, "as")) {
			bool is_struct = take_word(r, "struct");
			struct str s = word(r);

			if (!is_struct && is_int_type(s)) {
				t = type_int;
				continue;
			}
			if (!is_struct)
				return fail(r);
			t = (struct type){ .kind = TY_PTR, .size = 8,
					   .ktype = ktype_struct(r->k, s) };
			if (!t.ktype)
				return fail(r);
		} else {
			break;
		}
	}
	return t;
}

/* Operands with any operators between them: what matters of a type is that of a lone
 * operand in parentheses, a cast. */
static struct type expr(struct reader *r)
{
	struct type t;
	bool lone = true;

	if (r->depth++ > DEPTH_MOST)
		return fail(r);
	t = operand(r);
	while (!r->failed && peek(r) && strchr("+-*/%&|^<>=!?:", peek(r))) {
		while (peek(r) && strchr("+*/%&|^<>=!?:", peek(r)))
			take(r, peek(r));
		/* A minus is the operator, or the sign of what follows one. */
		take(r, '-');
		operand(r);
		lone = false;
	}
	r->depth--;
	return lone ? t : type_int;
}

bool catalog_expr_resolves(struct ktypes *k, const struct cat_event *e, const char *text)
{
	struct reader r = { .k = k, .event = e, .rest = str_of(text) };

	expr(&r);
	return !r.failed && !peek(&r);
}
