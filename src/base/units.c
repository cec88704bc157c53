/*
 * Durations and sizes: see units.h. Whole numbers only, so that 1.5ms is
 * 1500000 ns and not about that. A new unit is a row of a table below.
 */
#include "base/units.h"

#include <stdio.h>

#define FRACTION_DIGITS_MOST 18

struct unit {
	const char *text;
	int64_t scale;
};

static const struct unit durations[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", 60 * 1000000000LL },
	{ "h", 3600 * 1000000000LL },
};

static const struct unit sizes[] = {
	{ "B", 1 },
	{ "k", 1000 }, { "K", 1000 }, { "kB", 1000 }, { "KB", 1000 }, { "KiB", 1LL << 10 },
	{ "M", 1000000 }, { "MB", 1000000 }, { "MiB", 1LL << 20 },
	{ "G", 1000000000 }, { "GB", 1000000000 }, { "GiB", 1LL << 30 },
	{ "T", 1000000000000LL }, { "TB", 1000000000000LL }, { "TiB", 1LL << 40 },
};

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct unit *find(const struct unit *u, int n, struct str text)
{
	for (int i = 0; i < n; i++)
		if (str_is(text, u[i].text))
			return &u[i];
	return NULL;
}

bool units_is_duration(struct str unit)
{
	return find(durations, COUNT(durations), unit);
}

bool units_is_size(struct str unit)
{
	return find(sizes, COUNT(sizes), unit);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal: whole + fraction / divisor. */
struct decimal {
	int64_t whole, fraction, divisor;
};

/* Reads the number at the begin of t; returns its length, 0 when it is none
 * or too long. Zeros behind the last digit of a fraction don't count. */
static int read_decimal(struct str t, struct decimal *d)
{
	int i = 0, digits = 0, zeros = 0;

	*d = (struct decimal){ 0, 0, 1 };
	for (; i < t.n && is_digit(t.p[i]); i++)
		if (__builtin_mul_overflow(d->whole, 10, &d->whole) ||
		    __builtin_add_overflow(d->whole, t.p[i] - '0', &d->whole))
			return 0;
	if (!i || i >= t.n || t.p[i] != '.')
		return i;
	if (++i >= t.n || !is_digit(t.p[i]))
		return 0;
	for (; i < t.n && is_digit(t.p[i]); i++) {
		if (t.p[i] == '0') {
			zeros++;
			continue;
		}
		digits += zeros + 1;
		if (digits > FRACTION_DIGITS_MOST)
			return 0;
		for (; zeros >= 0; zeros--) {
			d->fraction *= 10;
			d->divisor *= 10;
		}
		zeros = 0;
		d->fraction += t.p[i] - '0';
	}
	return i;
}

static bool scale(const struct decimal *d, int64_t unit, int64_t *out)
{
	__int128 part = (__int128)d->fraction * unit;
	__int128 all = (__int128)d->whole * unit + part / d->divisor;

	if (part % d->divisor || all > INT64_MAX)
		return false;
	*out = (int64_t)all;
	return true;
}

/* bare: the scale of a number without a unit, 0: refused. */
static bool parse(struct str t, const struct unit *table, int n, int64_t bare, int64_t *out)
{
	struct decimal d;
	int used = read_decimal(t, &d);
	const struct unit *u;

	if (!used)
		return false;
	if (used == t.n)
		return bare && scale(&d, bare, out);
	u = find(table, n, str_sub(t, used, -1));
	return u && scale(&d, u->scale, out);
}

bool units_parse_duration(struct str text, int64_t *ns)
{
	return parse(text, durations, COUNT(durations), 0, ns);
}

bool units_parse_time_option(struct str text, int64_t *ns)
{
	return parse(text, durations, COUNT(durations), 1000000000, ns);
}

bool units_parse_size(struct str text, int64_t *bytes)
{
	return parse(text, sizes, COUNT(sizes), 1, bytes);
}

/* The first unit of which there are fewer than `below`, with one decimal. */
struct step {
	const char *text;
	int64_t scale;
	int64_t below;		/* 0: the last */
};

static const struct step duration_steps[] = {
	{ "us", 1000, 1000 },
	{ "ms", 1000000, 1000 },
	{ "s", 1000000000, 60 },
	{ "m", 60 * 1000000000LL, 60 },
	{ "h", 3600 * 1000000000LL, 0 },
};

static const struct step size_steps[] = {
	{ "KiB", 1LL << 10, 1024 },
	{ "MiB", 1LL << 20, 1024 },
	{ "GiB", 1LL << 30, 1024 },
	{ "TiB", 1LL << 40, 0 },
};

static const char *format(int64_t v, int64_t plain_below, const char *plain,
			  const struct step *s, char *buf)
{
	uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
	const char *sign = v < 0 ? "-" : "";
	uint64_t tenths;

	if (magnitude < (uint64_t)plain_below) {
		snprintf(buf, UNITS_TEXT_BYTES, "%s%llu %s", sign,
			 (unsigned long long)magnitude, plain);
		return buf;
	}
	for (;; s++) {
		tenths = (uint64_t)(((unsigned __int128)magnitude * 10 + (uint64_t)s->scale / 2) /
				    (uint64_t)s->scale);
		if (!s->below || tenths < (uint64_t)s->below * 10)
			break;
	}
	snprintf(buf, UNITS_TEXT_BYTES, "%s%llu.%llu %s", sign, (unsigned long long)(tenths / 10),
		 (unsigned long long)(tenths % 10), s->text);
	return buf;
}

const char *units_format_duration(int64_t ns, char buf[UNITS_TEXT_BYTES])
{
	return format(ns, 1000, "ns", duration_steps, buf);
}

const char *units_format_size(int64_t bytes, char buf[UNITS_TEXT_BYTES])
{
	return format(bytes, 1024, "B", size_steps, buf);
}
