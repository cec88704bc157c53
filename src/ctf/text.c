/* Events as text, in the form of babeltrace2's. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "ctf/impl.h"

/* Reads and prints in one go; registers are set again on the way. */
struct walk {
	struct bits b;
	uint64_t *regs;
	struct buf *out;
	uint64_t empty;			/* elements that took no bits */
	bool failed;
};

#define EMPTY_MOST 4096

/* ---- scalars ---- */

/* memcpy of what is mostly short: from both ends, which meet or overlap. */
static inline __attribute__((always_inline)) void copy(char *to, const char *from, size_t n)
{
	if (n > 32) {
		memcpy(to, from, n);
	} else if (n >= 16) {
		memcpy(to, from, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		memcpy(to, from, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else if (n) {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
}

/* What buf_add does, inline and without the zero, which the end of the event brings. */
static inline __attribute__((always_inline)) void put_inline(struct buf *out, const char *text,
							     size_t n)
{
	if (out->cap - out->n <= n) {
		buf_add(out, text, n);
		return;
	}
	copy(out->p + out->n, text, n);
	out->n += n;
}

static __attribute__((noinline)) void put(struct buf *out, const char *text, size_t n)
{
	put_inline(out, text, n);
}

#define PUT(out, literal) put_inline(out, literal, sizeof(literal) - 1)

/* The last digits of so many. All are copied, and what is behind them, which is written over. */
#define DIGITS_MOST 20

struct digits {
	char text[2 * DIGITS_MOST];
	int from;
};

static inline void put_digits(struct buf *out, const struct digits *d)
{
	size_t n = (size_t)(DIGITS_MOST - d->from);

	if (out->cap - out->n <= DIGITS_MOST) {
		buf_add(out, d->text + d->from, n);
		return;
	}
	memcpy(out->p + out->n, d->text + d->from, DIGITS_MOST);
	out->n += n;
}

static void put_uint(struct buf *out, uint64_t v)
{
	static const char digits[] = "00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849505152535455565758596061"
		"6263646566676869707172737475767778798081828384858687888990919293949596979899";
	struct digits d = { .from = DIGITS_MOST };

	for (; v >= 100; v /= 100)
		memcpy(d.text + (d.from -= 2), digits + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(d.text + (d.from -= 2), digits + v * 2, 2);
	else
		d.text[--d.from] = (char)('0' + v);
	put_digits(out, &d);
}

static void put_hex(struct buf *out, uint64_t v)
{
	struct digits d = { .from = DIGITS_MOST };

	do
		d.text[--d.from] = "0123456789ABCDEF"[v & 15];
	while (v >>= 4);
	PUT(out, "0x");
	put_digits(out, &d);
}

static void put_int(struct buf *out, int64_t v)
{
	if (v < 0)
		PUT(out, "-");
	put_uint(out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits && bits < 64 ? v & ((1ull << bits) - 1) : v;
}

static void put_number(struct buf *out, const struct ctf_type *t, uint64_t v)
{
	unsigned bits = t->bits ? t->bits : 64;

	switch (t->base) {
	case 16:
		put_hex(out, low_bits(v, (bits + 3) / 4 * 4));
		break;
	case 8:
		buf_printf(out, "0%" PRIo64, t->kind == CTF_SINT ?
			   low_bits(v, (bits + 2) / 3 * 3) : v);
		break;
	case 2:
		buf_puts(out, "0b");
		for (unsigned i = bits; i--;)
			buf_putc(out, v >> i & 1 ? '1' : '0');
		break;
	default:
		if (t->kind == CTF_SINT)
			put_int(out, (int64_t)v);
		else
			put_uint(out, v);
	}
}

/* How a character is written behind a backslash; 0: as it is; 'x': in hexadecimal. */
static char escape_of(unsigned char c)
{
	static const char escapes[256] = {
		[0 ... 6] = 'x', [14 ... 26] = 'x', [28 ... 31] = 'x', [127] = 'x',
		['\a'] = 'a', ['\b'] = 'b', ['\033'] = 'e',
		['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['\v'] = 'v',
		['\\'] = '\\', ['\''] = '\'', ['"'] = '"', ['?'] = '?',
	};

	return escapes[c];
}

static void put_escaped(struct buf *out, struct str s)
{
	int plain = 0;

	PUT(out, "\"");
	for (int i = 0; i < s.n; i++) {
		char escape = escape_of((unsigned char)s.p[i]);

		if (!escape)
			continue;
		put(out, s.p + plain, (size_t)(i - plain));
		plain = i + 1;
		if (escape == 'x')
			buf_printf(out, "\\x%02x", (unsigned char)s.p[i]);
		else
			buf_printf(out, "\\%c", escape);
	}
	put(out, s.p + plain, (size_t)(s.n - plain));
	PUT(out, "\"");
}

static unsigned unit_at(const uint8_t *p, uint8_t encoding)
{
	switch (encoding) {
	case CTF_UTF16BE:
		return (unsigned)(p[0] << 8 | p[1]);
	case CTF_UTF16LE:
		return (unsigned)(p[1] << 8 | p[0]);
	case CTF_UTF32BE:
		return (unsigned)p[0] << 24 | (unsigned)p[1] << 16 | (unsigned)p[2] << 8 | p[3];
	default:
		return (unsigned)p[3] << 24 | (unsigned)p[2] << 16 | (unsigned)p[1] << 8 | p[0];
	}
}

static void put_character(struct buf *b, unsigned c)
{
	char bytes[UTF8_BYTES];

	if (c >= 0x110000 || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	buf_add(b, bytes, (size_t)utf8_put(bytes, c));
}

void ctf_text_utf8(const struct ctf_type *t, struct str s, struct buf *out)
{
	int unit = (int)text_unit(t);

	if (t->encoding == CTF_UTF8) {
		buf_add(out, s.p, (size_t)s.n);
		return;
	}
	for (int i = 0; i + unit <= s.n; i += unit) {
		const uint8_t *p = (const uint8_t *)s.p + i;
		unsigned c = unit_at(p, t->encoding), low;

		if (unit == 2 && c >= 0xd800 && c < 0xdc00 && i + 4 <= s.n) {
			low = unit_at(p + 2, t->encoding);
			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + (c - 0xd800) * 1024 + (low - 0xdc00);
				i += 2;
			}
		}
		put_character(out, c);
	}
}

static void put_text(struct buf *out, const struct ctf_type *t, struct str s)
{
	struct buf utf8 = { 0 };

	if (t->encoding == CTF_UTF8) {
		put_escaped(out, s);
		return;
	}
	ctf_text_utf8(t, s, &utf8);
	put_escaped(out, (struct str){ utf8.p ? utf8.p : "", (int)utf8.n });
	buf_fini(&utf8);
}

static void put_blob(struct buf *out, struct str s)
{
	buf_putc(out, '[');
	for (int i = 0; i < s.n; i++)
		buf_printf(out, "%s0x%X", i ? ", " : " ", (unsigned char)s.p[i]);
	buf_puts(out, " ]");
}

/* All labels of the value, each once. */
static void put_labels(struct buf *out, const struct ctf_type *t, uint64_t v)
{
	const char *last = NULL;
	int n = 0;

	buf_puts(out, "( ");
	for (int i = 0; i < t->n_labels; i++) {
		const struct ctf_label *l = &t->labels[i];

		if (!range_has(&l->range, v, t->kind == CTF_SINT) || (last && !strcmp(last, l->name)))
			continue;
		buf_puts(out, n++ ? ", " : "");
		put_escaped(out, str_of(l->name));
		last = l->name;
	}
	buf_puts(out, n ? " : container = " : "<unknown> : container = ");
	put_number(out, t, v);
	buf_puts(out, " )");
}

/* Names of the bits that are set, each once. */
static void put_flags(struct buf *out, const struct ctf_type *t, uint64_t v)
{
	const char *last = NULL;
	int n = 0;

	put_number(out, t, v);
	for (int i = 0; i < t->n_labels; i++) {
		const struct ctf_range *r = &t->labels[i].range;
		bool on = false;

		for (uint64_t bit = r->low; bit <= r->high && bit < 64; bit++)
			on |= v >> bit & 1;
		if (!on || t->labels[i].name == last)
			continue;
		last = t->labels[i].name;
		buf_printf(out, "%s%s", n++ ? ", " : " (", last);
	}
	buf_puts(out, n ? ")" : "");
}

static void put_int_value(struct buf *out, const struct ctf_type *t, uint64_t v)
{
	if (t->is_bool)
		buf_puts(out, v ? "true" : "false");
	else if (t->is_flags)
		put_flags(out, t, v);
	else if (t->is_enum)
		put_labels(out, t, v);
	else
		put_number(out, t, v);
}

/* ---- types ---- */

static void walk_type(struct walk *w, const struct ctf_type *t);

static bool walk_fail(struct walk *w)
{
	w->failed = true;
	return false;
}

static bool walk_align(struct walk *w, const struct ctf_type *t)
{
	w->b.pos = (w->b.pos + t->align_bits - 1) & ~(uint64_t)(t->align_bits - 1);
	return w->b.pos <= w->b.end || walk_fail(w);
}

static void walk_int(struct walk *w, const struct ctf_type *t)
{
	uint64_t v;

	if (!bits_int(&w->b, t, &v)) {
		walk_fail(w);
		return;
	}
	if (t->reg >= 0)
		w->regs[t->reg] = v;
	if (w->out)
		put_int_value(w->out, t, v);
}

static void walk_real(struct walk *w, const struct ctf_type *t)
{
	if (t->bits > w->b.end - w->b.pos) {
		walk_fail(w);
		return;
	}
	if (w->out)
		buf_printf(w->out, "%g", bits_real(&w->b, w->b.pos, t));
	w->b.pos += t->bits;
}

static void walk_bytes(struct walk *w, const struct ctf_type *t)
{
	uint64_t bytes = t->from_reg >= 0 ? w->regs[t->from_reg] : t->count;
	struct str s;

	if (!bits_text(&w->b, t, bytes, &s)) {
		walk_fail(w);
		return;
	}
	if (w->out && t->kind == CTF_TEXT)
		put_text(w->out, t, s);
	else if (w->out)
		put_blob(w->out, s);
}

static void walk_array(struct walk *w, const struct ctf_type *t)
{
	uint64_t n = t->from_reg >= 0 ? w->regs[t->from_reg] : t->count;

	if (w->out)
		buf_putc(w->out, '[');
	for (uint64_t i = 0; i < n && !w->failed; i++) {
		uint64_t from = w->b.pos;

		if (w->out) {
			put(w->out, i ? ", [" : " [", i ? 3 : 2);
			put_uint(w->out, i);
			PUT(w->out, "] = ");
		}
		walk_type(w, t->element);
		if (w->b.pos == from && ++w->empty > EMPTY_MOST)
			walk_fail(w);
	}
	if (w->out)
		buf_puts(w->out, " ]");
}

static void walk_struct(struct walk *w, const struct ctf_type *t)
{
	struct buf *out = w->out;
	int shown = 0;

	if (out)
		PUT(out, "{");
	for (int i = 0; i < t->n_members && !w->failed; i++) {
		const struct ctf_member *m = &t->members[i];

		w->out = m->type->hidden ? NULL : out;
		if (w->out) {
			if (shown++)
				PUT(out, ",");
			PUT(out, " ");
			put_inline(out, m->name, (size_t)m->name_bytes);
			PUT(out, " = ");
		}
		walk_type(w, m->type);
	}
	w->out = out;
	if (out)
		PUT(out, " }");
}

static void walk_choice(struct walk *w, const struct ctf_type *t)
{
	const struct ctf_member *m = type_choice(t, w->regs[t->from_reg]);

	if (!m && t->kind == CTF_VARIANT) {
		walk_fail(w);
		return;
	}
	if (!m) {
		if (w->out)
			buf_puts(w->out, "<none>");
		return;
	}
	if (w->out)
		buf_puts(w->out, "{ ");
	walk_type(w, m->type);
	if (w->out)
		buf_puts(w->out, " }");
}

static void walk_type(struct walk *w, const struct ctf_type *t)
{
	static void (*const walks[CTF_KINDS])(struct walk *w, const struct ctf_type *t) = {
		[CTF_UINT] = walk_int, [CTF_SINT] = walk_int, [CTF_REAL] = walk_real,
		[CTF_TEXT] = walk_bytes, [CTF_BLOB] = walk_bytes, [CTF_ARRAY] = walk_array,
		[CTF_STRUCT] = walk_struct, [CTF_VARIANT] = walk_choice,
		[CTF_OPTION] = walk_choice,
	};

	if (walk_align(w, t))
		walks[t->kind](w, t);
}

/* ---- events ---- */

/* Of the first stream, whose event was handed out last. */
static struct walk walk_at(const struct reader *r, uint64_t pos, struct buf *out)
{
	struct walk w = { .b = r->heap[0]->bits, .regs = r->heap[0]->regs, .out = out };

	w.b.pos = pos;
	return w;
}

static bool is_shown(const struct ctf_type *t)
{
	for (int i = 0; t && i < t->n_members; i++)
		if (!t->members[i].type->hidden)
			return true;
	return false;
}

static void put_time(struct buf *out, int64_t time_ns)
{
	uint64_t ns = time_ns < 0 ? -(uint64_t)time_ns : (uint64_t)time_ns;

	put(out, "[-", time_ns < 0 ? 2 : 1);
	put_uint(out, ns / NS_PER_S);
	/* The nine digits behind a 1, which becomes the dot. */
	put_uint(out, ns % NS_PER_S + NS_PER_S);
	out->p[out->n - 10] = '.';
	PUT(out, "] ");
}

static void put_packet_context(struct buf *out, const struct stream *s)
{
	const struct ctf_type *t = s->class->scopes[CTF_PACKET_CONTEXT];
	struct walk w = { .b = file_packet(s), .regs = s->regs, .out = out };

	w.b.pos = s->context_at;
	walk_type(&w, t);
}

void ctf_print_event(struct ctf *t, const struct ctf_event *e, struct buf *out)
{
	struct reader *r = (struct reader *)t;
	struct walk w = walk_at(r, r->given_at, out);
	const char *comma = "", *name = *e->class->name ? e->class->name : "<unknown>";
	const struct stream *s = r->heap[0];

	if (e->has_time)
		put_time(out, e->time_ns);
	put(out, s->group->origin.p, (size_t)s->group->origin.n);
	put(out, name, strlen(name));
	PUT(out, ": ");
	if (is_shown(e->class->scopes[CTF_PACKET_CONTEXT])) {
		put_packet_context(out, s);
		comma = ", ";
	}
	for (int i = CTF_STREAM_CONTEXT; i < CTF_SCOPES; i++)
		if (e->class->scopes[i]) {
			buf_puts(out, comma);
			walk_type(&w, e->class->scopes[i]);
			comma = ", ";
		}
	buf_putc(out, '\n');
}

void ctf_print_value(struct ctf *t, const struct ctf_value *v, struct buf *out)
{
	struct walk w;

	if (!v->has)
		return;
	switch (v->kind) {
	case CTF_UINT:
	case CTF_SINT:
		put_int_value(out, v->type, v->u);
		break;
	case CTF_REAL:
		buf_printf(out, "%g", v->r);
		break;
	case CTF_TEXT:
		put_text(out, v->type, v->text);
		break;
	case CTF_BLOB:
		put_blob(out, v->text);
		break;
	default:
		w = walk_at((struct reader *)t, v->at_bit, out);
		walk_type(&w, v->type);
	}
}

static void print_members(const struct ctf_type *t, struct buf *out)
{
	buf_puts(out, "{");
	for (int i = 0; i < t->n_members; i++) {
		buf_printf(out, "%s%s%s", i ? ", " : " ", t->members[i].name,
			   *t->members[i].name ? ": " : "");
		ctf_print_type(t->members[i].type, out);
	}
	buf_puts(out, " }");
}

void ctf_print_type(const struct ctf_type *t, struct buf *out)
{
	const char *order = t->big_endian && t->bits > 8 ? " big-endian" : "";

	switch (t->kind) {
	case CTF_UINT:
	case CTF_SINT:
		buf_puts(out, t->is_enum ? "enum " : "");
		if (t->is_bool)
			buf_puts(out, "bool");
		else if (!t->bits)
			buf_puts(out, t->kind == CTF_SINT ? "int" : "uint");
		else
			buf_printf(out, "%sint%u%s", t->kind == CTF_SINT ? "" : "u", t->bits, order);
		break;
	case CTF_REAL:
		buf_printf(out, "float%u%s", t->bits, order);
		break;
	case CTF_TEXT:
		buf_puts(out, "text");
		break;
	case CTF_BLOB:
		buf_puts(out, "bytes");
		break;
	case CTF_ARRAY:
		buf_puts(out, "array ");
		if (t->from_reg < 0)
			buf_printf(out, "of %" PRIu64 " ", t->count);
		ctf_print_type(t->element, out);
		break;
	default:
		buf_puts(out, t->kind == CTF_STRUCT ? "struct " :
			 t->kind == CTF_VARIANT ? "variant " : "optional ");
		print_members(t, out);
	}
}
