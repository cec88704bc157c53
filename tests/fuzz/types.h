/* What a type is, and its members and elements: asked for whatever the bytes of its table are. */
#ifndef FUZZ_TYPES_H
#define FUZZ_TYPES_H

#include "kern/types/ktype.h"

#define MEMBERS_MOST 64

static void look_at(struct ktypes *k, uint32_t id, int deep)
{
	const char *name;
	struct cat_member m;
	struct type t;
	uint32_t bytes, n;

	ktype_size(k, id);
	ktype_name(k, id);
	ktype_value(k, id, &t);
	if (ktype_pointee(k, id, &t) && t.ktype && deep)
		look_at(k, t.ktype, deep - 1);
	ktype_element(k, id, &t, &bytes, &n);
	ktype_is_readable_arg(k, id);
	for (int i = 0; deep && i < MEMBERS_MOST; i++) {
		m = (struct cat_member){ .offset = 0 };
		if (!ktype_member_at(k, id, i, &name, &m))
			break;
		ktype_member(k, id, str_of(name), &m);
		if (m.type.ktype)
			look_at(k, m.type.ktype, deep - 1);
	}
}

#endif
