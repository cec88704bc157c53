/* Field classes of CTF 2. */
#include "ctf/meta2.h"

#define LENGTH_MOST (1u << 20)		/* bits of one number */

static struct ctf_type *no(struct meta2 *p, const char *what)
{
	meta2_fail(p, "%s", what);
	return NULL;
}

static uint64_t int_of(const struct json *j, const char *name, uint64_t otherwise)
{
	const struct json *v = json_member(j, name);

	return v && v->kind == JSON_INT ? v->u : otherwise;
}

static const char *text_of(struct meta2 *p, const struct json *j)
{
	return j && j->kind == JSON_TEXT ?
	       meta_text(p->meta, j->text) : NULL;
}

/* ---- what several classes have ---- */

static bool set_align(struct meta2 *p, const struct json *j, const char *name,
		      struct ctf_type *t)
{
	uint64_t align = int_of(j, name, 1);

	if (!align || align & (align - 1) || align > CTF_ALIGN_MOST)
		return meta2_fail(p, "an alignment is a power of two, at most %u", CTF_ALIGN_MOST);
	if (align > t->align_bits)
		t->align_bits = (uint32_t)align;
	return true;
}

static const struct { const char *name; enum ctf_role role; } roles[] = {
	{ "packet-magic-number", ROLE_MAGIC }, { "metadata-stream-uuid", ROLE_UUID },
	{ "data-stream-class-id", ROLE_STREAM_CLASS }, { "data-stream-id", ROLE_STREAM },
	{ "default-clock-timestamp", ROLE_TIME },
	{ "packet-end-default-clock-timestamp", ROLE_PACKET_END },
	{ "packet-content-length", ROLE_CONTENT_SIZE },
	{ "packet-total-length", ROLE_PACKET_SIZE },
	{ "packet-sequence-number", ROLE_SEQUENCE },
	{ "discarded-event-record-counter-snapshot", ROLE_DISCARDED },
	{ "event-record-class-id", ROLE_EVENT_CLASS },
};

static void set_role(const struct json *j, struct ctf_type *t)
{
	const struct json *list = json_member(j, "roles");

	for (const struct json *r = list ? list->first : NULL; r; r = r->next)
		for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
			if (json_is(r, roles[i].name))
				t->roles |= ROLE_BIT(roles[i].role);
}

/* [[low, high], ...] */
static bool parse_ranges(struct meta2 *p, const struct json *j, const struct ctf_range **out,
			 int *n)
{
	struct ctf_range *r;

	if (!j || j->kind != JSON_ARRAY)
		return meta2_fail(p, "ranges of integers are missing");
	r = arena_array(p->meta->arena, struct ctf_range, j->n ? j->n : 1);
	*n = 0;
	for (const struct json *i = j->first; i; i = i->next) {
		if (i->n != 2 || i->first->kind != JSON_INT || i->first->next->kind != JSON_INT)
			return meta2_fail(p, "a range is two integers");
		r[(*n)++] = (struct ctf_range){ i->first->u, i->first->next->u };
	}
	*out = r;
	return true;
}

/* { "NAME": [[low, high], ...] } */
static bool parse_labels(struct meta2 *p, const struct json *j, struct ctf_type *t)
{
	VEC(struct ctf_label) labels = { 0 };

	for (const struct json *m = j ? j->first : NULL; m; m = m->next) {
		const char *name = meta_text(p->meta, m->name);
		const struct ctf_range *r;
		int n;

		if (!parse_ranges(p, m, &r, &n))
			return false;
		for (int i = 0; i < n; i++)
			vec_push(p->meta->arena, &labels, ((struct ctf_label){ name, r[i] }));
	}
	t->labels = labels.v;
	t->n_labels = labels.n;
	t->is_enum = labels.n > 0 && !t->is_flags;
	return true;
}

/* {"origin": "event-record-header", "path": ["id"]} */
static bool parse_location(struct meta2 *p, const struct json *j, struct ctf_type *t)
{
	static const char *const origins[CTF_SCOPES] = {
		"packet-header", "packet-context", "event-record-header",
		"event-record-common-context", "event-record-specific-context",
		"event-record-payload",
	};
	struct ctf_path *path = arena_new(p->meta->arena, struct ctf_path);
	const struct json *origin = json_member(j, "origin"), *list = json_member(j, "path");
	VEC(const char *) parts = { 0 };

	path->scope = -1;
	for (int i = 0; i < CTF_SCOPES; i++)
		if (json_is(origin, origins[i]))
			path->scope = i;
	if (origin && path->scope < 0)
		return meta2_fail(p, "an unknown origin of a field location");
	for (const struct json *i = list ? list->first : NULL; i; i = i->next) {
		if (i->kind == JSON_NULL && !parts.n)
			path->up++;
		else if (i->kind == JSON_NULL)
			parts.n--;	/* it leaves what the name went into */
		else if (i->kind == JSON_TEXT)
			vec_push(p->meta->arena, &parts, text_of(p, i));
		else
			return meta2_fail(p, "a field location's path has names and nulls only");
	}
	if (!parts.n || (origin && path->up))
		return meta2_fail(p, "a field location needs a path below its origin");
	path->parts = parts.v;
	path->n_parts = parts.n;
	t->unbound = path;
	return true;
}

static bool set_encoding(struct meta2 *p, const struct json *j, struct ctf_type *t)
{
	static const char *const names[] = { "utf-8", "utf-16be", "utf-16le", "utf-32be",
					     "utf-32le" };
	const struct json *e = json_member(j, "encoding");

	for (int i = 0; e && i < 5; i++)
		if (json_is(e, names[i])) {
			t->encoding = (uint8_t)i;
			return true;
		}
	return !e || meta2_fail(p, "an unknown encoding of a string");
}

/* ---- each class ---- */

/* Of a number: length, byte order, bit order, alignment. */
static bool set_bits(struct meta2 *p, const struct json *j, struct ctf_type *t)
{
	const struct json *order = json_member(j, "byte-order"), *bits = json_member(j, "bit-order");
	uint64_t length = int_of(j, "length", 0);

	if (!length || length > LENGTH_MOST)
		return meta2_fail(p, "a length is from 1 to %u bits", LENGTH_MOST);
	if (!json_is(order, "big-endian") && !json_is(order, "little-endian"))
		return meta2_fail(p, "byte-order is big-endian or little-endian");
	t->bits = (uint32_t)length;
	t->big_endian = json_is(order, "big-endian");
	t->reversed = json_is(bits, t->big_endian ? "first-to-last" : "last-to-first");
	return set_align(p, j, "alignment", t);
}

/* Numbers of more than 64 bits are shown as their bytes; such as do not begin or end with a
 * byte as an array of bytes or bits. */
static struct ctf_type *as_bytes(struct meta2 *p, struct ctf_type *t)
{
	uint32_t unit = t->bits % 8 ? 1 : 8;

	t->kind = t->bits % 8 || t->align_bits % 8 ? CTF_ARRAY : CTF_BLOB;
	t->count = t->bits / unit;
	t->bits = 0;
	if (t->kind == CTF_BLOB)
		return t;
	t->element = meta_type(p->meta, CTF_UINT);
	t->element->bits = unit;
	t->element->base = 16;
	t->element->big_endian = t->big_endian;
	t->element->reversed = t->reversed;
	return t;
}

static struct ctf_type *fixed_number(struct meta2 *p, const struct json *j, enum ctf_kind kind)
{
	struct ctf_type *t = meta_type(p->meta, kind);
	uint64_t base = int_of(j, "preferred-display-base", 10);

	if (!set_bits(p, j, t))
		return NULL;
	t->base = base == 2 || base == 8 || base == 16 ? (uint8_t)base : 10;
	set_role(j, t);
	return t;
}

static struct ctf_type *class_uint(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = fixed_number(p, j, CTF_UINT);

	if (t && !parse_labels(p, json_member(j, "mappings"), t))
		return NULL;
	return t && t->bits > 64 ? as_bytes(p, t) : t;
}

static struct ctf_type *class_sint(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = class_uint(p, j);

	if (t && t->kind == CTF_UINT)
		t->kind = CTF_SINT;
	return t;
}

static struct ctf_type *class_bits(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = fixed_number(p, j, CTF_UINT);

	if (!t)
		return NULL;
	t->base = 16;
	t->is_flags = true;
	if (!parse_labels(p, json_member(j, "flags"), t))
		return NULL;
	return t->bits > 64 ? as_bytes(p, t) : t;
}

static struct ctf_type *class_bool(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = fixed_number(p, j, CTF_UINT);

	if (t)
		t->is_bool = true;
	return t && t->bits > 64 ? as_bytes(p, t) : t;
}

static struct ctf_type *class_real(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = fixed_number(p, j, CTF_REAL);

	if (!t || t->bits == 16 || t->bits == 32 || t->bits == 64)
		return t;
	return t->bits >= 128 && t->bits % 32 == 0 ? as_bytes(p, t) :
	       no(p, "a floating point number has 16, 32, 64, 128 or more bits");
}

static struct ctf_type *class_varint(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = meta_type(p->meta, CTF_UINT);
	uint64_t base = int_of(j, "preferred-display-base", 10);

	t->align_bits = 8;
	t->base = base == 2 || base == 8 || base == 16 ? (uint8_t)base : 10;
	set_role(j, t);
	if (json_is(json_member(j, "type"), "variable-length-signed-integer"))
		t->kind = CTF_SINT;
	return parse_labels(p, json_member(j, "mappings"), t) ? t : NULL;
}

static struct ctf_type *class_zero_text(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = meta_type(p->meta, CTF_TEXT);

	t->until_zero = true;
	t->align_bits = 8;
	return set_encoding(p, j, t) ? t : NULL;
}

/* Strings and blobs of a length that is given or another field's. */
static struct ctf_type *class_bytes(struct meta2 *p, const struct json *j)
{
	const struct json *type = json_member(j, "type");
	bool is_text = json_is(type, "static-length-string") || json_is(type, "dynamic-length-string");
	struct ctf_type *t = meta_type(p->meta, is_text ? CTF_TEXT : CTF_BLOB);
	const struct json *at = json_member(j, "length-field-location");

	t->align_bits = 8;
	set_role(j, t);
	if (str_has_prefix(type->text, "static"))
		t->count = int_of(j, "length", 0);
	else if (!parse_location(p, at, t))
		return NULL;
	return set_encoding(p, j, t) ? t : NULL;
}

static struct ctf_type *class_array(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = meta_type(p->meta, CTF_ARRAY);

	t->element = meta2_type(p, json_member(j, "element-field-class"));
	if (!t->element)
		return NULL;
	t->align_bits = t->element->align_bits;
	if (json_is(json_member(j, "type"), "static-length-array"))
		t->count = int_of(j, "length", 0);
	else if (!parse_location(p, json_member(j, "length-field-location"), t))
		return NULL;
	return set_align(p, j, "minimum-alignment", t) ? t : NULL;
}

static struct ctf_type *class_struct(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = meta_type(p->meta, CTF_STRUCT);
	const struct json *members = json_member(j, "member-classes");
	int from = p->meta->members.n;

	t->align_bits = 1;
	for (const struct json *m = members ? members->first : NULL; m; m = m->next) {
		const char *name = text_of(p, json_member(m, "name"));
		struct ctf_type *of = meta2_type(p, json_member(m, "field-class"));

		if (!name || !of)
			return no(p, "a member needs a name and a field-class");
		meta_member(p->meta, t, name, of);
	}
	meta_members(p->meta, t, from);
	return set_align(p, j, "minimum-alignment", t) ? t : NULL;
}

/* An option of a variant, or what an optional may have. */
static bool add_option(struct meta2 *p, struct ctf_type *t, const struct json *j,
		       const char *name)
{
	struct ctf_type *of = meta2_type(p, json_member(j, "field-class"));
	const struct json *ranges = json_member(j, "selector-field-ranges");
	struct ctf_member *m;

	if (!of)
		return false;
	meta_member(p->meta, t, name, of);
	m = &vec_last(&p->meta->members);
	return (!ranges && t->kind == CTF_OPTION) ||
	       parse_ranges(p, ranges, &m->ranges, &m->n_ranges);
}

static struct ctf_type *class_option(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = meta_type(p->meta, CTF_OPTION);

	t->align_bits = 1;
	if (!add_option(p, t, j, ""))
		return NULL;
	meta_members(p->meta, t, p->meta->members.n - 1);
	return parse_location(p, json_member(j, "selector-field-location"), t) ? t : NULL;
}

static struct ctf_type *class_variant(struct meta2 *p, const struct json *j)
{
	struct ctf_type *t = meta_type(p->meta, CTF_VARIANT);
	const struct json *options = json_member(j, "options");
	int from = p->meta->members.n;

	t->align_bits = 1;
	for (const struct json *o = options ? options->first : NULL; o; o = o->next) {
		const char *name = text_of(p, json_member(o, "name"));

		if (!add_option(p, t, o, name ? name : ""))
			return NULL;
	}
	meta_members(p->meta, t, from);
	return parse_location(p, json_member(j, "selector-field-location"), t) ? t : NULL;
}

static const struct {
	const char *type;
	struct ctf_type *(*make)(struct meta2 *p, const struct json *j);
} classes[] = {
	{ "fixed-length-unsigned-integer", class_uint },
	{ "fixed-length-signed-integer", class_sint },
	{ "fixed-length-bit-array", class_bits },
	{ "fixed-length-bit-map", class_bits },
	{ "fixed-length-boolean", class_bool },
	{ "fixed-length-floating-point-number", class_real },
	{ "variable-length-unsigned-integer", class_varint },
	{ "variable-length-signed-integer", class_varint },
	{ "null-terminated-string", class_zero_text },
	{ "static-length-string", class_bytes }, { "dynamic-length-string", class_bytes },
	{ "static-length-blob", class_bytes }, { "dynamic-length-blob", class_bytes },
	{ "structure", class_struct },
	{ "static-length-array", class_array }, { "dynamic-length-array", class_array },
	{ "optional", class_option }, { "variant", class_variant },
};

struct ctf_type *meta2_type(struct meta2 *p, const struct json *j)
{
	const struct json *type = json_member(j, "type");
	struct ctf_type *t;

	if (j && j->kind == JSON_TEXT) {
		t = map_get_str(&p->aliases, j->text);
		if (!t)
			meta2_fail(p, "no field class alias '%.*s'", STR_ARG(j->text));
		return t;
	}
	if (meta_is_large(p->meta))
		return no(p, CTF_LARGE);
	if (!type || type->kind != JSON_TEXT)
		return no(p, "a field class is missing or has no type");
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (json_is(type, classes[i].type)) {
			if (++p->depth > CTF_DEPTH_MOST)
				return no(p, "field classes are nested too deep");
			t = classes[i].make(p, j);
			p->depth--;
			return t;
		}
	meta2_fail(p, "an unknown type of field class '%.*s'", STR_ARG(type->text));
	return NULL;
}
