/* What is read as a text, and how much of it is kept: see check_text.h. */
#include "plan/check_text.h"

#include "lang/diag_tags.h"

static bool is_char(const struct type *t)
{
	return t->kind == TY_STRING;
}

static struct px *string_at(struct check_env *env, struct px *base, uint32_t offset,
			    uint32_t bytes, int space, struct loc loc)
{
	struct type t = { .kind = TY_STRING, .bytes = STRING_BYTES_USUAL };
	struct px *x = px_node(env, PX_LOAD, loc, &t, 1, &base);

	if (bytes && bytes < STRING_BYTES_USUAL)
		x->type.bytes = bytes;
	x->offset = offset;
	x->space = (uint8_t)space;
	return x;
}

struct px *px_as_address(struct px *e)
{
	return e->op == PX_LOAD && e->type.kind == TY_STRING && !e->offset &&
	       e->kids[0]->type.kind == TY_PTR ? e->kids[0] : e;
}

bool px_is_text_address(struct check_env *env, const struct px *e)
{
	const struct catalog *c = env->catalog;
	struct type t;

	return c && e->type.kind == TY_PTR && e->type.ktype && c->ops->pointee(c->self, e->type.ktype, &t) &&
	       is_char(&t);
}

struct px *px_as_string(struct check_env *env, struct px *e)
{
	const struct catalog *c = env->catalog;
	uint32_t bytes, n;
	struct type t;

	if (!c || !e->type.ktype)
		return e;
	/* the kernel's own pointers into programs are no strings by themselves: str() */
	if (e->type.kind == TY_PTR && c->ops->pointee(c->self, e->type.ktype, &t) && is_char(&t) &&
	    e->type.user == t.user)
		return string_at(env, e, 0, 0, px_space(e), e->loc);
	if (e->type.kind != TY_ARRAY || !c->ops->element(c->self, e->type.ktype, &t, &bytes, &n) ||
	    !is_char(&t) || bytes != 1)
		return e;
	if (e->op == PX_ADDR) {
		struct px *x = string_at(env, e->kids[0], e->offset, n, e->space, e->loc);

		x->text = e->text;
		return x;
	}
	if (e->op == PX_ELEMENT)
		return string_at(env, e, 0, n, e->space, e->loc);
	e->type = (struct type){ .kind = TY_STRING, .bytes = n && n < STRING_BYTES_USUAL
							? n : STRING_BYTES_USUAL };
	return e;
}

/* ---- compared with a constant ---- */

#define COMM_BYTES 16

/* Is a string as long as its room maybe only the beginning of a longer one? An array's
 * own bytes and a comm are whole; str() and pointers stop at a length. */
static bool may_be_cut(const struct px *e)
{
	if (e->op == PX_FIELD || e->op == PX_LOAD || e->op == PX_COMMON)
		return e->type.bytes == STRING_BYTES_USUAL;
	return e->type.bytes > COMM_BYTES;
}

bool check_text_fits(struct check_env *env, const struct px *e, const struct px *constant)
{
	int most = (int)e->type.bytes - 1;

	if (e->type.kind != TY_STRING || e->op == PX_TEXT || constant->op != PX_TEXT || !e->type.bytes)
		return true;
	most -= may_be_cut(e);
	if (constant->text.n <= most)
		return true;
	diag_error(env->diag, DIAG_TEXT_TOO_LONG, constant->loc,
		   "this text has %d bytes, but %.*s can be compared with at most %d", constant->text.n,
		   STR_ARG(loc_text(e->loc)), most);
	if (may_be_cut(e))
		diag_help(env->diag, "write str(POINTER, %d), or compare only the beginning: ~ \"...*\"",
			  constant->text.n + 2);
	return false;
}

bool check_pattern_fits(struct check_env *env, const struct px *e, const struct px *pattern)
{
	int least = str_glob_least(pattern->text), most = (int)e->type.bytes - 1;

	/* a text that some sources only have, as `let into = ""`, is no mistake */
	if (e->type.kind != TY_STRING || e->op == PX_TEXT || most <= 0 || least <= most)
		return true;
	diag_error(env->diag, DIAG_TEXT_TOO_LONG, pattern->loc,
		   "only texts of %d or more bytes match this, but %.*s has at most %d", least,
		   STR_ARG(loc_text(e->loc)), most);
	return false;
}
