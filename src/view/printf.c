/*
 * print "FORMAT": C's conversions, applied to cells. See format.h.
 *
 * The user's format never reaches printf: it is parsed here, and each
 * conversion is rebuilt from checked parts. A conversion that does not suit its
 * column is a mistake that format_check tells before anything runs; format_row
 * shows "-" for a none and never fails.
 */
#include <stdio.h>

#include "view/format.h"

#define WIDTH_MOST 1000

struct spec {
	char flags[8];
	int width, precision;		/* precision -1: none */
	char conversion;		/* '%': a percent sign */
};

static const char number_conversions[] = "diuxXocpfeg";

/* A number of digits; -1 where it is past WIDTH_MOST. */
static int digits(struct str f, int *i)
{
	int n = 0;

	for (; *i < f.n && f.p[*i] >= '0' && f.p[*i] <= '9'; (*i)++)
		if (n <= WIDTH_MOST)
			n = n * 10 + f.p[*i] - '0';
	return n > WIDTH_MOST ? -1 : n;
}

/* f.p[*i] is the '%'; moves *i behind the conversion. */
static const char *parse(struct str f, int *i, struct spec *s)
{
	int n = 0;

	*s = (struct spec){ .precision = -1 };
	for ((*i)++; *i < f.n && f.p[*i] && strchr("-0+ #", f.p[*i]); (*i)++)
		if (!strchr(s->flags, f.p[*i]) && n < 6)
			s->flags[n++] = f.p[*i];
	s->width = digits(f, i);
	if (*i < f.n && f.p[*i] == '.') {
		(*i)++;
		s->precision = digits(f, i);
		if (s->precision < 0)
			return "the format has a precision that is too large: at most 1000";
	}
	if (s->width < 0)
		return "the format has a width that is too large: at most 1000";
	while (*i < f.n && f.p[*i] && strchr("hlqjzt", f.p[*i]))
		(*i)++;
	if (*i >= f.n)
		return "the format ends inside a conversion: a percent sign itself is %%";
	s->conversion = f.p[(*i)++];
	if (s->conversion == '*')
		return "the format has '*' as a width: write a number";
	return NULL;
}

static bool is_conversion(char letter)
{
	return letter && (letter == 's' || strchr(number_conversions, letter));
}

static const char *suits(struct arena *a, char conversion, const struct column *c)
{
	const struct type *t = &c->type;

	if (t->kind == TY_POISON)
		return NULL;
	if (t->kind == TY_HIST)
		return arena_printf(a, "a format cannot show %s, a histogram", c->name);
	if (conversion != 's' && !type_is_word(t))
		return arena_printf(a, "%%%c formats a number, but %s has type %s: use %%s", conversion,
				    c->name, type_name(t));
	return NULL;
}

const char *format_check(struct arena *a, struct str f, const struct column *columns, int n)
{
	int used = 0;

	for (int i = 0; i < f.n;) {
		struct spec s;
		const char *wrong;

		if (f.p[i] != '%') {
			i++;
			continue;
		}
		wrong = parse(f, &i, &s);
		if (wrong)
			return wrong;
		if (s.conversion == '%')
			continue;
		if (!is_conversion(s.conversion))
			return "the format has an unknown conversion: use %d %i %u %x %X %o %c %p "
			       "%f %e %g %s or %%";
		if (used < n && columns) {
			wrong = suits(a, s.conversion, &columns[used]);
			if (wrong)
				return wrong;
		}
		used++;
	}
	if (used > n)
		return "the format has more conversions than values";
	while (used < n && columns && columns[used].type.kind == TY_STACK)
		used++;
	if (used < n)
		return "the format has fewer conversions than values";
	return NULL;
}

/* ---- one conversion ---- */

static double as_real(const struct type *t, const struct cell *c)
{
	if (c->kind == CELL_REAL)
		return c->r;
	return t->is_signed ? (double)c->i : (double)(uint64_t)c->i;
}

static int64_t as_word(const struct cell *c)
{
	if (c->kind != CELL_REAL)
		return c->i;
	if (!(c->r > -0x1p63))
		return c->r != c->r ? 0 : INT64_MIN;
	return c->r < 0x1p63 ? (int64_t)c->r : INT64_MAX;
}

/* Text to width and precision, counted in columns of the terminal. */
static void put_text(struct buf *b, const struct spec *s, const char *p, int n)
{
	bool left = strchr(s->flags, '-') != NULL;
	int pad;

	if (s->precision >= 0)
		n = text_fit(p, n, s->precision);
	pad = s->width - text_columns(p, n);
	if (!left)
		buf_pad(b, ' ', pad);
	buf_add(b, p, (size_t)n);
	if (left)
		buf_pad(b, ' ', pad);
}

#define SPEC_BYTES 40

/* The conversion for printf, of parts that parse has checked. */
static void spec_text(char *text, const struct spec *s, const char *length, char conversion)
{
	char width[16] = "", precision[16] = "";

	if (s->width)
		snprintf(width, sizeof(width), "%d", s->width);
	if (s->precision >= 0)
		snprintf(precision, sizeof(precision), ".%d", s->precision);
	snprintf(text, SPEC_BYTES, "%%%s%s%s%s%c", s->flags, width, precision, length, conversion);
}

static void put_integer(struct buf *b, const struct spec *s, const struct type *t, int64_t v)
{
	bool decimal = s->conversion == 'd' || s->conversion == 'i';
	uint64_t bits = (uint64_t)v;
	char text[SPEC_BYTES];

	if (!decimal && t->size && t->size < 8)		/* -1 of 4 bytes is ffffffff */
		bits &= (1ull << (8 * t->size)) - 1;
	if (decimal && !t->is_signed)
		decimal = false;
	spec_text(text, s, "ll", decimal ? 'd' : strchr("xXo", s->conversion) ? s->conversion : 'u');
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(b, text, bits);
#pragma GCC diagnostic pop
}

static void put_real(struct buf *b, const struct spec *s, double x)
{
	char text[SPEC_BYTES];

	if (x > 1e30 || x < -1e30 || x != x)
		x = x < 0 ? -1e30 : x > 0 ? 1e30 : 0;
	spec_text(text, s, "", s->conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(b, text, x);
#pragma GCC diagnostic pop
}

/* A real number that no word holds, as a sum can be. */
static bool is_beyond(const struct cell *c)
{
	return c->kind == CELL_REAL && (c->r >= 0x1p63 || c->r < -0x1p63);
}

static void put_beyond(struct buf *b, const struct spec *s, double x)
{
	struct spec whole = *s;

	whole.conversion = 'f';
	whole.precision = 0;
	put_real(b, &whole, x);
}

static void put_shown(struct buf *b, const struct spec *s, const struct type *t,
		      const struct cell *c, const struct names *names)
{
	struct buf text = { 0 };

	format_cell(&text, FORM_ADAPTED, t, c, names);
	put_text(b, s, text.p ? text.p : "", (int)text.n);
	buf_fini(&text);
}

static void put_char(struct buf *b, const struct spec *s, int64_t v)
{
	char byte = (char)v;
	struct buf text = { 0 };

	escape_text(&text, &byte, 1);
	put_text(b, s, text.p, (int)text.n);
	buf_fini(&text);
}

static void put_pointer(struct buf *b, const struct spec *s, int64_t v)
{
	struct buf text = { 0 };

	buf_printf(&text, "0x%llx", (unsigned long long)v);
	put_text(b, s, text.p, (int)text.n);
	buf_fini(&text);
}

static void put(struct buf *b, const struct spec *s, const struct type *t, const struct cell *c,
		const struct names *names)
{
	bool is_number = (c->kind == CELL_INT && !c->at_least) || c->kind == CELL_REAL;

	if (!is_number || s->conversion == 's')
		put_shown(b, s, t, c, names);
	else if (strchr("feg", s->conversion))
		put_real(b, s, as_real(t, c));
	else if (strchr("diu", s->conversion) && is_beyond(c))
		put_beyond(b, s, c->r);
	else if (s->conversion == 'c')
		put_char(b, s, as_word(c));
	else if (s->conversion == 'p')
		put_pointer(b, s, as_word(c));
	else
		put_integer(b, s, t, as_word(c));
}

int format_row(struct buf *b, struct str f, const struct column *columns, int n,
	       const struct cell *cells, const struct names *names)
{
	int used = 0;

	for (int i = 0; i < f.n;) {
		struct spec s;
		int at = i;

		if (f.p[i] != '%') {
			buf_putc(b, f.p[i++]);
			continue;
		}
		if (parse(f, &i, &s) || (s.conversion != '%' && !is_conversion(s.conversion)))
			buf_add(b, f.p + at, (size_t)(i - at));
		else if (s.conversion == '%')
			buf_putc(b, '%');
		else if (used < n) {
			put(b, &s, &columns[used].type, &cells[used], names);
			used++;
		}
	}
	return used;
}
