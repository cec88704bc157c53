/*
 * ktype_value.c: what C types are as values of the language: words with their
 * meaning, strings, structs and their members.
 */
#include "kern/types/ktype_impl.h"

#define STRING_BYTES 128	/* of a char * and of a char array without a size */

static const struct {
	const char *name;
	uint8_t kind;
} type_means[] = {
#define TYPE_MEANS(name_, kind_) { .name = name_, .kind = TY_##kind_ },
#include "event/meaning.def"
}, member_means[] = {
#define MEMBER_MEANS(name_, kind_) { .name = name_, .kind = TY_##kind_ },
#include "event/meaning.def"
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

uint8_t ktype_meaning(const char *typedef_name)
{
	for (size_t i = 0; i < COUNT(type_means); i++)
		if (!strcmp(type_means[i].name, typedef_name))
			return type_means[i].kind;
	return 0;
}

static uint8_t meaning_of_member(const char *name)
{
	for (size_t i = 0; i < COUNT(member_means); i++)
		if (!strcmp(member_means[i].name, name))
			return member_means[i].kind;
	return 0;
}

/* Of the outermost typedef that has one. */
static uint8_t meaning(struct ktypes *k, uint32_t ktype)
{
	for (int i = 0; i < KTYPE_DEPTH; i++) {
		const struct btf_type *t = ktype_raw(k, ktype);
		uint8_t kind;

		if (!t)
			return 0;
		if (KIND_OF(t) == BTF_KIND_TYPEDEF) {
			kind = ktype_meaning(ktype_string(k, ktype, t->name_off));
			if (kind)
				return kind;
		} else if (KIND_OF(t) != BTF_KIND_CONST && KIND_OF(t) != BTF_KIND_VOLATILE) {
			return 0;
		}
		ktype = ktype_ref(k, ktype, t->type);
	}
	return 0;
}

/* ---- enums ---- */

static int64_t enum_value(const struct btf_type *t, int i)
{
	bool is_signed = BTF_INFO_KFLAG(t->info);

	if (KIND_OF(t) == BTF_KIND_ENUM64) {
		const struct btf_enum64 *e = (const void *)(t + 1);

		return (int64_t)((uint64_t)e[i].val_hi32 << 32 | e[i].val_lo32);
	}
	const struct btf_enum *e = (const void *)(t + 1);

	/* Kernels before 6.0 do not say the sign: a negative value does. */
	return is_signed || e[i].val < 0 ? e[i].val : (int64_t)(uint32_t)e[i].val;
}

static uint32_t enum_name(const struct btf_type *t, int i)
{
	if (KIND_OF(t) == BTF_KIND_ENUM64)
		return ((const struct btf_enum64 *)(t + 1))[i].name_off;
	return ((const struct btf_enum *)(t + 1))[i].name_off;
}

static const struct enum_desc *enum_desc(struct ktypes *k, uint32_t ktype)
{
	const struct btf_type *t = ktype_raw(k, ktype);
	void **slot = map_put(&k->arena, &k->enums, &ktype, sizeof(ktype));
	struct enum_desc *d = *slot;
	struct enum_value *values;

	if (d)
		return d;
	d = arena_new(&k->arena, struct enum_desc);
	d->name = ktype_string(k, ktype, t->name_off);
	d->n = VLEN_OF(t);
	values = arena_array(&k->arena, struct enum_value, d->n + 1);
	for (int i = 0; i < d->n; i++)
		values[i] = (struct enum_value){
			ktype_string(k, ktype, enum_name(t, i)), enum_value(t, i)
		};
	d->values = values;
	*slot = d;
	return d;
}

static bool enumerator_in(struct ktypes *k, uint32_t file, struct str name, int64_t *value,
			  struct type *type)
{
	const struct ktype_file *f = k->files.v[file];
	uint32_t wanted = ktype_file_string(f, name);
	const struct btf_type *t = (const void *)f->types;

	if (!wanted)
		return false;
	for (uint32_t id = 0; id < f->n; id++, t = ktype_next(t)) {
		if (KIND_OF(t) != BTF_KIND_ENUM && KIND_OF(t) != BTF_KIND_ENUM64)
			continue;
		for (int i = 0; i < (int)VLEN_OF(t); i++) {
			if (enum_name(t, i) != wanted)
				continue;
			*value = enum_value(t, i);
			return ktype_value(k, file << 24 | (f->first + id), type);
		}
	}
	return false;
}

/* A name of a query is asked for at each of its sources: answers are kept, "none" too,
 * until there are more files. */
struct known_enumerator {
	int n_files;			/* that were searched; 0: none */
	bool is_there;
	int64_t value;
	struct type type;
};

bool ktype_enumerator(struct ktypes *k, struct str name, int64_t *value, struct type *t)
{
	void **slot = map_put_str(&k->arena, &k->enumerators, name);
	struct known_enumerator *e = *slot;

	if (!e)
		*slot = e = arena_new(&k->arena, struct known_enumerator);
	for (; !e->is_there && e->n_files < k->files.n; e->n_files++)
		e->is_there = enumerator_in(k, (uint32_t)e->n_files, name, &e->value, &e->type);
	if (!e->is_there)
		return false;
	*value = e->value;
	*t = e->type;
	return true;
}

/* ---- values ---- */

static bool is_char(struct ktypes *k, uint32_t ktype)
{
	const struct btf_type *t = ktype_raw(k, ktype_strip(k, ktype));

	return t && KIND_OF(t) == BTF_KIND_INT && t->size == 1 &&
	       !strcmp(ktype_string(k, ktype, t->name_off), "char");
}

static void string_type(struct type *t, uint32_t bytes)
{
	*t = (struct type){ .kind = TY_STRING, .bytes = bytes ? bytes : STRING_BYTES };
}

static bool size_is_word(uint32_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static void int_value(const struct btf_type *t, struct type *out)
{
	uint32_t encoding = BTF_INT_ENCODING(*(const uint32_t *)(t + 1));

	*out = (struct type){
		.kind = TY_INT, .size = (uint8_t)t->size,
		.is_signed = encoding & BTF_INT_SIGNED,
	};
	if (encoding & BTF_INT_BOOL) {
		out->kind = TY_BOOL;
		out->dense = 2;
	}
}

/* A structs' number is that of the struct itself, so that equal types are equal
 * numbers; what else a pointer leads to keeps its typedefs, which have meanings. */
static uint32_t target_number(struct ktypes *k, uint32_t ktype)
{
	uint32_t plain = ktype_strip(k, ktype);
	const struct btf_type *t = ktype_raw(k, plain);

	return t && (KIND_OF(t) == BTF_KIND_STRUCT || KIND_OF(t) == BTF_KIND_UNION ||
		     KIND_OF(t) == BTF_KIND_FWD) ? plain : ktype;
}

static void pointer_value(struct ktypes *k, uint32_t ktype, const struct btf_type *t,
			  struct type *out)
{
	uint32_t to = ktype_ref(k, ktype, t->type);
	const struct btf_type *target = ktype_raw(k, to);

	*out = (struct type){ .kind = TY_PTR, .size = 8, .user = ktype_is_program(k, ktype) };
	if (target && KIND_OF(target) == BTF_KIND_TYPE_TAG)
		out->user = !strcmp(ktype_string(k, to, target->name_off), "user");
	target = ktype_raw(k, ktype_strip(k, to));
	if (target && KIND_OF(target) == BTF_KIND_FUNC_PROTO)
		out->kind = out->user ? TY_UADDR : TY_KADDR;
	else
		out->ktype = target_number(k, to);
}

static bool array_value(struct ktypes *k, uint32_t ktype, const struct btf_type *t,
			struct type *out)
{
	const struct btf_array *a = (const void *)(t + 1);

	if (is_char(k, ktype_ref(k, ktype, a->type)))
		string_type(out, a->nelems);
	else
		*out = (struct type){ .kind = TY_ARRAY, .size = 8, .ktype = ktype };
	return true;
}

static bool plain_value(struct ktypes *k, uint32_t ktype, struct type *out)
{
	uint32_t plain = ktype_strip(k, ktype);
	const struct btf_type *t = ktype_raw(k, plain);

	if (!t)
		return false;
	switch (KIND_OF(t)) {
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		if (!size_is_word(t->size))
			break;
		if (KIND_OF(t) == BTF_KIND_INT)
			int_value(t, out);
		else
			*out = (struct type){
				.kind = TY_ENUM, .size = (uint8_t)t->size,
				.is_signed = BTF_INFO_KFLAG(t->info),
				.en = enum_desc(k, plain),
			};
		return true;
	case BTF_KIND_PTR:
		pointer_value(k, plain, t, out);
		return true;
	case BTF_KIND_ARRAY:
		return array_value(k, plain, t, out);
	case BTF_KIND_FLOAT:
		*out = type_real;
		return true;
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_FUNC:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
		return false;
	}
	*out = (struct type){ .kind = TY_STRUCT, .size = 8, .ktype = plain };
	return true;
}

bool ktype_value(struct ktypes *k, uint32_t ktype, struct type *t)
{
	const struct ktype_made *m = ktype_made(k, ktype);
	uint8_t kind;

	if (m && m->kind == MADE_WORD)
		*t = m->element;
	else if (m)
		*t = (struct type){ .kind = m->kind == MADE_STRUCT ? TY_STRUCT : TY_ARRAY,
				    .size = 8, .ktype = ktype };
	else if (!plain_value(k, ktype, t))
		return false;
	/* a program's pid_t is a process's number as often as not, and its dev_t is another */
	if (!m && t->kind == TY_INT && (kind = meaning(k, ktype)) != 0 &&
	    !(ktype_is_program(k, ktype) && (kind == TY_TID || kind == TY_DEVICE)))
		t->kind = kind;
	return true;
}

bool ktype_value_named(struct ktypes *k, uint32_t ktype, const char *name, struct type *t)
{
	uint8_t kind;

	if (!ktype_value(k, ktype, t))
		return false;
	if (t->kind == TY_TID && (kind = meaning_of_member(name)) != 0)
		t->kind = kind;
	return true;
}

bool ktype_is_word(struct ktypes *k, uint32_t ktype)
{
	const uint32_t words = KIND_BIT(BTF_KIND_INT) | KIND_BIT(BTF_KIND_ENUM) |
		KIND_BIT(BTF_KIND_ENUM64) | KIND_BIT(BTF_KIND_PTR);
	const struct btf_type *t = ktype_raw(k, ktype_strip(k, ktype));

	return t && KIND_BIT(KIND_OF(t)) & words;
}

bool ktype_is_readable_arg(struct ktypes *k, uint32_t ktype)
{
	const uint32_t targets = KIND_BIT(BTF_KIND_INT) | KIND_BIT(BTF_KIND_STRUCT) |
		KIND_BIT(BTF_KIND_UNION);
	const struct btf_type *t;

	if (!ktype_is_word(k, ktype))
		return false;
	ktype = ktype_strip(k, ktype);
	t = ktype_raw(k, ktype);
	if (KIND_OF(t) != BTF_KIND_PTR || !t->type)
		return true;
	t = ktype_raw(k, ktype_strip(k, ktype_ref(k, ktype, t->type)));
	return t && KIND_BIT(KIND_OF(t)) & targets;
}

bool ktype_pointee(struct ktypes *k, uint32_t ktype, struct type *t)
{
	if (is_char(k, ktype)) {
		string_type(t, 0);
		t->user = ktype_is_program(k, ktype);
		return true;
	}
	return ktype_value(k, ktype, t);
}

bool ktype_element(struct ktypes *k, uint32_t ktype, struct type *t, uint32_t *bytes,
		   uint32_t *n)
{
	const struct ktype_made *m = ktype_made(k, ktype);
	const struct btf_type *b;
	const struct btf_array *a;
	uint32_t of;

	if (m) {
		*t = m->element;
		*bytes = m->bytes;
		*n = m->n;
		return m->kind == MADE_ARRAY;
	}
	ktype = ktype_strip(k, ktype);
	b = ktype_raw(k, ktype);
	if (!b || KIND_OF(b) != BTF_KIND_ARRAY)
		return false;
	a = (const void *)(b + 1);
	of = ktype_ref(k, ktype, a->type);
	*bytes = ktype_size(k, of);
	*n = a->nelems;
	return *bytes && ktype_value(k, of, t);
}

uint32_t ktype_size(struct ktypes *k, uint32_t ktype)
{
	uint64_t n = 1;

	for (int i = 0; i < KTYPE_DEPTH; i++) {
		const struct btf_type *t;

		ktype = ktype_define(k, ktype_real(k, ktype));
		t = ktype_raw(k, ktype);
		if (!t)
			return 0;
		switch (KIND_OF(t)) {
		case BTF_KIND_PTR:
			n *= 8;
			return n > UINT32_MAX ? 0 : (uint32_t)n;
		case BTF_KIND_ARRAY:
			n *= ((const struct btf_array *)(t + 1))->nelems;
			ktype = ktype_ref(k, ktype, ((const struct btf_array *)(t + 1))->type);
			break;
		case BTF_KIND_FWD:
		case BTF_KIND_FUNC_PROTO:
		case BTF_KIND_FUNC:
			return 0;
		default:
			n *= t->size;
			return n > UINT32_MAX ? 0 : (uint32_t)n;
		}
		if (n > UINT32_MAX)
			return 0;
	}
	return 0;
}

const char *ktype_name(struct ktypes *k, uint32_t ktype)
{
	const struct ktype_made *m = ktype_made(k, ktype);
	const struct btf_type *t;

	if (m)
		return m->kind == MADE_STRUCT ? m->struct_name :
		       m->kind == MADE_ARRAY ? "array" : type_name(&m->element);
	for (int i = 0; i < KTYPE_DEPTH; i++) {
		t = ktype_raw(k, ktype);
		if (!t)
			return "void";
		if (t->name_off && KIND_OF(t) != BTF_KIND_TYPE_TAG)
			return ktype_string(k, ktype, t->name_off);
		if (!(KIND_BIT(KIND_OF(t)) & (KIND_BIT(BTF_KIND_CONST) |
		      KIND_BIT(BTF_KIND_VOLATILE) | KIND_BIT(BTF_KIND_RESTRICT) |
		      KIND_BIT(BTF_KIND_TYPE_TAG))))
			break;
		ktype = ktype_ref(k, ktype, t->type);
	}
	return "(unnamed)";
}
