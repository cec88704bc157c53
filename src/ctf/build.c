/*
 * Decoders: the types of an event class as a list of steps.
 *
 * What nobody wants and nothing depends on is skipped, and skips that follow each other
 * are one step: of where the position is relative to its alignment as much is known as
 * the types tell (position == residue mod modulus), so that most paddings are constants.
 */
#include "ctf/impl.h"

#include <string.h>

struct build {
	struct arena *arena, scratch;
	VEC(struct ctf_step) steps;	/* in scratch */
	struct ctf_program *p;
	uint64_t modulus, residue;
	int barrier;			/* steps before it can be jumped behind: no merging */
	int loops;
};

struct ctf_program *program_new(struct arena *a)
{
	return arena_new(a, struct ctf_program);
}

/* ---- sizes ---- */

static bool array_fixed(const struct ctf_type *t, uint64_t *bits)
{
	uint64_t element, stride;

	if (t->from_reg >= 0 || !type_fixed(t->element, &element))
		return false;
	stride = (element + t->element->align_bits - 1) & ~(uint64_t)(t->element->align_bits - 1);
	if (!t->count) {
		*bits = 0;
		return true;
	}
	return !__builtin_mul_overflow(t->count - 1, stride, bits) &&
	       !__builtin_add_overflow(*bits, element, bits) && *bits < (1ull << 48);
}

bool type_fixed(const struct ctf_type *t, uint64_t *bits)
{
	uint64_t at = 0, one;

	switch (t->kind) {
	case CTF_UINT:
	case CTF_SINT:
	case CTF_REAL:
		*bits = t->bits;
		return t->bits > 0;
	case CTF_TEXT:
	case CTF_BLOB:
		*bits = t->count * 8;
		return !t->until_zero && t->from_reg < 0 && t->count < (1ull << 40);
	case CTF_ARRAY:
		return array_fixed(t, bits);
	case CTF_STRUCT:
		for (int i = 0; i < t->n_members; i++) {
			uint64_t mask = t->members[i].type->align_bits - 1;

			if (!type_fixed(t->members[i].type, &one))
				return false;
			at = ((at + mask) & ~mask) + one;
			if (at > (1ull << 48))
				return false;
		}
		*bits = at;
		return true;
	default:
		return false;
	}
}

/* Is there something in t that must be read? */
static bool is_needed(const struct build *b, const struct ctf_type *t)
{
	if (t->reg >= 0 || t->roles)
		return true;
	for (int i = 0; i < b->p->wanted.n; i++)
		if (b->p->wanted.v[i].type == t)
			return true;
	for (int i = 0; i < t->n_members; i++)
		if (is_needed(b, t->members[i].type))
			return true;
	return t->element && is_needed(b, t->element);
}

static int slot_of(const struct build *b, const struct ctf_type *t)
{
	for (int i = 0; i < b->p->wanted.n; i++)
		if (b->p->wanted.v[i].type == t)
			return b->p->wanted.v[i].slot;
	return -1;
}

/* ---- headers ---- */

/* LTTng's two headers have the shape enum id; variant v { compact; extended }. */
enum header_form program_header_form(const struct ctf_type *t)
{
	const struct ctf_type *id, *v, *c, *e;

	if (!t || t->n_members != 2 || t->align_bits != 8 || t->members[0].type->big_endian)
		return HEADER_GENERAL;
	id = t->members[0].type;
	v = t->members[1].type;
	if (id->kind != CTF_UINT || v->kind != CTF_VARIANT || v->n_members != 2 ||
	    v->from_reg != id->reg || id->roles != ROLE_BIT(ROLE_EVENT_CLASS))
		return HEADER_GENERAL;
	c = v->members[0].type;
	e = v->members[1].type;
	if (c->kind != CTF_STRUCT || c->n_members != 1 || c->members[0].type->roles != ROLE_BIT(ROLE_TIME) ||
	    e->kind != CTF_STRUCT || e->n_members != 2 || e->align_bits != 8 ||
	    v->members[0].n_ranges != 1 || v->members[0].ranges[0].low ||
	    v->members[1].n_ranges != 1 || e->members[0].type->bits != 32 ||
	    e->members[0].type->roles != ROLE_BIT(ROLE_EVENT_CLASS) || e->members[1].type->bits != 64 ||
	    e->members[1].type->roles != ROLE_BIT(ROLE_TIME) || e->members[0].type->big_endian ||
	    e->members[1].type->big_endian || c->members[0].type->big_endian)
		return HEADER_GENERAL;
	if (id->bits == 5 && c->members[0].type->bits == 27 && c->align_bits == 1 &&
	    v->members[0].ranges[0].high == 30 && v->members[1].ranges[0].low == 31)
		return HEADER_COMPACT;
	if (id->bits == 16 && c->members[0].type->bits == 32 && c->align_bits == 8 &&
	    v->members[0].ranges[0].high == 65534 && v->members[1].ranges[0].low == 65535)
		return HEADER_LARGE;
	return HEADER_GENERAL;
}

/* ---- steps ---- */

static int emit(struct build *b, enum ctf_op op, const struct ctf_type *t)
{
	struct ctf_step *s = vec_add(&b->scratch, &b->steps);

	*s = (struct ctf_step){ .op = (uint8_t)op, .type = t, .reg = -1, .slot = -1,
				.from_reg = -1 };
	return b->steps.n - 1;
}

static struct ctf_step *emit_step(struct build *b, enum ctf_op op, const struct ctf_type *t)
{
	int at = emit(b, op, t);

	return &b->steps.v[at];
}

static void emit_skip(struct build *b, uint64_t bits)
{
	struct ctf_step *last = b->steps.n > b->barrier ? &vec_last(&b->steps) : NULL;

	b->residue = (b->residue + bits) & (b->modulus - 1);
	if (!bits)
		return;
	if (last && last->op == OP_SKIP) {
		last->bits += bits;
		return;
	}
	emit(b, OP_SKIP, NULL);
	vec_last(&b->steps).bits = bits;
}

static void emit_align(struct build *b, uint32_t align)
{
	if (align <= b->modulus) {
		emit_skip(b, -b->residue & (align - 1));
		return;
	}
	emit(b, OP_ALIGN, NULL);
	vec_last(&b->steps).align = align;
	b->modulus = align;
	b->residue = 0;
}

/* A place that is jumped to: what is known is what all ways to it have in common. */
static void meet(struct build *b, uint64_t modulus, uint64_t residue)
{
	uint64_t m = modulus < b->modulus ? modulus : b->modulus;

	while (m > 1 && ((residue ^ b->residue) & (m - 1)))
		m /= 2;
	b->modulus = m;
	b->residue &= m - 1;
}

/* After something whose length is a multiple of bits (a power of two divides it). */
static void after_multiple(struct build *b, uint64_t bits)
{
	uint64_t m = bits ? bits & -bits : b->modulus;

	if (m < b->modulus)
		b->modulus = m;
	b->residue &= b->modulus - 1;
}

static void emit_type(struct build *b, const struct ctf_type *t);

static void emit_number(struct build *b, const struct ctf_type *t)
{
	enum ctf_op op = t->kind == CTF_REAL ? OP_REAL : t->bits ? OP_INT : OP_VARINT;
	struct ctf_step *s = emit_step(b, op, t);

	s->bits = t->bits;
	s->reg = t->reg;
	s->slot = slot_of(b, t);
	s->roles = t->roles;
	s->plain = !t->big_endian && !t->reversed && t->align_bits >= 8 &&
		   (t->bits == 8 || t->bits == 16 || t->bits == 32 || t->bits == 64);
	if (t->bits)
		b->residue = (b->residue + t->bits) & (b->modulus - 1);
	else
		after_multiple(b, 8);
}

static void emit_text(struct build *b, const struct ctf_type *t)
{
	struct ctf_step *s = emit_step(b, t->until_zero ? OP_ZERO : OP_TEXT, t);

	s->slot = slot_of(b, t);
	s->count = t->count;
	s->from_reg = t->from_reg;
	s->roles = t->roles;
	after_multiple(b, 8);
}

static void emit_array(struct build *b, const struct ctf_type *t)
{
	uint64_t bits, stride;
	int loop, body;

	if (t->roles & ROLE_BIT(ROLE_UUID) && t->count == 16) {
		emit_text(b, t);
		return;
	}
	if (!is_needed(b, t->element) && type_fixed(t->element, &bits)) {
		struct ctf_step *s = emit_step(b, OP_REPEAT, t);

		stride = (bits + t->element->align_bits - 1) &
			 ~(uint64_t)(t->element->align_bits - 1);
		s->bits = bits;
		s->align = t->element->align_bits;
		s->count = t->count;
		s->from_reg = t->from_reg;
		after_multiple(b, bits | stride);
		return;
	}
	loop = emit(b, OP_LOOP, t);
	b->steps.v[loop].count = t->count;
	b->steps.v[loop].from_reg = t->from_reg;
	b->steps.v[loop].depth = b->loops++;
	b->modulus = 1;
	b->residue = 0;
	body = b->barrier = b->steps.n;
	emit_type(b, t->element);
	b->loops--;
	emit(b, OP_AGAIN, t);
	vec_last(&b->steps).depth = b->loops;
	vec_last(&b->steps).to = body;
	b->steps.v[loop].to = b->barrier = b->steps.n;
	b->modulus = 1;
	b->residue = 0;
}

/* A branch for each member; the optional's other branch is empty. */
static void emit_choice(struct build *b, const struct ctf_type *t)
{
	int at = emit(b, OP_SWITCH, t), n = t->n_members;
	int *targets = arena_array(b->arena, int, n + 1), *jumps = arena_array(&b->scratch, int, n + 1);
	uint64_t modulus = b->modulus, residue = b->residue, end_modulus = 0, end_residue = 0;

	b->steps.v[at].targets = targets;
	b->steps.v[at].from_reg = t->from_reg;
	for (int i = 0; i < n; i++) {
		targets[i] = b->barrier = b->steps.n;
		b->modulus = modulus;
		b->residue = residue;
		emit_type(b, t->members[i].type);
		jumps[i] = emit(b, OP_JUMP, NULL);
		if (i)
			meet(b, end_modulus, end_residue);
		end_modulus = b->modulus;
		end_residue = b->residue;
	}
	targets[n] = t->kind == CTF_OPTION ? b->steps.n : -1;
	if (t->kind == CTF_OPTION)
		meet(b, modulus, residue);
	for (int i = 0; i < n; i++)
		b->steps.v[jumps[i]].to = b->steps.n;
	b->barrier = b->steps.n;
}

static void emit_type(struct build *b, const struct ctf_type *t)
{
	uint64_t bits;
	int slot;

	emit_align(b, t->align_bits);
	if (!is_needed(b, t) && type_fixed(t, &bits)) {
		emit_skip(b, bits);
		return;
	}
	slot = slot_of(b, t);
	if (slot >= 0 && (t->members || t->element || t->kind == CTF_STRUCT)) {
		emit(b, OP_NODE, t);
		vec_last(&b->steps).slot = slot;
	}
	switch (t->kind) {
	case CTF_STRUCT:
		for (int i = 0; i < t->n_members; i++)
			emit_type(b, t->members[i].type);
		break;
	case CTF_VARIANT:
	case CTF_OPTION:
		emit_choice(b, t);
		break;
	case CTF_ARRAY:
		emit_array(b, t);
		break;
	case CTF_TEXT:
	case CTF_BLOB:
		emit_text(b, t);
		break;
	default:
		emit_number(b, t);
		break;
	}
}

/* There are as many programs as event classes: each takes what it needs. */
static void keep_steps(struct build *b)
{
	struct ctf_program *p = b->p;

	p->steps = arena_array(b->arena, struct ctf_step, b->steps.n);
	memcpy(p->steps, b->steps.v, sizeof(*p->steps) * (size_t)b->steps.n);
	arena_fini(&b->scratch);
}

void program_build(struct arena *a, struct ctf_program *p, struct ctf_type *const *scopes,
		   int from, int to, uint64_t modulus, uint64_t residue)
{
	struct build b = { .arena = a, .p = p, .modulus = modulus, .residue = residue };

	for (int s = from; s < to; s++)
		if (scopes[s])
			emit_type(&b, scopes[s]);
	p->modulus = b.modulus;
	p->residue = b.residue;
	p->is_fixed = !p->wanted.n &&
		      (!b.steps.n || (b.steps.n == 1 && b.steps.v[0].op == OP_SKIP));
	p->fixed_bits = b.steps.n ? b.steps.v[0].bits : 0;
	emit(&b, OP_END, NULL);
	keep_steps(&b);
	p->built = true;
}
