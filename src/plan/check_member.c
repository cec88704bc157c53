/*
 * Members, elements and casts: from pointers to loads.
 *
 * A chain through embedded structs and constant indices is one load with one
 * offset. PX_LOAD is `direct` where the verifier knows the type of the pointer:
 * an argument of the event or the running task, and what is reached from them
 * by pointers to structs; a union, an array or a cast on the way ends that.
 */
#include "plan/check_help.h"
#include "plan/check_in.h"
#include "plan/check_text.h"

#define MEMBERS_LISTED 64
#define OFFSET_MOST (1u << 30)

/* Is e an address that the verifier can follow? */
static bool is_trusted(const struct px *e)
{
	switch (e->op) {
	case PX_COMMON:
		return e->common == COMMON_TASK;
	case PX_FIELD:
		return e->field->loc == LOC_ARG && !e->field->maybe_null && !e->field->opaque &&
		       !e->type.user;
	case PX_LOAD: case PX_ADDR:
		return e->direct && !e->type.user;
	}
	return false;
}

/* ---- places ---- */

/* A place in memory: base + offset. */
struct place {
	struct px *base;
	uint32_t offset;
	uint8_t space;
	bool direct;
};

/* Where a struct, an array or what a pointer points to is. */
static struct place place_of(struct px *e)
{
	struct place p = { .base = e, .space = SPACE_KERNEL };

	if (e->type.user)
		p.space = SPACE_USER;
	if (e->op == PX_ADDR) {
		p = (struct place){ e->kids[0], e->offset, e->space, e->direct };
	} else if (e->op == PX_ELEMENT) {
		p.space = e->space;
	} else {
		p.direct = is_trusted(e);
	}
	return p;
}

/* What of type t is there: loaded, or a struct's or array's address. */
static struct px *value_at(struct check_env *env, struct place p, const struct type *t,
			   struct str name, struct loc loc)
{
	bool inside = t->kind == TY_STRUCT || t->kind == TY_ARRAY;
	struct px *x;

	if (t->kind == TY_REAL)
		return px_wrong(env, DIAG_NOT_A_NUMBER, loc, "%.*s is a floating-point number: programs in "
				"the kernel cannot read it", STR_ARG(loc_text(loc)));
	x = px_node(env, inside ? PX_ADDR : PX_LOAD, loc, t, 1, &p.base);
	x->offset = p.offset;
	x->space = p.space;
	x->direct = p.direct && (inside || type_is_word(t));
	x->text = name;
	if (t->kind == TY_STRING && (!t->bytes || t->bytes > STRING_BYTES_USUAL))
		x->type.bytes = STRING_BYTES_USUAL;
	return px_as_string(env, x);
}

/* ---- members ---- */

/* The struct that e is or points to, or 0. */
static uint32_t struct_of(const struct catalog *c, const struct px *e)
{
	struct type t;

	if (e->type.kind == TY_STRUCT)
		return e->type.ktype;
	if (e->type.kind == TY_PTR && c && e->type.ktype &&
	    c->ops->pointee(c->self, e->type.ktype, &t) && t.kind == TY_STRUCT)
		return t.ktype ? t.ktype : e->type.ktype;
	return 0;
}

static const char *struct_name(const struct catalog *c, uint32_t ktype)
{
	const char *name = c->ops->ktype_name(c->self, ktype);

	return name && *name ? name : "this struct";
}

static struct px *no_member(struct scope *s, const struct ax *e, uint32_t ktype)
{
	const struct catalog *c = s->env->catalog;
	const char **names = arena_array(s->env->arena, const char *, MEMBERS_LISTED);
	struct cat_member m;
	struct px *x;
	int n = 0;

	for (int i = 0; n < MEMBERS_LISTED &&
			c->ops->member_at(c->self, ktype, i, &names[n], &m); i++)
		n += names[n] && *names[n];
	x = px_wrong(s->env, DIAG_NO_MEMBER, e->name_loc.text ? e->name_loc : e->loc,
		  "no member '%.*s' in %s", STR_ARG(e->text), struct_name(c, ktype));
	help_names(s->env, e->text, "members", names, n);
	if (!n)
		diag_help(s->env->diag, "the types only declare it, without its members");
	return x;
}

static struct px *member_of(struct scope *s, const struct ax *e, struct px *base)
{
	const struct catalog *c = s->env->catalog;
	uint32_t ktype = struct_of(c, base);
	struct cat_member m = { 0 };
	struct place p;
	struct px *x;

	if (!ktype && env_is_recorded(s->env) && base->type.kind == TY_PTR)
		return px_wrong(s->env, DIAG_UNABLE, e->loc, "%.*s is an address, and a trace does "
				"not have what is there", STR_ARG(loc_text(e->kids[0]->loc)));
	if (!ktype) {
		x = px_wrong(s->env, DIAG_TYPE_MISMATCH, e->loc, "%.*s has type %s: no members",
			  STR_ARG(loc_text(e->kids[0]->loc)), type_name(&base->type));
		if (base->type.kind == TY_PTR || base->type.kind == TY_INT)
			diag_help(s->env->diag, "write which struct it is: (%.*s as struct NAME).%.*s",
				  STR_ARG(loc_text(e->kids[0]->loc)), STR_ARG(e->text));
		return x;
	}
	if (!c->ops->member(c->self, ktype, e->text, &m))
		return no_member(s, e, ktype);
	p = place_of(base);
	p.offset += m.offset;
	p.direct &= !m.via_union;
	x = value_at(s->env, p, &m.type, e->text, e->loc);
	if (x->op == PX_LOAD && m.bit_size) {
		x->bit_offset = m.bit_offset;
		x->bit_size = m.bit_size;
	}
	return x;
}

struct px *check_member(struct scope *s, const struct ax *e)
{
	struct px *base = check_side_current(s, e);

	if (base)
		return base;
	base = check_base(s, e->kids[0]);
	if (px_is_poison(base) || px_is_none(base))
		return base;
	return member_of(s, e, base);
}

/* ---- elements ---- */

struct elements {
	struct type type;		/* of one */
	uint32_t bytes, n;		/* n == 0: no bound known */
};

#define UNCOUNTED "a pointer to a struct has only the element [0]"

static const struct type type_char = { .kind = TY_INT, .is_signed = true, .size = 1 };

/* What base[i] is; false: nothing. */
static bool elements_of(const struct catalog *c, const struct px *base, struct elements *el)
{
	*el = (struct elements){ 0 };
	if (base->type.kind == TY_STRING && base->op == PX_LOAD) {
		*el = (struct elements){ type_char, 1, base->type.bytes };
		return true;
	}
	if (!c || !base->type.ktype)
		return false;
	if (base->type.kind == TY_ARRAY) {
		if (!c->ops->element(c->self, base->type.ktype, &el->type, &el->bytes, &el->n))
			return false;
	} else if (base->type.kind == TY_PTR) {
		if (!c->ops->pointee(c->self, base->type.ktype, &el->type))
			return false;
		el->bytes = el->type.size;
	} else {
		return false;
	}
	if (el->type.kind == TY_STRING && el->bytes <= 1) {
		el->type = type_char;
		el->bytes = 1;
	}
	return true;
}

/* The array under a string: the loads of its text taken off. */
static struct place text_place(struct px *text, struct elements *el)
{
	struct px *base = text->kids[0];

	if (base->type.kind == TY_PTR && !text->offset && !text->text.n)
		el->n = 0;		/* a char pointer, not a char array */
	return (struct place){ base, text->offset, text->space, false };
}

static struct px *constant_element(struct scope *s, const struct ax *e, struct place p,
				   const struct elements *el, int64_t i)
{
	if (i < 0 || (el->n && i >= el->n)) {
		struct px *x = px_wrong(s->env, DIAG_INDEX_RANGE, e->kids[1]->loc,
				     "element %lld is outside of this array of %u", (long long)i, el->n);

		if (el->n)
			diag_help(s->env->diag, "write an index from 0 to %u", el->n - 1);
		return x;
	}
	if (!el->bytes && i)
		return px_wrong(s->env, DIAG_TYPE_MISMATCH, e->loc, UNCOUNTED);
	if (i > OFFSET_MOST || (uint64_t)i * el->bytes + p.offset > OFFSET_MOST)
		return px_wrong(s->env, DIAG_INDEX_RANGE, e->kids[1]->loc,
				"this element is too far from the array's beginning");
	p.offset += (uint32_t)i * el->bytes;
	p.direct = false;
	return value_at(s->env, p, &el->type, (struct str){ 0 }, e->loc);
}

static struct px *computed_element(struct scope *s, const struct ax *e, struct place p,
				   const struct elements *el, struct px *i)
{
	struct type address = { .kind = TY_ARRAY, .size = 8, .user = p.space == SPACE_USER };
	struct px *kids[2] = { p.base, i }, *x;

	if (!el->bytes)
		return px_wrong(s->env, DIAG_TYPE_MISMATCH, e->loc, UNCOUNTED);
	if (p.offset) {
		kids[0] = px_node(s->env, PX_ADDR, e->loc, &address, 1, &p.base);
		kids[0]->offset = p.offset;
		kids[0]->space = p.space;
	}
	x = px_node(s->env, PX_ELEMENT, e->loc, &address, 2, kids);
	x->space = p.space;
	x->stride = el->bytes;
	x->number = el->n ? (int64_t)el->n : -1;
	x->may_none = true;
	if (el->type.kind == TY_STRUCT || el->type.kind == TY_ARRAY) {
		x->type = el->type;
		x->type.user = address.user;
		return px_as_string(s->env, x);
	}
	p = (struct place){ .base = x, .space = p.space };
	return value_at(s->env, p, &el->type, (struct str){ 0 }, e->loc);
}

struct px *check_index(struct scope *s, const struct ax *e)
{
	struct px *base = check_base(s, e->kids[0]), *i = check_ax(s, e->kids[1]);
	struct elements el;
	struct place p;
	int64_t n;

	if (px_is_poison(i) || px_is_none(base))
		return px_is_poison(i) ? i : base;
	if (px_is_poison(base) || px_is_none(i))
		return px_is_poison(base) ? base : i;
	if (!elements_of(s->env->catalog, base, &el))
		return px_wrong(s->env, DIAG_TYPE_MISMATCH, e->loc,
				"%.*s has type %s: no elements",
			     STR_ARG(loc_text(e->kids[0]->loc)), type_name(&base->type));
	if (!px_is_word(i) || i->type.kind == TY_STRUCT || i->type.kind == TY_ARRAY)
		return px_wrong(s->env, DIAG_NOT_A_NUMBER, e->kids[1]->loc,
			     "an index must be a number, but this has type %s", type_name(&i->type));
	p = base->type.kind == TY_STRING ? text_place(base, &el) : place_of(base);
	return px_is_number(i, &n) ? constant_element(s, e, p, &el, n)
				   : computed_element(s, e, p, &el, i);
}

/* ---- casts ---- */

static bool is_address(const struct type *t)
{
	return t->kind == TY_PTR || t->kind == TY_INT || t->kind == TY_KADDR ||
	       t->kind == TY_UADDR || t->kind == TY_STRUCT || t->kind == TY_ARRAY;
}

/* What a function of a program is given is in the program's memory, and the struct is the program's
 * before it is the kernel's. */
static struct type struct_named(const struct scope *s, const struct px *base, struct str name)
{
	const struct cat_function *f = s->begin.function ? s->begin.function : s->end.function;
	const struct catalog *c = s->env->catalog;
	struct type t = { .kind = TY_PTR, .size = 8 };

	t.user = f && f->path &&
		 (base->type.user || base->type.kind == TY_INT || base->type.kind == TY_STRING);
	if (c && t.user && c->ops->program_struct)
		t.ktype = c->ops->program_struct(c->self, f->path, name);
	if (c && !t.ktype)
		t.ktype = c->ops->struct_type(c->self, name);
	return t;
}

struct px *check_as_struct(struct scope *s, const struct ax *e)
{
	struct px *base = check_ax(s, e->kids[0]);
	struct type t;

	if (px_is_poison(base) || px_is_none(base))
		return base;
	t = struct_named(s, base, e->text);
	if (!t.ktype)
		return px_wrong(s->env, DIAG_NO_STRUCT, e->name_loc.text ? e->name_loc : e->loc,
			     "no struct '%.*s' here", STR_ARG(e->text));
	if (base->op == PX_LOAD && base->type.kind == TY_STRING) {
		/* a char pointer is its string unless it is taken for something else */
		t.user |= base->space == SPACE_USER;
		base = base->kids[0];
	}
	if (!is_address(&base->type))
		return px_wrong(s->env, DIAG_TYPE_MISMATCH, e->loc,
				"a value of type %s is not the address of a struct",
			     type_name(&base->type));
	t.user |= base->type.user || base->type.kind == TY_UADDR;
	return px_node(s->env, PX_NARROW, e->loc, &t, 1, &base);
}

struct px *check_as_int(struct scope *s, const struct ax *e)
{
	struct px *base = check_ax(s, e->kids[0]);
	struct type t = { .kind = TY_INT, .is_signed = e->text.n && e->text.p[0] == 's' };
	int bits = 0;

	if (px_is_poison(base) || px_is_none(base))
		return base;
	for (int i = 1; i < e->text.n && bits < 64; i++)
		bits = bits * 10 + (e->text.p[i] - '0');
	t.size = (uint8_t)(bits / 8);
	if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) ||
	    (!t.is_signed && e->text.p[0] != 'u'))
		return px_wrong(s->env, DIAG_BAD_CAST, e->loc,
				"'%.*s' is not a type: write u8 to u64, "
			     "s8 to s64 or struct NAME", STR_ARG(e->text));
	if (!px_is_word(base) || base->type.kind == TY_STRUCT || base->type.kind == TY_ARRAY)
		return px_wrong(s->env, DIAG_NOT_A_NUMBER, e->loc, "a value of type %s is not a number",
			     type_name(&base->type));
	return fold(s->env, px_node(s->env, PX_NARROW, e->loc, &t, 1, &base));
}
