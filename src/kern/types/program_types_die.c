/* Attributes of DIEs. In the child only. */
#include "kern/types/program_types_impl.h"

#include <string.h>

#define STEPS_MOST 64			/* const of volatile of typedef of ... */

bool die_number(const struct libdw *l, Dwarf_Die *die, unsigned int name, int64_t *value)
{
	Dwarf_Attribute a;
	Dwarf_Word word;
	Dwarf_Sword number;

	if (!l->dwarf_attr_integrate(die, name, &a))
		return false;
	if (a.form == DW_FORM_sdata || a.form == DW_FORM_implicit_const) {
		if (l->dwarf_formsdata(&a, &number))
			return false;
		*value = number;
		return true;
	}
	if (l->dwarf_formudata(&a, &word))
		return false;
	*value = (int64_t)word;
	return true;
}

bool die_flag(const struct libdw *l, Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute a;
	bool on = false;

	return l->dwarf_attr(die, name, &a) && !l->dwarf_formflag(&a, &on) && on;
}

const char *die_name(const struct libdw *l, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = l->dwarf_attr_integrate(die, DW_AT_name, &a) ? l->dwarf_formstring(&a) : NULL;

	return name ? name : "";
}

bool die_ref(const struct libdw *l, Dwarf_Die *die, unsigned int name, Dwarf_Die *to)
{
	Dwarf_Attribute a;

	return l->dwarf_attr_integrate(die, name, &a) && l->dwarf_formref_die(&a, to);
}

int die_type(const struct libdw *l, Dwarf_Die *die, bool typedefs, Dwarf_Die *to)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < STEPS_MOST; i++) {
		int tag;

		if (!die_ref(l, &at, DW_AT_type, to))
			return 0;
		tag = l->dwarf_tag(to);
		if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type &&
		    tag != DW_TAG_atomic_type && tag != DW_TAG_immutable_type &&
		    (tag != DW_TAG_typedef || typedefs))
			return tag > 0 ? tag : 0;
		at = *to;
	}
	return 0;
}

uint64_t die_bytes(const struct libdw *l, Dwarf_Die *die)
{
	Dwarf_Word bytes;

	return l->dwarf_aggregate_size(die, &bytes) ? 0 : bytes;
}

bool die_is_struct(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool die_next(const struct libdw *l, Dwarf_Die *parent, int tag, Dwarf_Die *at)
{
	bool there = at->addr ? !l->dwarf_siblingof(at, at) : !l->dwarf_child(parent, at);

	while (there && l->dwarf_tag(at) != tag)
		there = !l->dwarf_siblingof(at, at);
	return there;
}

Dwarf_Die die_source(const struct libdw *l, Dwarf_Die *function)
{
	Dwarf_Attribute a;
	Dwarf_Die source;

	if (l->dwarf_attr(function, DW_AT_abstract_origin, &a) && l->dwarf_formref_die(&a, &source))
		return source;
	return *function;
}
