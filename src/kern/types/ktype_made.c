/*
 * ktype_made.c: types that no BTF has: arrays in tracepoint formats and structs
 * that are known by name or typedef only. A name is looked up when a member of it is asked
 * for: the parameters of all system calls name a hundred structs, a query uses
 * one or two.
 */
#include "kern/types/ktype_impl.h"

static uint32_t made_number(const struct ktypes *k)
{
	return KTYPE_MADE << 24 | (uint32_t)k->made.n;		/* of the one just added */
}

const struct ktype_made *ktype_made(struct ktypes *k, uint32_t ktype)
{
	uint32_t i = KTYPE_ID(ktype);

	if (KTYPE_FILE(ktype) != KTYPE_MADE || !i || i > (uint32_t)k->made.n)
		return NULL;
	return &k->made.v[i - 1];
}

uint32_t ktype_real(struct ktypes *k, uint32_t ktype)
{
	const struct ktype_made *m = ktype_made(k, ktype);
	uint32_t found;

	if (!m)
		return ktype;
	if (m->kind != MADE_STRUCT)
		return 0;
	if (m->looked_up)
		return m->found;
	found = ktype_struct(k, str_of(m->struct_name));
	if (!found)
		found = ktype_strip(k, ktype_typedef(k, str_of(m->struct_name)));
	k->made.v[KTYPE_ID(ktype) - 1].looked_up = true;
	k->made.v[KTYPE_ID(ktype) - 1].found = found;
	return found;
}

uint32_t ktype_make_array(struct ktypes *k, const struct type *element, uint32_t bytes,
			  uint32_t n)
{
	*vec_add(&k->arena, &k->made) = (struct ktype_made){
		.kind = MADE_ARRAY, .element = *element, .bytes = bytes, .n = n,
	};
	return made_number(k);
}

uint32_t ktype_make_word(struct ktypes *k, const struct type *t)
{
	for (int i = 0; i < k->made.n; i++)
		if (k->made.v[i].kind == MADE_WORD &&
		    !memcmp(&k->made.v[i].element, t, sizeof(*t)))
			return KTYPE_MADE << 24 | (uint32_t)(i + 1);
	*vec_add(&k->arena, &k->made) = (struct ktype_made){ .kind = MADE_WORD, .element = *t };
	return made_number(k);
}

uint32_t ktype_make_struct(struct ktypes *k, struct str name)
{
	struct ktype_made *m;

	for (int i = 0; i < k->made.n; i++)
		if (k->made.v[i].kind == MADE_STRUCT && str_is(name, k->made.v[i].struct_name))
			return KTYPE_MADE << 24 | (uint32_t)(i + 1);
	m = vec_add(&k->arena, &k->made);
	m->kind = MADE_STRUCT;
	m->struct_name = arena_strndup(&k->arena, name.p, (size_t)name.n);
	return made_number(k);
}
