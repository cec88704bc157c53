/*
 * Types as BTF, numbered in the order in which they are met. A struct is first written as
 * its name (FWD), and with its members when they are asked for: what a large program's
 * types lead to is most of it.
 *
 * In the child only.
 */
#include "base/map.h"
#include "base/vec.h"
#include "kern/types/program_types_impl.h"

#include <linux/btf.h>
#include <string.h>

#define TYPES_BYTES_MOST (4u << 20)
#define NAME_BYTES_MOST 500
#define VALUES_MOST 60000
#define DIMENSIONS_MOST 16
#define BITS_MOST 0xffffff		/* where in a struct a member can be */

/* What of a DIE a number stands for. */
enum form { PLAIN, WHOLE, POINTER, PROTO, DIMENSION };

struct node {
	Dwarf_Die die;
	uint16_t form;			/* DIMENSION and above: the array from that one on */
};

struct writer {
	struct debug_info *dwarf;
	const struct libdw *l;
	struct arena arena;
	struct map numbers;		/* node -> number */
	struct map strings;
	VEC(struct node) nodes;		/* their numbers begin with 1 */
	int written;
	struct buf types, text;		/* not yet told */
	uint32_t text_bytes, types_bytes;	/* told */
};

/* ---- strings and numbers ---- */

static uint32_t string(struct writer *w, const char *name)
{
	int n = (int)strnlen(name, NAME_BYTES_MOST);
	void **slot;
	uint32_t at;

	if (!n)
		return 0;
	slot = map_put(&w->arena, &w->strings, name, n);
	if (!*slot) {
		at = w->text_bytes + (uint32_t)w->text.n;
		*slot = (void *)(uintptr_t)at;
		for (int i = 0; i < n; i++)
			buf_putc(&w->text, (unsigned char)name[i] < 32 || name[i] == 127 ? '?' : name[i]);
		buf_putc(&w->text, 0);
	}
	return (uint32_t)(uintptr_t)*slot;
}

/* A struct of this name, size and line is the same in all units. */
static void **known(struct writer *w, Dwarf_Die *die, uint16_t form)
{
	const char *name = die_name(w->l, die);
	struct buf key = { 0 };
	int64_t line = 0;
	void **slot;

	if (die_is_struct(w->l->dwarf_tag(die)) && *name && (form == PLAIN || form == POINTER) &&
	    die_number(w->l, die, DW_AT_decl_line, &line))
		buf_printf(&key, "%d %s %llu %lld", form, name,
			   (unsigned long long)die_bytes(w->l, die), (long long)line);
	else
		buf_printf(&key, "%p %d", die->addr, form);
	slot = map_put(&w->arena, &w->numbers, key.p, (int)key.n);
	buf_fini(&key);
	return slot;
}

static uint32_t number_of(struct writer *w, Dwarf_Die *die, uint16_t form)
{
	void **slot = known(w, die, form);

	if (!*slot) {
		*vec_add(&w->arena, &w->nodes) = (struct node){ *die, form };
		*slot = (void *)(uintptr_t)w->nodes.n;
	}
	return (uint32_t)(uintptr_t)*slot;
}

/* Of the type of this DIE; 0: void. */
static uint32_t type_number(struct writer *w, Dwarf_Die *die)
{
	Dwarf_Die type;

	return die_type(w->l, die, true, &type) ? number_of(w, &type, PLAIN) : 0;
}

/* ---- types ---- */

static uint32_t add_type(struct writer *w, const char *name, unsigned int kind, uint32_t vlen,
			 bool flag, uint32_t size_or_type)
{
	struct btf_type t = {
		.name_off = string(w, name), .info = (uint32_t)flag << 31 | kind << 24 | vlen,
		.size = size_or_type,
	};

	buf_add(&w->types, &t, sizeof(t));
	return (uint32_t)(w->types.n - sizeof(t));
}

static void set_vlen(struct writer *w, uint32_t at, uint32_t vlen)
{
	struct btf_type t;

	memcpy(&t, w->types.p + at, sizeof(t));
	t.info |= vlen;
	memcpy(w->types.p + at, &t, sizeof(t));
}

static void add_int(struct writer *w, const char *name, uint32_t encoding, uint32_t bytes)
{
	uint32_t data = encoding << 24 | (bytes * 8 & 0xff);

	add_type(w, name, BTF_KIND_INT, 0, false, bytes);
	buf_add(&w->types, &data, sizeof(data));
}

static void write_base(struct writer *w, struct node *n)
{
	uint32_t bytes = (uint32_t)die_bytes(w->l, &n->die);
	int64_t encoding = 0;
	bool is_signed;

	die_number(w->l, &n->die, DW_AT_encoding, &encoding);
	is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
		add_type(w, die_name(w->l, &n->die), BTF_KIND_FLOAT, 0, false, bytes);
	else
		add_int(w, die_name(w->l, &n->die), encoding == DW_ATE_boolean ? BTF_INT_BOOL
			: is_signed ? BTF_INT_SIGNED : 0, bytes);
}

static void write_pointer(struct writer *w, struct node *n)
{
	add_type(w, "", BTF_KIND_PTR, 0, false, type_number(w, &n->die));
}

static void write_typedef(struct writer *w, struct node *n)
{
	add_type(w, die_name(w->l, &n->die), BTF_KIND_TYPEDEF, 0, false, type_number(w, &n->die));
}

static void write_function(struct writer *w, struct node *n)
{
	(void)n;
	add_type(w, "", BTF_KIND_FUNC_PROTO, 0, false, 0);
}

/* Not known to C: bytes. */
static void write_other(struct writer *w, struct node *n)
{
	add_int(w, die_name(w->l, &n->die), 0, (uint32_t)die_bytes(w->l, &n->die));
}

static void write_enum(struct writer *w, struct node *n)
{
	uint32_t at = add_type(w, die_name(w->l, &n->die), BTF_KIND_ENUM64, 0, false,
			       (uint32_t)die_bytes(w->l, &n->die)), values = 0;
	int64_t value, least = 0;
	struct btf_type *t;

	for (Dwarf_Die d = { 0 }; values < VALUES_MOST && die_next(w->l, &n->die, DW_TAG_enumerator, &d);) {
		struct btf_enum64 e = { .name_off = string(w, die_name(w->l, &d)) };

		if (!die_number(w->l, &d, DW_AT_const_value, &value))
			continue;
		e.val_lo32 = (uint32_t)value;
		e.val_hi32 = (uint32_t)((uint64_t)value >> 32);
		least = value < least ? value : least;
		buf_add(&w->types, &e, sizeof(e));
		values++;
	}
	set_vlen(w, at, values);
	t = (struct btf_type *)(w->types.p + at);
	t->info |= (uint32_t)(least < 0) << 31;
}

/* The n-th dimension of an array: its elements, or 0. */
static bool dimension(struct writer *w, Dwarf_Die *array, int n, uint32_t *elements)
{
	Dwarf_Die d = { 0 };
	int64_t number;

	*elements = 0;
	do {
		if (!die_next(w->l, array, DW_TAG_subrange_type, &d))
			return false;
	} while (n--);
	if (die_number(w->l, &d, DW_AT_count, &number))
		*elements = (uint32_t)number;
	else if (die_number(w->l, &d, DW_AT_upper_bound, &number))
		*elements = (uint32_t)(number + 1);
	return true;
}

static void write_array(struct writer *w, struct node *n)
{
	int at = n->form > DIMENSION ? n->form - DIMENSION : 0;
	struct btf_array a = { 0 };
	uint32_t next;

	dimension(w, &n->die, at, &a.nelems);
	if (at < DIMENSIONS_MOST && dimension(w, &n->die, at + 1, &next))
		a.type = number_of(w, &n->die, (uint16_t)(DIMENSION + at + 1));
	else
		a.type = type_number(w, &n->die);
	add_type(w, "", BTF_KIND_ARRAY, 0, false, 0);
	buf_add(&w->types, &a, sizeof(a));
}

/* ---- structs ---- */

/* Where a member begins, in bits, and how many bits it has when it is a bit field. */
static bool member_place(struct writer *w, Dwarf_Die *m, int64_t *bit, int64_t *bits)
{
	Dwarf_Attribute a;
	int64_t bytes = 0, old;

	*bit = *bits = 0;
	die_number(w->l, m, DW_AT_bit_size, bits);
	if (die_number(w->l, m, DW_AT_data_bit_offset, bit))
		return *bit >= 0 && *bit <= BITS_MOST;
	if (w->l->dwarf_attr(m, DW_AT_data_member_location, &a) &&
	    !die_number(w->l, m, DW_AT_data_member_location, &bytes))
		return false;
	*bit = bytes * 8;
	if (die_number(w->l, m, DW_AT_bit_offset, &old)) {
		Dwarf_Die type;
		int64_t storage = 0;

		if (!die_number(w->l, m, DW_AT_byte_size, &storage) && die_type(w->l, m, false, &type))
			storage = (int64_t)die_bytes(w->l, &type);
		*bit += storage * 8 - old - *bits;
	}
	return bytes >= 0 && *bit >= 0 && *bit <= BITS_MOST;
}

/* Members of bases and of structs without a name are found as if they were its own. */
static bool write_member(struct writer *w, Dwarf_Die *m, bool base)
{
	const char *name = base ? "" : die_name(w->l, m);
	struct btf_member member = { .name_off = string(w, name) };
	int64_t bit, bits;
	Dwarf_Die type;
	int tag = die_type(w->l, m, *name, &type);

	if (!tag || die_flag(w->l, m, DW_AT_declaration) || die_flag(w->l, m, DW_AT_external) ||
	    (!*name && !die_is_struct(tag)) || !member_place(w, m, &bit, &bits))
		return false;
	member.type = number_of(w, &type, *name ? PLAIN : WHOLE);
	member.offset = (uint32_t)(bits & 0xff) << 24 | (uint32_t)bit;
	buf_add(&w->types, &member, sizeof(member));
	return true;
}

static void write_struct(struct writer *w, struct node *n)
{
	bool is_union = w->l->dwarf_tag(&n->die) == DW_TAG_union_type;
	const char *name = die_name(w->l, &n->die);
	uint32_t at, members = 0;
	Dwarf_Die die = n->die;	/* nodes may move */

	if (n->form != WHOLE) {
		add_type(w, name, BTF_KIND_FWD, 0, is_union, 0);
		return;
	}
	at = add_type(w, name, is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, 0, true,
		      (uint32_t)die_bytes(w->l, &die));
	for (Dwarf_Die m = { 0 }; members < VALUES_MOST && die_next(w->l, &die, DW_TAG_inheritance, &m);)
		members += write_member(w, &m, true);
	for (Dwarf_Die m = { 0 }; members < VALUES_MOST && die_next(w->l, &die, DW_TAG_member, &m);)
		members += write_member(w, &m, false);
	set_vlen(w, at, members);
}

/* ---- functions ---- */

/* The struct itself, where a pointer to it is passed. */
static uint32_t passed_number(struct writer *w, Dwarf_Die *of, uint8_t place)
{
	Dwarf_Die type;

	if (place != ARG_PLACE_POINTER)
		return type_number(w, of);
	return die_type(w->l, of, false, &type) ? number_of(w, &type, POINTER) : 0;
}

static void write_proto(struct writer *w, struct node *n)
{
	Dwarf_Die function = n->die, source = die_source(w->l, &function), d = { 0 };
	struct program_signature s = { 0 };
	struct btf_param p;

	program_types_places(w->l, &function, &s);
	add_type(w, "", BTF_KIND_FUNC_PROTO, s.n_params, false, passed_number(w, &function, s.ret));
	for (int i = 0; i < s.n_params; i++) {
		p = (struct btf_param){ 0 };
		if (die_next(w->l, &source, DW_TAG_formal_parameter, &d)) {
			p.name_off = string(w, die_name(w->l, &d));
			p.type = passed_number(w, &d, s.params[i].place);
		}
		buf_add(&w->types, &p, sizeof(p));
	}
}

static const struct {
	int tag;
	void (*write)(struct writer *w, struct node *n);
} tags[] = {
	{ DW_TAG_base_type, write_base },
	{ DW_TAG_pointer_type, write_pointer },
	{ DW_TAG_reference_type, write_pointer },
	{ DW_TAG_rvalue_reference_type, write_pointer },
	{ DW_TAG_structure_type, write_struct },
	{ DW_TAG_class_type, write_struct },
	{ DW_TAG_union_type, write_struct },
	{ DW_TAG_typedef, write_typedef },
	{ DW_TAG_enumeration_type, write_enum },
	{ DW_TAG_array_type, write_array },
	{ DW_TAG_subroutine_type, write_function },
};

static void write_node(struct writer *w, struct node n)
{
	int tag = w->l->dwarf_tag(&n.die);

	if (n.form == PROTO) {
		write_proto(w, &n);
		return;
	}
	if (n.form == POINTER) {
		add_type(w, "", BTF_KIND_PTR, 0, false, number_of(w, &n.die, PLAIN));
		return;
	}
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (tags[i].tag == tag) {
			tags[i].write(w, &n);
			return;
		}
	write_other(w, &n);
}

/* ---- questions ---- */

static void signatures(struct writer *w, const char *question, size_t bytes, struct buf *rows)
{
	for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
		struct program_signature s = { 0 };
		struct debug_range *unit, *function;

		memcpy(&s.address, question + at, sizeof(s.address));
		unit = debug_info_unit(w->dwarf, s.address);
		function = unit ? debug_info_function(w->dwarf, unit, s.address) : NULL;
		if (function && function->begin == s.address) {
			program_types_places(w->l, &function->die, &s);
			s.proto = number_of(w, &function->die, PROTO);
		}
		buf_add(rows, &s, sizeof(s));
	}
}

/* Is it here, or in a namespace or struct of it? */
static bool find_named(const struct libdw *l, Dwarf_Die *parent, const char *name, int depth,
		       bool (*is)(const struct libdw *l, Dwarf_Die *die, void *arg), void *arg,
		       Dwarf_Die *found)
{
	Dwarf_Die d;

	if (depth > DEBUG_INFO_DEPTH_MOST || l->dwarf_child(parent, &d))
		return false;
	do {
		int tag = l->dwarf_tag(&d);

		if (is(l, &d, arg) && !strcmp(die_name(l, &d), name)) {
			*found = d;
			return true;
		}
		if ((tag == DW_TAG_namespace || die_is_struct(tag)) &&
		    find_named(l, &d, name, depth + 1, is, arg, found))
			return true;
	} while (!l->dwarf_siblingof(&d, &d));
	return false;
}

static bool find_anywhere(struct writer *w, const char *name,
			  bool (*is)(const struct libdw *l, Dwarf_Die *die, void *arg), void *arg,
			  Dwarf_Die *found)
{
	for (uint32_t i = 0; i < w->dwarf->n_units; i++)
		if (find_named(w->l, &w->dwarf->units[i].die, name, 0, is, arg, found))
			return true;
	return false;
}

static bool is_definition(const struct libdw *l, Dwarf_Die *die, void *arg)
{
	return l->dwarf_tag(die) == *(int *)arg && !die_flag(l, die, DW_AT_declaration);
}

static bool is_struct(const struct libdw *l, Dwarf_Die *die, void *arg)
{
	(void)arg;
	return die_is_struct(l->dwarf_tag(die)) && !die_flag(l, die, DW_AT_declaration);
}

static bool is_inlined(const struct libdw *l, Dwarf_Die *die, void *arg)
{
	int64_t how;

	(void)arg;
	return l->dwarf_tag(die) == DW_TAG_subprogram && die_number(l, die, DW_AT_inline, &how) &&
	       (how == DW_INL_inlined || how == DW_INL_declared_inlined);
}

/* A struct that its unit only declares is looked for in the others. */
static void define(struct writer *w, const char *question, size_t bytes, struct buf *rows)
{
	uint32_t number = 0, whole = 0;
	Dwarf_Die die;
	int tag;

	if (bytes == sizeof(number))
		memcpy(&number, question, sizeof(number));
	if (number && number <= (uint32_t)w->nodes.n) {
		die = w->nodes.v[number - 1].die;
		tag = w->l->dwarf_tag(&die);
		if (die_flag(w->l, &die, DW_AT_declaration) && !die_ref(w->l, &die, DW_AT_signature, &die))
			find_anywhere(w, die_name(w->l, &die), is_definition, &tag, &die);
		whole = number_of(w, &die, WHOLE);
	}
	buf_add(rows, &whole, sizeof(whole));
}

static void structs(struct writer *w, const char *question, size_t bytes, struct buf *rows)
{
	char *name = arena_strndup(&w->arena, question, bytes);
	Dwarf_Die found;
	uint32_t number = find_anywhere(w, name, is_struct, NULL, &found) ? number_of(w, &found, WHOLE) : 0;

	buf_add(rows, &number, sizeof(number));
}

static void inlined(struct writer *w, const char *question, size_t bytes, struct buf *rows)
{
	char *name = arena_strndup(&w->arena, question, bytes);
	Dwarf_Die found;
	uint32_t yes = find_anywhere(w, name, is_inlined, NULL, &found);

	buf_add(rows, &yes, sizeof(yes));
}

void program_types_answer(void *self, const char *question, size_t bytes, struct buf *out)
{
	struct writer *w = self;
	static const struct {
		char question;
		void (*answer)(struct writer *w, const char *about, size_t bytes, struct buf *rows);
	} answers[] = {
		{ PROGRAM_TYPES_SIGNATURES, signatures }, { PROGRAM_TYPES_DEFINE, define },
		{ PROGRAM_TYPES_STRUCT, structs }, { PROGRAM_TYPES_INLINED, inlined },
	};
	struct program_types_head head = { 0 };
	struct buf rows = { 0 };

	buf_clear(&w->types);
	buf_clear(&w->text);
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (bytes && *question == answers[i].question)
			answers[i].answer(w, question + 1, bytes - 1, &rows);
	while (w->written < w->nodes.n && w->types_bytes + w->types.n < TYPES_BYTES_MOST)
		write_node(w, w->nodes.v[w->written++]);
	head = (struct program_types_head){ (uint32_t)rows.n, (uint32_t)w->types.n, (uint32_t)w->text.n };
	w->types_bytes += head.types_bytes;
	w->text_bytes += head.strings_bytes;
	buf_add(out, &head, sizeof(head));
	buf_add(out, rows.p, rows.n);
	buf_add(out, w->types.p, w->types.n);
	buf_add(out, w->text.p, w->text.n);
	buf_fini(&rows);
}

void *program_types_begin(int fd, const char **why)
{
	struct writer *w = xcalloc(1, sizeof(*w));

	w->dwarf = debug_info_open(fd, false, why);
	if (!w->dwarf)
		return NULL;
	w->l = &w->dwarf->l;
	w->text_bytes = 1;		/* the empty one is there */
	return w;
}
