/*
 * Where parameters are when a function begins: integers and pointers are in registers, in
 * order, as long as there are some, then on the stack; what a struct takes depends on its
 * members. That is more certain there than the places that DWARF tells, which are of
 * addresses behind it. Rust promises none of this, and does the same.
 *
 * In the child only.
 */
#include "kern/types/program_types_impl.h"

#include <string.h>

#define NESTED_MOST 8
#define STEPS_MOST 5000			/* members and elements that are looked at */
#define ELEMENTS_MOST 16
#define WORDS 2				/* what of a struct goes into registers */

#ifdef __x86_64__
#define INTEGERS 6
#define FLOATS 8
#define LARGE_BY_REFERENCE false	/* else a copy on the stack */
#define RETURN_TAKES_REGISTER 1		/* where a large result goes */
#else
#define INTEGERS 8
#define FLOATS 8
#define LARGE_BY_REFERENCE true
#define RETURN_TAKES_REGISTER 0
#endif

enum word_class { NOTHING, INTEGER, FLOAT };

/* How a value of a type is passed. */
struct passed {
	uint64_t bytes;
	bool aggregate, memory;
	bool reference;			/* its address, though the source has the value */
	int steps;
	uint8_t words[WORDS];		/* enum word_class */
};

static void add_word(struct passed *p, uint64_t offset, uint8_t class)
{
	if (offset / 8 < WORDS && p->words[offset / 8] != INTEGER)
		p->words[offset / 8] = class;
}

static void classify(const struct libdw *l, Dwarf_Die *type, uint64_t offset, int depth, struct passed *p);

static void classify_base(const struct libdw *l, Dwarf_Die *type, uint64_t offset, struct passed *p)
{
	uint64_t bytes = die_bytes(l, type);
	int64_t encoding = 0;
	bool is_float;

	die_number(l, type, DW_AT_encoding, &encoding);
	is_float = encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
		   encoding == DW_ATE_imaginary_float || encoding == DW_ATE_decimal_float;
	if ((is_float && encoding != DW_ATE_complex_float && bytes > 8) || bytes > 16)
		p->memory = true;
	for (uint64_t at = 0; at < bytes && at < 16; at += 8)
		add_word(p, offset + at, is_float ? FLOAT : INTEGER);
}

static void classify_members(const struct libdw *l, Dwarf_Die *type, uint64_t offset, int depth,
			     int tag, struct passed *p)
{
	for (Dwarf_Die m = { 0 }; !p->reference && die_next(l, type, tag, &m);) {
		int64_t at = 0, bits = 0;
		Dwarf_Die of;

		if (die_flag(l, &m, DW_AT_declaration) || die_flag(l, &m, DW_AT_external) ||
		    !die_type(l, &m, false, &of))
			continue;
		p->reference |= !strncmp(die_name(l, &m), "_vptr", 5);
		if (die_number(l, &m, DW_AT_data_bit_offset, &bits))
			at = bits / 8;
		else
			die_number(l, &m, DW_AT_data_member_location, &at);
		if (die_number(l, &m, DW_AT_bit_size, &bits))
			add_word(p, offset + (uint64_t)at, INTEGER);
		else
			classify(l, &of, offset + (uint64_t)at, depth + 1, p);
	}
}

/* What has a destructor or a table of virtual functions has an address that counts, and is
 * copied by who calls. Only clang says so. */
static bool has_destructor(const struct libdw *l, Dwarf_Die *type)
{
	int64_t how;

	for (Dwarf_Die d = { 0 }; die_next(l, type, DW_TAG_subprogram, &d);)
		if (*die_name(l, &d) == '~' && !die_flag(l, &d, DW_AT_artificial) &&
		    !die_number(l, &d, DW_AT_defaulted, &how))
			return true;
	return false;
}

static void classify_struct(const struct libdw *l, Dwarf_Die *type, uint64_t offset, int depth,
			    struct passed *p)
{
	int64_t convention = 0;

	if (die_number(l, type, DW_AT_calling_convention, &convention))
		p->reference |= convention == DW_CC_pass_by_reference;
	else
		p->reference |= has_destructor(l, type);
	p->memory |= die_bytes(l, type) > 8 * WORDS;
	classify_members(l, type, offset, depth, DW_TAG_inheritance, p);
	classify_members(l, type, offset, depth, DW_TAG_member, p);
}

static void classify_array(const struct libdw *l, Dwarf_Die *type, uint64_t offset, int depth,
			   struct passed *p)
{
	uint64_t bytes = die_bytes(l, type), each;
	Dwarf_Die of;

	if (!die_type(l, type, false, &of))
		return;
	each = die_bytes(l, &of);
	if (die_flag(l, type, DW_AT_GNU_vector)) {
		add_word(p, offset, FLOAT);
		return;
	}
	for (uint64_t i = 0; each && i < bytes / each && i < ELEMENTS_MOST; i++)
		classify(l, &of, offset + i * each, depth + 1, p);
}

static void classify(const struct libdw *l, Dwarf_Die *type, uint64_t offset, int depth, struct passed *p)
{
	int tag = l->dwarf_tag(type);

	if (depth > NESTED_MOST || p->steps++ > STEPS_MOST)
		p->memory = true;
	else if (die_is_struct(tag))
		classify_struct(l, type, offset, depth, p);
	else if (tag == DW_TAG_array_type)
		classify_array(l, type, offset, depth, p);
	else if (tag == DW_TAG_base_type)
		classify_base(l, type, offset, p);
	else
		add_word(p, offset, INTEGER);
}

/* Of the type of a parameter, or what a function returns. False: void. */
static bool passed_as(const struct libdw *l, Dwarf_Die *of, bool rust, struct passed *p)
{
	Dwarf_Die type;
	int tag = die_type(l, of, false, &type);

	*p = (struct passed){ 0 };
	if (!tag)
		return false;
	p->bytes = die_bytes(l, &type);
	p->aggregate = die_is_struct(tag) || tag == DW_TAG_array_type;
	classify(l, &type, 0, 0, p);
	if (p->aggregate && p->memory && (LARGE_BY_REFERENCE || rust))
		p->reference = true;
	return true;
}

static int words_of(const struct passed *p, uint8_t class)
{
	return (p->words[0] == class) + (p->words[1] == class);
}

static uint8_t place_of(const struct passed *p, uint8_t plain)
{
	if (p->aggregate || words_of(p, INTEGER) > 1)
		return ARG_PLACE_STRUCT;
	return words_of(p, INTEGER) ? plain : ARG_PLACE_FLOAT;
}

/* Registers and words of the stack that are taken. */
struct taken {
	unsigned int integers, floats, stack;
};

static void place(const struct passed *p, struct taken *t, uint8_t *where, uint8_t *at)
{
	unsigned int integers = p->reference ? 1 : (unsigned int)words_of(p, INTEGER);
	unsigned int floats = p->reference ? 0 : (unsigned int)words_of(p, FLOAT);

	*where = ARG_PLACE_NONE;
	if (!p->reference && !p->memory && !integers && !floats)
		return;
	if ((!p->memory || p->reference) && t->integers + integers <= INTEGERS &&
	    t->floats + floats <= FLOATS) {
		*where = p->reference ? ARG_PLACE_POINTER : place_of(p, ARG_PLACE_REGISTER);
		*at = (uint8_t)t->integers;
		t->integers += integers;
		t->floats += floats;
		return;
	}
	if (!p->reference && !p->aggregate && p->bytes > 8)
		t->stack += t->stack % 2;
	*where = p->reference ? ARG_PLACE_STRUCT : place_of(p, ARG_PLACE_STACK);
	*at = (uint8_t)t->stack;
	t->stack += p->reference ? 1 : (unsigned int)((p->bytes + 7) / 8);
}

void program_types_places(const struct libdw *l, Dwarf_Die *function, struct program_signature *s)
{
	Dwarf_Die source = die_source(l, function), unit;
	bool rust = l->dwarf_diecu(function, &unit, NULL, NULL) &&
		    l->dwarf_srclang(&unit) == DW_LANG_Rust;
	struct taken taken = { 0 };
	struct passed p;

	s->ret = ARG_PLACE_NONE;
	if (passed_as(l, function, rust, &p)) {
		bool elsewhere = p.reference || p.memory;

		s->ret = elsewhere && p.aggregate ? ARG_PLACE_POINTER : place_of(&p, ARG_PLACE_REGISTER);
		taken.integers = elsewhere && p.aggregate ? RETURN_TAKES_REGISTER : 0;
	}
	for (Dwarf_Die d = { 0 }; s->n_params < PROGRAM_TYPES_PARAMS_MOST &&
				  die_next(l, &source, DW_TAG_formal_parameter, &d);) {
		uint8_t i = s->n_params++;

		if (passed_as(l, &d, rust, &p))
			place(&p, &taken, &s->params[i].place, &s->params[i].at);
	}
}
