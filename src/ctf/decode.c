/* Running decoders over the bits of a packet. Nothing is read behind its end. */
#include "ctf/impl.h"

#include <string.h>

/* ---- numbers ---- */

/* Bytes that may be read from `at` on, at most n, as if zeros followed. */
static uint64_t load_le(const struct bits *b, uint64_t at, unsigned n)
{
	uint64_t v = 0;

	if (at + 8 <= b->mapped_bytes && n == 8) {
		memcpy(&v, b->base + at, 8);
		return v;
	}
	for (unsigned i = 0; i < n && at + i < b->mapped_bytes; i++)
		v |= (uint64_t)b->base[at + i] << (i * 8);
	return v;
}

static uint64_t reverse(uint64_t v, uint32_t bits)
{
	uint64_t out = 0;

	for (uint32_t i = 0; i < bits; i++)
		out |= (v >> i & 1) << (bits - 1 - i);
	return out;
}

uint64_t bits_uint(const struct bits *b, uint64_t at, const struct ctf_type *t)
{
	uint64_t byte = at / 8, v;
	unsigned shift = at % 8, bits = t->bits;

	if (t->big_endian) {
		v = __builtin_bswap64(load_le(b, byte, 8));
		v <<= shift;
		if (shift + bits > 64)
			v |= load_le(b, byte + 8, 1) >> (8 - shift);
		v >>= 64 - bits;
	} else {
		v = load_le(b, byte, 8) >> shift;
		if (shift + bits > 64)
			v |= load_le(b, byte + 8, 1) << (64 - shift);
		if (bits < 64)
			v &= (1ull << bits) - 1;
	}
	return t->reversed ? reverse(v, bits) : v;
}

/* LEB128; longer than 64 bits is refused. */
bool bits_varint(struct bits *b, bool is_signed, uint64_t *v)
{
	uint64_t byte;
	unsigned shift = 0;

	*v = 0;
	do {
		if (shift > 63)
			b->wrong = "a number of more than 64 bits";
		if (b->pos + 8 > b->end || shift > 63)
			return false;
		byte = b->base[b->pos / 8];
		b->pos += 8;
		*v |= (byte & 127) << shift;
		shift += 7;
	} while (byte & 128);
	if (is_signed && shift < 64 && byte & 64)
		*v |= ~0ull << shift;
	return true;
}

bool bits_int(struct bits *b, const struct ctf_type *t, uint64_t *v)
{
	bool is_signed = t->kind == CTF_SINT;

	if (!t->bits)
		return bits_varint(b, is_signed, v);
	if (t->bits > b->end - b->pos)
		return false;
	*v = bits_uint(b, b->pos, t);
	b->pos += t->bits;
	if (is_signed)
		*v = (uint64_t)sign_extend(*v, t->bits);
	return true;
}

static double half(uint64_t v)
{
	int exponent = (int)(v >> 10 & 31);
	double m = (double)(v & 1023) / 1024, r;

	if (exponent == 31)
		r = v & 1023 ? __builtin_nan("") : __builtin_inf();
	else if (!exponent)
		r = m / 16384;
	else
		r = exponent >= 15 ? (1 + m) * (double)(1 << (exponent - 15)) :
		    (1 + m) / (double)(1 << (15 - exponent));
	return v >> 15 & 1 ? -r : r;
}

double bits_real(const struct bits *b, uint64_t at, const struct ctf_type *t)
{
	uint64_t v = bits_uint(b, at, t);
	uint32_t low = (uint32_t)v;
	double d;
	float f;

	if (t->bits == 16)
		return half(v);
	if (t->bits == 32) {
		memcpy(&f, &low, 4);
		return (double)f;
	}
	memcpy(&d, &v, 8);
	return d;
}

bool range_has(const struct ctf_range *r, uint64_t v, bool is_signed)
{
	if (is_signed)
		return (int64_t)v >= (int64_t)r->low && (int64_t)v <= (int64_t)r->high;
	return v >= r->low && v <= r->high;
}

const struct ctf_member *type_choice(const struct ctf_type *t, uint64_t selector)
{
	for (int i = 0; i < t->n_members; i++) {
		const struct ctf_member *m = &t->members[i];

		if (t->kind == CTF_OPTION && !m->n_ranges)
			return selector ? m : NULL;
		for (int r = 0; r < m->n_ranges; r++)
			if (range_has(&m->ranges[r], selector, t->from_signed))
				return m;
	}
	return NULL;
}

/* ---- steps ---- */

struct run {
	const struct ctf_program *p;
	struct bits *b;
	uint64_t *regs;
	struct ctf_value *values;
	struct decoded *d;
	uint64_t left[CTF_DEPTH_MOST + 1];	/* elements, of each loop that is open */
	uint64_t turns, start;			/* of all loops; where it began */
};

/* Elements can be empty: so many may be, besides one for each bit. */
#define EMPTY_MOST 4096

static inline uint64_t load_plain(const uint8_t *p, uint64_t bits)
{
	uint64_t v = 0;

	switch (bits) {
	case 8:
		return *p;
	case 16:
		memcpy(&v, p, 2);
		return v;
	case 32:
		memcpy(&v, p, 4);
		return v;
	default:
		memcpy(&v, p, 8);
		return v;
	}
}

/* bits: its size, which of LEB128 is what was read. */
static inline void store(struct run *r, const struct ctf_step *s, uint64_t v, uint64_t bits)
{
	const struct ctf_type *t = s->type;

	if (t->kind == CTF_SINT)
		v = (uint64_t)sign_extend(v, t->bits);
	if (s->reg >= 0)
		r->regs[s->reg] = v;
	if (s->slot >= 0)
		r->values[s->slot] = (struct ctf_value){ .has = true, .kind = t->kind, .u = v,
							    .type = t };
	for (unsigned left = r->d ? s->roles : 0; left; left &= left - 1) {
		int role = __builtin_ctz(left);

		r->d->role[role] = v;
		r->d->role_bits[role] = (int)bits;
		r->d->has |= ROLE_BIT(role);
	}
}

static bool run_varint(struct run *r, const struct ctf_step *s)
{
	uint64_t v, from = r->b->pos;

	if (!bits_varint(r->b, s->type->kind == CTF_SINT, &v))
		return false;
	store(r, s, v, (r->b->pos - from) / 8 * 7);
	return true;
}

static inline bool run_int(struct run *r, const struct ctf_step *s)
{
	struct bits *b = r->b;

	if (s->bits > b->end - b->pos)
		return false;
	store(r, s, s->plain ? load_plain(b->base + b->pos / 8, s->bits) :
	      bits_uint(b, b->pos, s->type), s->bits);
	b->pos += s->bits;
	return true;
}

static bool run_real(struct run *r, const struct ctf_step *s)
{
	if (s->bits > r->b->end - r->b->pos)
		return false;
	if (s->slot >= 0)
		r->values[s->slot] = (struct ctf_value){
			.has = true, .kind = CTF_REAL, .type = s->type,
			.r = bits_real(r->b, r->b->pos, s->type),
		};
	r->b->pos += s->bits;
	return true;
}

/* The bytes before the zero of the text's unit; false: there is none. */
static bool find_zero(const struct bits *b, unsigned unit, uint64_t *bytes)
{
	const uint8_t *from = b->base + b->pos / 8, *zero;
	uint64_t left = (b->end - b->pos) / 8;

	if (unit == 1) {
		zero = left ? memchr(from, 0, left) : NULL;
		*bytes = zero ? (uint64_t)(zero - from) : 0;
		return zero != NULL;
	}
	for (*bytes = 0; *bytes + unit <= left; *bytes += unit)
		if (!memcmp(from + *bytes, "\0\0\0", unit))
			return true;
	return false;
}

unsigned text_unit(const struct ctf_type *t)
{
	return t->encoding == CTF_UTF8 ? 1 : t->encoding <= CTF_UTF16LE ? 2 : 4;
}

/* Text of a given length ends at its first zero; what follows is padding. */
static struct str text_of(const struct ctf_type *t, const uint8_t *p, uint64_t bytes)
{
	struct bits b = { .base = p, .end = bytes * 8 };
	uint64_t n = bytes;

	if (t->kind == CTF_TEXT && !find_zero(&b, text_unit(t), &n))
		n = bytes;
	return (struct str){ (const char *)p, n > INT32_MAX ? INT32_MAX : (int)n };
}

bool bits_text(struct bits *b, const struct ctf_type *t, uint64_t bytes, struct str *s)
{
	const uint8_t *p = b->base + b->pos / 8;
	uint64_t text;

	if (t->until_zero) {
		if (!find_zero(b, text_unit(t), &text))
			return false;
		*s = (struct str){ (const char *)p, text > INT32_MAX ? INT32_MAX : (int)text };
		bytes = text + text_unit(t);
	} else if (bytes > (b->end - b->pos) / 8) {
		return false;
	} else {
		*s = text_of(t, p, bytes);
	}
	b->pos += bytes * 8;
	return true;
}

static bool run_text(struct run *r, const struct ctf_step *s)
{
	struct bits *b = r->b;
	const uint8_t *p = b->base + b->pos / 8;
	uint64_t bytes = s->from_reg >= 0 ? r->regs[s->from_reg] : s->count;
	struct str text;

	if (!bits_text(b, s->type, bytes, &text))
		return false;
	if (s->slot >= 0)
		r->values[s->slot] = (struct ctf_value){
			.has = true, .kind = s->type->kind, .type = s->type, .text = text,
		};
	if (s->roles & ROLE_BIT(ROLE_UUID) && bytes == 16 && r->d) {
		memcpy(r->d->uuid, p, 16);
		r->d->has |= 1u << ROLE_UUID;
	}
	return true;
}

/* Elements of one size: all but the last are padded to their alignment. */
static bool run_repeat(struct run *r, const struct ctf_step *s)
{
	uint64_t n = s->from_reg >= 0 ? r->regs[s->from_reg] : s->count;
	uint64_t stride = (s->bits + s->align - 1) & ~(uint64_t)(s->align - 1), all;

	if (!n || !s->bits)
		return true;
	if (__builtin_mul_overflow(n - 1, stride, &all) ||
	    __builtin_add_overflow(all, s->bits, &all) || all > r->b->end - r->b->pos)
		return false;
	r->b->pos += all;
	return true;
}

/* The step behind the loop's begin, or behind all of it. */
static int run_loop(struct run *r, const struct ctf_step *s, int at)
{
	uint64_t n = s->from_reg >= 0 ? r->regs[s->from_reg] : s->count;

	r->left[s->depth] = n;
	return n ? at + 1 : s->to;
}

static int run_again(struct run *r, const struct ctf_step *s, int at)
{
	if (++r->turns > r->b->pos - r->start + EMPTY_MOST) {
		r->b->wrong = "an array whose length is beyond all bounds";
		return -1;
	}
	return --r->left[s->depth] ? s->to : at + 1;
}

static int run_switch(const struct run *r, const struct ctf_step *s)
{
	const struct ctf_member *m = type_choice(s->type, r->regs[s->from_reg]);

	if (!m && s->type->kind == CTF_VARIANT)
		r->b->wrong = "a variant whose selector selects nothing";
	return s->targets[m ? (int)(m - s->type->members) : s->type->n_members];
}

static bool run_align(struct bits *b, uint32_t align)
{
	b->pos = (b->pos + align - 1) & ~(uint64_t)(align - 1);
	return b->pos <= b->end;
}

/* One step; the next one's number, or -1. */
static int run_step(struct run *r, const struct ctf_step *s, int at)
{
	switch (s->op) {
	case OP_ALIGN:
		return run_align(r->b, s->align) ? at + 1 : -1;
	case OP_VARINT:
		return run_varint(r, s) ? at + 1 : -1;
	case OP_REAL:
		return run_real(r, s) ? at + 1 : -1;
	case OP_ZERO:
	case OP_TEXT:
		return run_text(r, s) ? at + 1 : -1;
	case OP_REPEAT:
		return run_repeat(r, s) ? at + 1 : -1;
	case OP_LOOP:
		return run_loop(r, s, at);
	case OP_AGAIN:
		return run_again(r, s, at);
	case OP_SWITCH:
		return run_switch(r, s);
	case OP_JUMP:
		return s->to;
	case OP_NODE:
		r->values[s->slot] = (struct ctf_value){
			.has = true, .kind = s->type->kind, .at_bit = r->b->pos, .type = s->type };
		return at + 1;
	default:
		return -1;
	}
}

bool program_run(const struct ctf_program *p, struct bits *b, uint64_t *regs,
		 struct ctf_value *values, struct decoded *d)
{
	struct run r;			/* but for `left`, which loops begin with */
	int at = 0;

	r.p = p;
	r.b = b;
	r.regs = regs;
	r.values = values;
	r.d = d;
	r.turns = 0;
	r.start = b->pos;
	for (int i = 0; i < p->wanted.n; i++)
		values[i].has = false;
	while (at >= 0) {
		const struct ctf_step *s = &p->steps[at];

		if (s->op == OP_SKIP) {
			if (s->bits > b->end - b->pos)
				return false;
			b->pos += s->bits;
			at++;
		} else if (s->op == OP_INT) {
			if (!run_int(&r, s))
				return false;
			at++;
		} else if (s->op == OP_END) {
			return true;
		} else {
			at = run_step(&r, s, at);
		}
	}
	return false;
}
