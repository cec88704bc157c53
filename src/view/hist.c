/*
 * Histograms as bcc draws them.
 *
 * Plain integers in powers of two are bcc's to the byte: rows from 0 -> 1 on,
 * bounds inclusive, 40 stars, and from 2^32 on the wide form with 20. The label
 * is what is counted.
 *
 * Durations are counted in nanoseconds, in powers of two, and shown in usecs, so
 * that drawings can be compared; in nsecs when all are below a microsecond. The
 * bounds are the true ones in that unit, three digits of them, the upper one where
 * the next row begins: "1.02 -> 2.05" usecs is 1024 to 2047 ns. (bcc divides
 * before it counts and so shows 1 -> 1; rounding our bounds to its would be untrue
 * by up to 7%.) Rows begin with the first that is not empty. Linear buckets are
 * shown in the largest unit in which their bounds are whole, and one value a row
 * without bounds.
 */
#include "view/hist.h"

#include <stdio.h>
#include <string.h>

#include "view/format.h"

#define STARS 40
#define NARROW 10			/* bounds that need more digits take the wide form */
#define WIDE 20

enum bounds {
	BOUNDS_INTEGER,			/* lo -> hi */
	BOUNDS_WHOLE,			/* in units, half open */
	BOUNDS_REAL,			/* in units, three digits, half open */
};

struct shape {
	enum bounds bounds;
	int64_t unit;
	bool single;			/* a row is one value */
	bool from_zero;			/* the first row is 0 -> 1 */
	int width;			/* of a bound: NARROW or WIDE */
	int stars;
	uint64_t low;			/* count of 0 -> 1 */
	uint64_t most;
	char label[128];
};

struct hist_unit {
	int64_t ns;
	const char *label;
};

enum { UNIT_MSECS, UNIT_USECS, UNIT_NSECS };	/* the largest is first */

static const struct hist_unit units[] = {
	[UNIT_MSECS] = { 1000000, "msecs" },
	[UNIT_USECS] = { 1000, "usecs" },
	[UNIT_NSECS] = { 1, "nsecs" },
};

static bool open_below(const struct hist_row *r)
{
	return r->lo == HIST_BELOW;
}

static bool open_above(const struct hist_row *r)
{
	return r->hi == HIST_ABOVE;
}

/* Is any row not a power of two's? */
static bool linear(const struct hist *h)
{
	for (int i = 0; i < h->n; i++) {
		__int128 lo = h->rows[i].lo, hi = h->rows[i].hi;
		bool power = lo == 0 ? hi == 1 :
			lo < 0 ? lo == HIST_BELOW && hi == -1 :
			lo > 1 && !(lo & (lo - 1)) && hi == 2 * lo - 1;

		if (!power)
			return true;
	}
	return false;
}

/* Are all bounds multiples of the unit? */
static bool divides(const struct hist *h, int64_t unit)
{
	for (int i = 0; i < h->n; i++) {
		if (!open_below(&h->rows[i]) && h->rows[i].lo % unit)
			return false;
		if (!open_above(&h->rows[i]) && (h->rows[i].hi + 1) % unit)
			return false;
	}
	return true;
}

static __int128 highest(const struct hist *h)
{
	for (int i = h->n - 1; i >= 0; i--)
		if (h->rows[i].count)
			return h->rows[i].lo;
	return 0;
}

static void choose_unit(struct shape *s, const struct hist *h)
{
	const struct hist_unit *u = units;
	bool is_linear = linear(h);

	if (is_linear) {
		while (u->ns > 1 && !divides(h, u->ns))
			u++;
		s->bounds = u->ns > 1 ? BOUNDS_WHOLE : BOUNDS_INTEGER;
	}
	if (!is_linear || u->ns == 1) {
		u = &units[highest(h) < units[UNIT_USECS].ns ? UNIT_NSECS : UNIT_USECS];
		s->bounds = u->ns > 1 ? BOUNDS_REAL : BOUNDS_INTEGER;
	}
	s->unit = u->ns;
	snprintf(s->label, sizeof(s->label), "%s", u->label);
}

struct str hist_counted(const struct column *c)
{
	struct str name = str_of(c->name);
	int depth = 0, n = 0;
	bool call = str_has_prefix(name, "hist(") || str_has_prefix(name, "lhist(");

	if (call && name.p[name.n - 1] == ')') {
		name = str_sub(name, name.p[0] == 'h' ? 5 : 6, -1);
		while (n < name.n - 1 && (depth || name.p[n] != ',')) {
			depth += (name.p[n] == '(') - (name.p[n] == ')');
			n++;
		}
		name.n = n;
	}
	return name;
}

static void choose_label(struct shape *s, const struct column *c)
{
	struct str name = hist_counted(c);
	struct buf b = { 0 };

	escape_text(&b, name.p, name.n);
	snprintf(s->label, sizeof(s->label), "%.*s", text_fit(b.p ? b.p : "", (int)b.n, 29),
		 b.p ? b.p : "");
	buf_fini(&b);
}

static void bound(struct buf *b, const struct shape *s, __int128 x, bool upper)
{
	double real;

	if (s->bounds == BOUNDS_INTEGER) {
		hist_bound(b, x);
		return;
	}
	if (s->bounds == BOUNDS_WHOLE) {
		hist_bound(b, (x + upper) / s->unit);
		return;
	}
	real = (double)(x + upper) / (double)s->unit;
	buf_printf(b, "%.*f", real < 0.9995 ? 3 : real < 9.995 ? 2 : real < 99.95 ? 1 : 0, real);
}

static void bounds_text(struct buf *b, const struct shape *s, const struct hist_row *r)
{
	struct buf lo = { 0 }, hi = { 0 };
	bool below = open_below(r), above = open_above(r);

	if (s->single) {
		buf_puts(&lo, below ? "< " : above ? ">= " : "");
		bound(&lo, s, below && !above ? r->hi + 1 : r->lo, false);
		buf_printf(b, "        %-10s", lo.p);
	} else {
		below ? buf_puts(&lo, "...") : bound(&lo, s, r->lo, false);
		above ? buf_puts(&hi, "...") : bound(&hi, s, r->hi, true);
		buf_printf(b, "%*s -> %-*s", s->width, lo.p, s->width, hi.p);
	}
	buf_fini(&lo);
	buf_fini(&hi);
}

static void row_text(struct buf *b, const struct shape *s, const struct hist_row *r)
{
	int stars = (int)((unsigned __int128)r->count * (unsigned)s->stars / s->most);

	bounds_text(b, s, r);
	buf_printf(b, " : %-8llu |", (unsigned long long)r->count);
	buf_pad(b, '*', stars);
	buf_pad(b, ' ', s->stars - stars);
	buf_puts(b, "|\n");
}

static int digits(const struct shape *s, __int128 x, bool upper)
{
	struct buf b = { 0 };
	int n;

	bound(&b, s, x, upper);
	n = (int)b.n;
	buf_fini(&b);
	return n;
}

static void measure(struct shape *s, const struct hist *h)
{
	int width = 0;

	s->single = s->bounds == BOUNDS_INTEGER && linear(h);
	for (int i = 0; i < h->n; i++) {
		const struct hist_row *r = &h->rows[i];
		bool below = open_below(r), above = open_above(r);
		int lo = below ? 0 : digits(s, r->lo, false);
		int hi = above ? 0 : digits(s, r->hi, true);

		width = lo > width ? lo : width;
		width = hi > width ? hi : width;
		s->most = r->count > s->most ? r->count : s->most;
		if (r->hi <= 1)
			s->low += r->count;
		if (r->lo != r->hi && !below && !above)
			s->single = false;
	}
	if (s->from_zero && s->low > s->most)
		s->most = s->low;
	s->single = s->single && width <= NARROW - 3;
	s->width = width > NARROW ? WIDE : NARROW;
	s->stars = width > NARROW ? STARS / 2 : STARS;
}

/* bcc's table of powers of two begins with 0 -> 1, whatever the first value. */
static int first_rows(struct buf *b, const struct shape *s, const struct hist *h)
{
	int used = 0;

	row_text(b, s, &(struct hist_row){ .hi = 1, .count = s->low });
	while (used < h->n && h->rows[used].hi <= 1)
		used++;
	for (__int128 lo = 2; used < h->n && lo < h->rows[used].lo; lo *= 2)
		row_text(b, s, &(struct hist_row){ .lo = lo, .hi = 2 * lo - 1 });
	return used;
}

void hist_text(struct buf *b, const struct hist *h, const struct column *column)
{
	struct shape s = { .bounds = BOUNDS_INTEGER, .unit = 1 };
	bool duration = column->type.of == TY_DURATION;

	choose_label(&s, column);
	if (h && h->n) {
		s.from_zero = !duration && !linear(h) && h->rows[0].lo >= 0;
		if (duration)
			choose_unit(&s, h);
		measure(&s, h);
	}
	if (!s.most) {
		buf_printf(b, "     %-19s : no values\n", s.label);
		return;
	}
	if (s.single)
		buf_printf(b, "     %-13s : count     distribution\n", s.label);
	else if (s.width == WIDE)
		buf_printf(b, "               %-29s : count     distribution\n", s.label);
	else
		buf_printf(b, "     %-19s : count     distribution\n", s.label);
	for (int i = s.from_zero ? first_rows(b, &s, h) : 0; i < h->n; i++)
		row_text(b, &s, &h->rows[i]);
}
