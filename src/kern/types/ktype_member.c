/*
 * ktype_member.c: members of structs and unions, found by name through
 * anonymous ones, and where a bit field is.
 */
#include "kern/types/ktype_impl.h"

/* A place on the way into nested anonymous members. */
struct walk {
	struct ktypes *k;
	struct str name;		/* NULL p: count */
	int skip;			/* members to pass over when counting */
	const char *found_name;
	struct cat_member *m;
	int steps;			/* made-up files may nest without end */
};

#define STEPS_MOST 4000

/*
 * A bit field is read with the smallest aligned word that holds it: that word never
 * reaches into the member before, which the verifier would refuse.
 */
static bool place_bits(struct cat_member *m, uint64_t bit, uint32_t bits)
{
	for (uint32_t size = 1; size <= 8; size *= 2) {
		uint64_t off = bit / (8 * size) * size;

		if (bit - off * 8 + bits > size * 8 || off > UINT32_MAX)
			continue;
		m->offset = (uint32_t)off;
		m->bit_offset = (uint8_t)(bit - off * 8);
		m->bit_size = (uint8_t)bits;
		m->type.size = (uint8_t)size;
		return true;
	}
	return false;
}

/* Its bits, or 0 when it is no bit field. Old files keep them in the INT. */
static uint32_t member_bits(struct ktypes *k, const struct btf_type *s,
			    const struct btf_member *b, uint32_t ktype, uint64_t *bit)
{
	const struct btf_type *t;
	uint32_t data;

	*bit = b->offset;
	if (BTF_INFO_KFLAG(s->info)) {
		*bit = BTF_MEMBER_BIT_OFFSET(b->offset);
		return BTF_MEMBER_BITFIELD_SIZE(b->offset);
	}
	t = ktype_raw(k, ktype_strip(k, ktype));
	if (!t || KIND_OF(t) != BTF_KIND_INT)
		return 0;
	data = *(const uint32_t *)(t + 1);
	*bit += BTF_INT_OFFSET(data);
	return BTF_INT_BITS(data) != 8 * t->size || *bit % 8 ? BTF_INT_BITS(data) : 0;
}

static bool fill(struct walk *w, const struct btf_type *s, const struct btf_member *b,
		 uint32_t ktype, uint64_t base_bits, bool in_union)
{
	uint64_t bit;
	uint32_t bits = member_bits(w->k, s, b, ktype, &bit);

	*w->m = (struct cat_member){ .via_union = in_union };
	if (!ktype_value_named(w->k, ktype, w->found_name, &w->m->type))
		return false;
	bit += base_bits;
	if (bits)
		return type_is_word(&w->m->type) && place_bits(w->m, bit, bits);
	if (bit / 8 > UINT32_MAX)
		return false;
	w->m->offset = (uint32_t)(bit / 8);
	return true;
}

/* Depth first, in the order of the members. True: found. */
static bool walk_struct(struct walk *w, uint32_t ktype, uint64_t base_bits, bool in_union,
			int depth)
{
	const struct btf_type *s = ktype_raw(w->k, ktype);
	const struct btf_member *b;

	if (!s || depth > KTYPE_DEPTH ||
	    (KIND_OF(s) != BTF_KIND_STRUCT && KIND_OF(s) != BTF_KIND_UNION))
		return false;
	in_union |= KIND_OF(s) == BTF_KIND_UNION;
	b = (const void *)(s + 1);
	for (int i = 0; i < (int)VLEN_OF(s); i++, b++) {
		uint32_t type = ktype_ref(w->k, ktype, b->type);
		uint64_t bit;

		if (w->steps++ > STEPS_MOST)
			return false;
		w->found_name = ktype_string(w->k, ktype, b->name_off);
		if (!*w->found_name) {
			member_bits(w->k, s, b, type, &bit);
			if (walk_struct(w, ktype_strip(w->k, type), base_bits + bit, in_union,
					depth + 1))
				return true;
		} else if (w->name.p ? str_is(w->name, w->found_name) : w->skip-- == 0) {
			return fill(w, s, b, type, base_bits, in_union);
		}
	}
	return false;
}

/*
 * Does the verifier find a number at off? Of a union it takes the first member that reaches
 * so far (btf_struct_walk in kernel/bpf/btf.c, 6.18).
 */
static bool is_number_there(struct ktypes *k, uint32_t ktype, uint64_t off, uint32_t bytes)
{
	const uint32_t inner = KIND_BIT(BTF_KIND_STRUCT) | KIND_BIT(BTF_KIND_UNION);
	const uint32_t numbers = KIND_BIT(BTF_KIND_INT) | KIND_BIT(BTF_KIND_ENUM) | KIND_BIT(BTF_KIND_ENUM64);
	const struct btf_type *s = ktype_raw(k, ktype), *t;
	int depth = 0;

	for (int i = 0; s && KIND_BIT(KIND_OF(s)) & inner && i < (int)VLEN_OF(s); i++) {
		const struct btf_member *b = (const struct btf_member *)(s + 1) + i;
		uint32_t type = ktype_strip(k, ktype_ref(k, ktype, b->type));
		uint64_t bit, begin, end;

		if (member_bits(k, s, b, type, &bit))
			continue;
		begin = bit / 8;
		end = begin + ktype_size(k, type);
		t = ktype_raw(k, type);
		if (!t || off < begin)
			return false;
		if (off >= end)
			continue;
		if (!(KIND_BIT(KIND_OF(t)) & inner))
			return KIND_BIT(KIND_OF(t)) & numbers && off + bytes <= end;
		if (depth++ == KTYPE_DEPTH)
			return false;
		off -= begin;
		ktype = type;
		s = t;
		i = -1;
	}
	return false;
}

bool ktype_member(struct ktypes *k, uint32_t ktype, struct str name, struct cat_member *m)
{
	struct walk w = { .k = k, .name = name, .m = m };

	ktype = ktype_define(k, ktype_real(k, ktype));
	if (!name.n || !walk_struct(&w, ktype, 0, false, 0))
		return false;
	if (m->via_union && type_is_word(&m->type) && m->type.kind != TY_PTR && !m->bit_size)
		m->via_union = !is_number_there(k, ktype, m->offset, m->type.size ? m->type.size : 8);
	return true;
}

bool ktype_member_at(struct ktypes *k, uint32_t ktype, int i, const char **name,
		     struct cat_member *m)
{
	struct walk w = { .k = k, .skip = i, .m = m };

	ktype = ktype_define(k, ktype_real(k, ktype));
	if (i < 0)
		return false;
	if (walk_struct(&w, ktype, 0, false, 0)) {
		*name = w.found_name;
		return true;
	}
	if (w.skip >= 0)
		return false;
	/* The i-th is there but has no value (a function's type): shown as a struct. */
	*name = w.found_name;
	*m = (struct cat_member){ .type = { .kind = TY_STRUCT, .size = 8 } };
	return true;
}
