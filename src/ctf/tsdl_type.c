/* Types of TSDL: integer { ... }, struct { ... }, variant, enum, arrays, aliases. */
#include <string.h>

#include "ctf/tsdl.h"

/* ---- names ---- */

static void name_type(struct tsdl *p, struct str name, struct ctf_type *t)
{
	if (!name.n || !t)
		return;
	t->shared = true;
	*map_put_str(p->meta->arena, &p->names->types, name) = t;
	if (p->names == &p->global)
		tsdl_forget(&p->bodies);
}

static struct ctf_type *find_type(const struct tsdl *p, struct str name)
{
	for (const struct tsdl_names *n = p->names; n; n = n->up) {
		struct ctf_type *t = map_get_str(&n->types, name);

		if (t)
			return t;
	}
	return NULL;
}

static const char *token_text(struct tsdl *p)
{
	return meta_text(p->meta, p->lex.token);
}

/* "struct NAME" of the present token. */
static struct str named(struct tsdl *p, const char *kind)
{
	return str_of(arena_printf(p->meta->arena, "%s %.*s", kind, STR_ARG(p->lex.token)));
}

/* ---- blocks of attributes ---- */

/* What integers and floating point numbers may say that matters. */
static const char *const attribute_names[] = {
	"size", "signed", "align", "byte_order", "base", "encoding", "map", "exp_dig", "mant_dig",
};
#define ATTRIBUTES (int)(sizeof(attribute_names) / sizeof(*attribute_names))

struct attributes {
	struct tsdl_value value[ATTRIBUTES];
	bool has[ATTRIBUTES];
};

static int attribute_of(struct str name)
{
	int i = 0;

	while (i < ATTRIBUTES && !str_is(name, attribute_names[i]))
		i++;
	return i;
}

/* { name = value; ... } */
static bool parse_attributes(struct tsdl *p, struct attributes *a)
{
	if (!tsdl_expect(p, "{"))
		return false;
	while (!tsdl_take(p, "}")) {
		struct tsdl_value v;
		int i;

		if (tsdl_take(p, ";"))
			continue;
		if (p->lex.kind != TSDL_NAME)
			return tsdl_fail(p, "an attribute's name is missing");
		i = attribute_of(p->lex.token);
		tsdl_next(&p->lex);
		if (!tsdl_expect(p, "=") || !tsdl_value(p, &v) || !tsdl_expect(p, ";"))
			return false;
		if (i == ATTRIBUTES || a->has[i])
			continue;
		a->value[i] = v;
		a->has[i] = true;
	}
	return true;
}

static const struct tsdl_value *attribute(const struct attributes *a, const char *name)
{
	int i = attribute_of(str_of(name));

	return a->has[i] ? &a->value[i] : NULL;
}

static bool parse_align(struct tsdl *p, const struct tsdl_value *v, uint32_t *bits)
{
	if (v->kind != TSDL_INT || !v->u || v->u > CTF_ALIGN_MOST || v->u & (v->u - 1))
		return tsdl_fail(p, "an alignment is a power of two, at most %u", CTF_ALIGN_MOST);
	*bits = (uint32_t)v->u;
	return true;
}

static uint8_t base_of(const struct tsdl_value *v)
{
	static const struct { const char *name; uint8_t base; } bases[] = {
		{ "decimal", 10 }, { "dec", 10 }, { "d", 10 }, { "i", 10 }, { "u", 10 },
		{ "hexadecimal", 16 }, { "hex", 16 }, { "x", 16 }, { "X", 16 }, { "p", 16 },
		{ "octal", 8 }, { "oct", 8 }, { "o", 8 }, { "binary", 2 }, { "b", 2 },
	};

	if (v->kind == TSDL_INT)
		return v->u == 2 || v->u == 8 || v->u == 16 ? (uint8_t)v->u : 10;
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		if (str_is(v->text, bases[i].name))
			return bases[i].base;
	return 10;
}

/* map = clock.NAME.value */
static int clock_of(const struct tsdl *p, struct str path)
{
	struct str name;

	if (!str_has_prefix(path, "clock."))
		return -1;
	name = str_sub(path, 6, -1);
	for (int i = name.n - 1; i > 0; i--)
		if (name.p[i] == '.') {
			name.n = i;
			break;
		}
	return meta_clock(p->meta, name);
}

static struct ctf_type *parse_integer(struct tsdl *p)
{
	struct attributes a = { 0 };
	const struct tsdl_value *v;
	struct ctf_type *t;
	bool is_signed;

	if (!parse_attributes(p, &a))
		return NULL;
	v = attribute(&a, "size");
	if (!v || v->kind != TSDL_INT || !v->u || v->u > 64) {
		tsdl_fail(p, "an integer's size is from 1 to 64 bits");
		return NULL;
	}
	is_signed = (attribute(&a, "signed") && tsdl_truth(attribute(&a, "signed")));
	t = meta_int(p->meta, (uint32_t)v->u, is_signed);
	t->big_endian = p->meta->big_endian;
	if ((v = attribute(&a, "align")) && !parse_align(p, v, &t->align_bits))
		return NULL;
	if ((v = attribute(&a, "byte_order")))
		t->big_endian = tsdl_big_endian(p, v);
	if ((v = attribute(&a, "base")))
		t->base = base_of(v);
	if ((v = attribute(&a, "encoding")))
		t->is_char = t->bits == 8 && t->align_bits == 8 && !str_is(v->text, "none");
	if ((v = attribute(&a, "map")))
		t->clock = clock_of(p, v->text);
	return t;
}

static struct ctf_type *share_integer(struct tsdl *p)
{
	return tsdl_share(p, &p->integers, parse_integer);
}

static struct ctf_type *parse_float(struct tsdl *p)
{
	struct attributes a = { 0 };
	const struct tsdl_value *e, *m, *v;
	struct ctf_type *t;

	if (!parse_attributes(p, &a))
		return NULL;
	e = attribute(&a, "exp_dig");
	m = attribute(&a, "mant_dig");
	if (!e || !m || !((e->u == 8 && m->u == 24) || (e->u == 11 && m->u == 53))) {
		tsdl_fail(p, "a floating_point has exp_dig 8, mant_dig 24 or 11, 53");
		return NULL;
	}
	t = meta_type(p->meta, CTF_REAL);
	t->bits = e->u == 8 ? 32 : 64;
	t->align_bits = 1;
	t->big_endian = p->meta->big_endian;
	if ((v = attribute(&a, "align")) && !parse_align(p, v, &t->align_bits))
		return NULL;
	if ((v = attribute(&a, "byte_order")))
		t->big_endian = tsdl_big_endian(p, v);
	return t;
}

static struct ctf_type *parse_string(struct tsdl *p)
{
	struct attributes a = { 0 };
	struct ctf_type *t = meta_type(p->meta, CTF_TEXT);

	t->until_zero = true;
	t->align_bits = 8;
	return !tsdl_is(p, "{") || parse_attributes(p, &a) ? t : NULL;
}

/* ---- enum ---- */

static struct ctf_type *name_missing(struct tsdl *p, const char *kind, struct str name)
{
	tsdl_fail(p, "no %s '%.*s'", kind, STR_ARG(name));
	return NULL;
}

/* LABEL [= low [... high]], ... } */
static bool parse_labels(struct tsdl *p, struct ctf_type *t)
{
	VEC(struct ctf_label) labels = { 0 };
	uint64_t next = 0;

	while (tsdl_room(p) && !tsdl_take(p, "}")) {
		struct tsdl_value low = { .u = next }, high;
		const char *name;

		if (p->lex.kind != TSDL_NAME && p->lex.kind != TSDL_STRING)
			return tsdl_fail(p, "an enumeration's label is missing");
		name = token_text(p);
		tsdl_next(&p->lex);
		if (tsdl_take(p, "=") && !tsdl_value(p, &low))
			return false;
		high = low;
		if (p->lex.kind == TSDL_DOTS) {
			tsdl_next(&p->lex);
			if (!tsdl_value(p, &high))
				return false;
		}
		vec_push(p->meta->arena, &labels,
			 ((struct ctf_label){ name, { low.u, high.u } }));
		next = high.u + 1;
		if (!tsdl_take(p, ",") && !tsdl_is(p, "}"))
			return tsdl_fail(p, "a comma or } is missing");
	}
	t->labels = labels.v;
	t->n_labels = labels.n;
	return !p->failed;
}

static struct ctf_type *parse_enum(struct tsdl *p)
{
	struct ctf_type *of = NULL, *t;
	struct str name = { "", 0 }, key = name;

	if (p->lex.kind == TSDL_NAME) {
		name = p->lex.token;
		key = named(p, "enum");
		tsdl_next(&p->lex);
	}
	if (tsdl_take(p, ":")) {
		of = tsdl_type(p);
		if (!of)
			return NULL;
	}
	if (!tsdl_take(p, "{")) {
		t = find_type(p, key);
		return t ? t : name_missing(p, "enum", name);
	}
	if (!of)
		of = find_type(p, str_of("int"));
	if (!of || (of->kind != CTF_UINT && of->kind != CTF_SINT)) {
		tsdl_fail(p, "an enum needs an integer type");
		return NULL;
	}
	t = meta_type(p->meta, of->kind);
	*t = *of;
	t->shared = false;
	t->is_enum = true;
	t->is_char = false;
	if (!parse_labels(p, t))
		return NULL;
	name_type(p, key, t);
	return t;
}

/* ---- struct, variant ---- */

static struct ctf_path *parse_path(struct tsdl *p, const char *close)
{
	struct ctf_path *path = arena_new(p->meta->arena, struct ctf_path);
	VEC(const char *) parts = { 0 };

	path->scope = -1;
	path->up = -1;
	do {
		if (p->lex.kind != TSDL_NAME) {
			tsdl_fail(p, "a field's name is missing");
			return NULL;
		}
		vec_push(p->meta->arena, &parts, token_text(p));
		tsdl_next(&p->lex);
	} while (tsdl_take(p, ".") || (tsdl_take(p, "-") && tsdl_expect(p, ">")));
	path->parts = parts.v;
	path->n_parts = parts.n;
	return tsdl_expect(p, close) ? path : NULL;
}

/* [length]...: a[2][3] is two arrays of three. */
static struct ctf_type *parse_arrays(struct tsdl *p, struct ctf_type *element, int depth)
{
	struct ctf_path *path = NULL;
	struct ctf_type *t;
	uint64_t count = 0;

	if (!tsdl_take(p, "["))
		return element;
	if (depth == CTF_DEPTH_MOST) {
		tsdl_fail(p, "too many dimensions");
		return NULL;
	}
	if (p->lex.kind == TSDL_INT) {
		count = p->lex.value;
		tsdl_next(&p->lex);
		if (!tsdl_expect(p, "]"))
			return NULL;
	} else if (!(path = parse_path(p, "]"))) {
		return NULL;
	}
	element = parse_arrays(p, element, depth + 1);
	if (!element)
		return NULL;
	t = meta_type(p->meta, element->is_char ? CTF_TEXT : CTF_ARRAY);
	t->align_bits = element->align_bits;
	t->element = element->is_char ? NULL : element;
	t->count = count;
	t->unbound = path;
	return t;
}

/* *... NAME [length]... : the member's type. */
static struct ctf_type *parse_declarator(struct tsdl *p, struct ctf_type *t, const char **name)
{
	while (tsdl_take(p, "*"))
		tsdl_take(p, "const");
	if (p->lex.kind != TSDL_NAME) {
		tsdl_fail(p, "a field's name is missing");
		return NULL;
	}
	*name = token_text(p);
	tsdl_next(&p->lex);
	return parse_arrays(p, t, 0);
}

/* Members until }, with names of types of their own. */
static bool parse_members(struct tsdl *p, struct ctf_type *of)
{
	struct tsdl_names scope;
	int from = p->meta->members.n;
	bool ok = true;

	if (++p->depth > CTF_DEPTH_MOST)
		return tsdl_fail(p, "types are more than %d deep", CTF_DEPTH_MOST);
	tsdl_enter(p, &scope);
	while (ok && tsdl_room(p) && !tsdl_take(p, "}")) {
		struct ctf_type *base, *t;
		const char *name;

		if (tsdl_take(p, ";") || tsdl_alias(p))
			continue;
		base = p->failed ? NULL : tsdl_type(p);
		if (base && tsdl_take(p, ";"))
			continue;		/* struct x { ... }; is a type, not a member */
		do {
			t = base ? parse_declarator(p, base, &name) : NULL;
			if (t)
				meta_member(p->meta, of, name, t);
			if (t && tsdl_is(p, ","))
				base->shared = true;
		} while (t && tsdl_take(p, ","));
		ok = t && tsdl_expect(p, ";");
	}
	tsdl_leave(p);
	p->depth--;
	meta_members(p->meta, of, from);
	return ok && !p->failed;
}

static struct ctf_type *parse_struct(struct tsdl *p)
{
	struct str key = { "", 0 };
	struct ctf_type *t;
	struct tsdl_value v;
	uint32_t align = 1;

	if (p->lex.kind == TSDL_NAME && !tsdl_is(p, "align")) {
		key = named(p, "struct");
		tsdl_next(&p->lex);
	}
	if (!tsdl_take(p, "{")) {
		t = find_type(p, key);
		return t ? t : name_missing(p, "type", key.n ? key : str_of("struct"));
	}
	t = meta_type(p->meta, CTF_STRUCT);
	t->align_bits = 1;
	if (!parse_members(p, t))
		return NULL;
	if (tsdl_take(p, "align")) {
		if (!tsdl_expect(p, "(") || !tsdl_value(p, &v) || !parse_align(p, &v, &align) ||
		    !tsdl_expect(p, ")"))
			return NULL;
		if (align > t->align_bits)
			t->align_bits = align;
	}
	name_type(p, key, t);
	return t;
}

/* variant [NAME] [<TAG>] { ... }; variant NAME <TAG> of a type that has a name. */
static struct ctf_type *parse_variant(struct tsdl *p)
{
	struct ctf_path *tag = NULL;
	struct ctf_type *t, *known = NULL;
	struct str key = { "", 0 };

	if (p->lex.kind == TSDL_NAME) {
		key = named(p, "variant");
		tsdl_next(&p->lex);
	}
	if (tsdl_take(p, "<") && !(tag = parse_path(p, ">")))
		return NULL;
	if (!tsdl_is(p, "{")) {
		known = find_type(p, key);
		if (!known)
			return name_missing(p, "type", key.n ? key : str_of("variant"));
	}
	t = meta_type(p->meta, CTF_VARIANT);
	t->align_bits = 1;
	if (known)
		*t = *known;
	else if (!tsdl_expect(p, "{") || !parse_members(p, t))
		return NULL;
	if (tag)
		t->unbound = tag;
	if (!known)
		name_type(p, key, t);
	return t;
}

/* ---- any type ---- */

static const struct { const char *word; struct ctf_type *(*parse)(struct tsdl *p); } words[] = {
	{ "integer", share_integer }, { "floating_point", parse_float },
	{ "string", parse_string }, { "enum", parse_enum }, { "struct", parse_struct },
	{ "variant", parse_variant },
};

static bool is_c_word(const struct tsdl *p)
{
	static const char *const c_words[] = {
		"void", "char", "short", "int", "long", "float", "double", "signed",
		"unsigned", "_Bool", "_Complex", "_Imaginary",
	};

	for (size_t i = 0; i < sizeof(c_words) / sizeof(*c_words); i++)
		if (tsdl_is(p, c_words[i]))
			return true;
	return false;
}

/* "unsigned long", "uint8_t"; of an alias also one that is not known yet. */
static struct str parse_type_name(struct tsdl *p)
{
	struct str name = { "", 0 };

	while (p->lex.kind == TSDL_NAME) {
		if (tsdl_take(p, "const"))
			continue;
		if (name.n && !is_c_word(p))
			break;
		if (name.n > 200)
			break;
		name = !name.n ? p->lex.token :
		       str_of(arena_printf(p->meta->arena, "%.*s %.*s", STR_ARG(name),
					   STR_ARG(p->lex.token)));
		if (!is_c_word(p)) {
			tsdl_next(&p->lex);
			break;
		}
		tsdl_next(&p->lex);
	}
	if (!name.n)
		tsdl_fail(p, "a type is missing");
	return name;
}

struct ctf_type *tsdl_type(struct tsdl *p)
{
	struct str name;
	struct ctf_type *t = NULL;

	if (++p->depth > CTF_DEPTH_MOST) {
		tsdl_fail(p, "types are more than %d deep", CTF_DEPTH_MOST);
		return NULL;
	}
	while (tsdl_take(p, "const"))
		;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (tsdl_take(p, words[i].word)) {
			t = words[i].parse(p);
			p->depth--;
			return t;
		}
	name = parse_type_name(p);
	if (name.n && !(t = find_type(p, name)))
		name_missing(p, "type", name);
	p->depth--;
	return t;
}

/* typealias TYPE := NAME; typedef TYPE NAME; NAME may be "struct x", have stars, be an array. */
bool tsdl_alias(struct tsdl *p)
{
	bool is_typedef = tsdl_is(p, "typedef");
	const char *declared, *kind = "";
	struct str name;
	struct ctf_type *t;

	if (!is_typedef && !tsdl_is(p, "typealias"))
		return false;
	tsdl_next(&p->lex);
	t = tsdl_type(p);
	if (!t)
		return false;
	if (is_typedef) {
		do {
			struct ctf_type *of_name = parse_declarator(p, t, &declared);

			if (!of_name)
				return false;
			name_type(p, str_of(declared), of_name);
		} while (tsdl_take(p, ","));
		return tsdl_expect(p, ";");
	}
	/* A declarator before := is allowed only as stars: it changes nothing. */
	while (tsdl_take(p, "*"))
		;
	if (p->lex.kind != TSDL_ASSIGN_TYPE)
		return tsdl_fail(p, ":= is missing");
	tsdl_next(&p->lex);
	if (tsdl_is(p, "struct") || tsdl_is(p, "enum") || tsdl_is(p, "variant")) {
		kind = arena_printf(p->meta->arena, "%.*s ", STR_ARG(p->lex.token));
		tsdl_next(&p->lex);
	}
	name = parse_type_name(p);
	if (!name.n)
		return false;
	while (tsdl_take(p, "*"))
		tsdl_take(p, "const");
	t = parse_arrays(p, t, 0);
	name_type(p, str_of(arena_printf(p->meta->arena, "%s%.*s", kind, STR_ARG(name))), t);
	return t && tsdl_expect(p, ";");
}
