/*
 * How a value is shown: one row of `rows` for each type. See format.h.
 *
 * A word's three forms are functions of its row, with a plain integer where
 * there is none; what is not a number in FORM_RAW is the text of FORM_ADAPTED
 * before it is escaped. Nothing here knows columns, headers or files.
 */
#include "view/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "view/frames.h"


typedef void word_fn(struct buf *b, const struct type *t, int64_t v, const struct names *names);

/* ---- numbers ---- */

/* At least so many digits. By hand: rows that stream are mostly numbers. */
static void digits(struct buf *b, uint64_t v, int least)
{
	char text[24];
	int at = sizeof(text);

	while (v || least > 0) {
		text[--at] = (char)('0' + v % 10);
		v /= 10;
		least--;
	}
	buf_add(b, text + at, sizeof(text) - (size_t)at);
}

static void integer(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	bool negative = t->is_signed && v < 0;

	(void)names;
	if (negative)
		buf_putc(b, '-');
	digits(b, negative ? -(uint64_t)v : (uint64_t)v, 1);
}

/* The nearest integer in the unit that suits it; as it is where no int64_t holds it. */
static void adapted(struct buf *b, double x, const char *unit,
		    const char *(*format)(int64_t, char[UNITS_TEXT_BYTES]))
{
	char text[UNITS_TEXT_BYTES];

	if (x > -0x1p63 && x < 0x1p63)
		buf_puts(b, format((int64_t)(x < 0 ? x - 0.5 : x + 0.5), text));
	else
		buf_printf(b, "%.4g %s", x, unit);
}

void format_duration(struct buf *b, double ns)
{
	adapted(b, ns, "ns", units_format_duration);
}

void format_size(struct buf *b, double bytes)
{
	adapted(b, bytes, "B", units_format_size);
}

void format_real(struct buf *b, double x)
{
	double size = x < 0 ? -x : x;

	if (size < 1e15 && x == (double)(long long)x)
		buf_printf(b, "%lld", (long long)x);
	else if (size >= 1e15 || size < 1e-4)
		buf_printf(b, "%.4g", x);
	else
		buf_printf(b, "%.*f", size >= 100 ? 1 : size >= 1 ? 2 : 4, x);
}

/* The shortest that reads back as the same number. */
static void real_raw(struct buf *b, double x)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	buf_puts(b, text);
}

static void duration(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)names;
	format_duration(b, t->is_signed ? (double)v : (double)(uint64_t)v);
}

static void duration_us(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	bool negative = t->is_signed && v < 0;
	uint64_t ns = negative ? -(uint64_t)v : (uint64_t)v;

	(void)names;
	if (negative)
		buf_putc(b, '-');
	digits(b, ns / 1000, 1);
	buf_putc(b, '.');
	digits(b, ns % 1000, 3);
}

static void duration_real_us(struct buf *b, double ns)
{
	buf_printf(b, "%.3f", ns / 1000);
}

static void size(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)names;
	format_size(b, t->is_signed ? (double)v : (double)(uint64_t)v);
}

static void rate(struct buf *b, double x)
{
	format_real(b, x);
	buf_puts(b, "/s");
}

static void share(struct buf *b, double x)
{
	buf_printf(b, "%.1f%%", x * 100);
}

/* ---- times ---- */

uint64_t format_wall_ns(const struct names *names, uint64_t time_ns)
{
	return names && names->wall_ns ? names->wall_ns(names->self, time_ns) : time_ns;
}

void format_time(struct buf *b, uint64_t wall_ns, bool milliseconds)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	if (!localtime_r(&s, &tm)) {
		buf_printf(b, "%lld", (long long)s);
		return;
	}
	digits(b, (uint64_t)tm.tm_hour, 2);
	buf_putc(b, ':');
	digits(b, (uint64_t)tm.tm_min, 2);
	buf_putc(b, ':');
	digits(b, (uint64_t)tm.tm_sec, 2);
	if (!milliseconds)
		return;
	buf_putc(b, '.');
	digits(b, wall_ns % NS_PER_S / 1000000, 3);
}

static void time_of_day(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)t;
	format_time(b, format_wall_ns(names, (uint64_t)v), true);
}

static void time_raw(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)t;
	buf_printf(b, "%llu", (unsigned long long)format_wall_ns(names, (uint64_t)v));
}

/* ---- names ---- */

/* The name, or the number in C's format. */
static void name_or(struct buf *b, const char *name, const char *hex, uint64_t v)
{
	if (name)
		buf_puts(b, name);
	else
		buf_printf(b, "%s%llx", hex, (unsigned long long)v);
}

#define ASK(which, v) \
	(names && names->which ? names->which(names->self, (uint64_t)(v)) : NULL)

static void named(struct buf *b, const struct type *t, const char *name, int64_t v)
{
	if (name)
		buf_puts(b, name);
	else
		integer(b, t, v, NULL);
}

static void boolean(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)t, (void)names;
	buf_puts(b, v ? "true" : "false");
}

static void device(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	const char *name = ASK(disk, v);

	(void)t;
	if (name)
		buf_puts(b, name);
	else
		buf_printf(b, "%llu:%llu", (unsigned long long)v >> 20,
			   (unsigned long long)v & 0xfffff);
}

static void user(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	named(b, t, ASK(user, v), v);
}

static void group(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	named(b, t, ASK(group, v), v);
}

static void cgroup(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	named(b, t, ASK(cgroup, v), v);
}

static void kernel_address(struct buf *b, const struct type *t, int64_t v,
			   const struct names *names)
{
	(void)t;
	name_or(b, ASK(ksym, v), "0x", (uint64_t)v);
}

static void hex(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)t, (void)names;
	name_or(b, NULL, "0x", (uint64_t)v);
}

static void error(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)t, (void)names;
	format_errno(b, v);
}

static void signal_name(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)t, (void)names;
	format_signal(b, v);
}

static void enumerator(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)names;
	named(b, t, enum_name(t->en, v), v);
}

static void flags(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)names;
	format_flags(b, t->en, (uint64_t)v);
}

static void request(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	(void)names;
	format_request(b, t->en, (uint64_t)v);
}

static void bucket(struct buf *b, const struct type *t, int64_t v, const struct names *names)
{
	uint64_t low = (uint64_t)v;
	bool range = low > 1 && (v > 0 || !t->is_signed);

	if (t->of == TY_DURATION || t->of == TY_SIZE) {
		const struct type of = { .kind = t->of, .is_signed = t->is_signed };
		word_fn *text = t->of == TY_SIZE ? size : duration;

		text(b, &of, v, names);
		if (range) {
			buf_puts(b, " -> ");
			text(b, &of, (int64_t)(low * 2), names);
		}
		return;
	}
	integer(b, t, v, names);
	if (range) {
		buf_puts(b, " -> ");
		digits(b, low + (low - 1), 1);
	}
}

/* ---- the rows ---- */

static const struct row {
	word_fn *text;			/* for people; NULL: the integer */
	word_fn *unit_text;		/* in the header's unit; NULL: as text */
	word_fn *raw;			/* NULL: the integer if `number`, else as text */
	void (*real)(struct buf *b, double x);		/* NULL: format_real */
	void (*unit_real)(struct buf *b, double x);	/* NULL: as real */
	const char *unit, *raw_unit;
	bool number;			/* in FORM_RAW */
	bool right;
	bool block;
	int width;
} rows[TY_KINDS] = {
	[TY_POISON] = { .width = 8 },
	[TY_NONE] = { .width = 6 },
	[TY_INT] = { .number = true, .right = true, .width = 8 },
	[TY_BOOL] = { .text = boolean, .width = 5 },
	[TY_REAL] = { .number = true, .right = true, .width = 10 },
	[TY_TIME] = { .text = time_of_day, .raw = time_raw, .raw_unit = "ns", .number = true,
		      .width = 12 },
	[TY_DURATION] = { .text = duration, .unit_text = duration_us, .real = format_duration,
			  .unit_real = duration_real_us, .unit = "us", .raw_unit = "ns",
			  .number = true, .right = true, .width = 12 },
	[TY_SIZE] = { .text = size, .unit_text = integer, .real = format_size,
		      .unit_real = format_real, .unit = "bytes", .raw_unit = "bytes",
		      .number = true, .right = true, .width = 10 },
	[TY_RATE] = { .real = rate, .unit_real = format_real, .unit = "/s", .number = true,
		      .right = true, .width = 10 },
	[TY_SHARE] = { .real = share, .number = true, .right = true, .width = 6 },
	[TY_ERRNO] = { .text = error, .width = 12 },
	[TY_SIGNAL] = { .text = signal_name, .width = 9 },
	[TY_DEVICE] = { .text = device, .width = 9 },
	[TY_TID] = { .number = true, .width = 7 },
	[TY_PID] = { .number = true, .width = 7 },
	[TY_UID] = { .text = user, .raw = integer, .number = true, .width = 8 },
	[TY_GID] = { .text = group, .raw = integer, .number = true, .width = 8 },
	[TY_CGROUP] = { .text = cgroup, .width = 32 },
	[TY_KADDR] = { .text = kernel_address, .width = 28 },
	[TY_UADDR] = { .text = hex, .width = 18 },
	[TY_PTR] = { .text = hex, .width = 18 },
	[TY_ENUM] = { .text = enumerator, .width = 12 },
	[TY_FLAGS] = { .text = flags, .width = 20 },
	[TY_BLKFLAGS] = { .text = request, .width = 20 },
	[TY_EVENT] = { .text = enumerator, .width = 16 },
	[TY_BUCKET] = { .text = bucket, .raw = integer, .number = true, .width = 20 },
	[TY_STRING] = { .width = 24 },
	[TY_ARGS] = { .width = 32 },
	[TY_PATH] = { .width = 32 },
	[TY_IP] = { .width = 16 },
	[TY_STACK] = { .block = true, .width = 32 },
	[TY_USYM] = { .width = 28 },
	[TY_HIST] = { .block = true, .width = 20 },
	[TY_STRUCT] = { .text = hex, .width = 18 },
	[TY_ARRAY] = { .text = hex, .width = 18 },
};

static void word(struct buf *b, enum form form, const struct row *r, const struct type *t,
		 int64_t v, const struct names *names)
{
	word_fn *text = r->text ? r->text : integer;

	if (form == FORM_UNIT && r->unit_text)
		text = r->unit_text;
	else if (form == FORM_RAW && (r->raw || r->number))
		text = r->raw ? r->raw : integer;
	else if (r->real && !r->text) {		/* a whole rate or share */
		(form == FORM_UNIT && r->unit_real ? r->unit_real : r->real)(b, (double)v);
		return;
	}
	text(b, t, v, names);
}

static void real(struct buf *b, enum form form, const struct row *r, double x)
{
	void (*text)(struct buf *, double) = r->real ? r->real : format_real;

	if (x != x || x - x != 0)
		buf_puts(b, form == FORM_RAW ? "" : "-");
	else if (form == FORM_RAW)
		real_raw(b, x);
	else
		(form == FORM_UNIT && r->unit_real ? r->unit_real : text)(b, x);
}

/* One line: "0-1:5 2-3:7". */
static void hist(struct buf *b, const struct hist *h)
{
	for (int i = 0; h && i < h->n; i++) {
		buf_puts(b, i ? " " : "");
		hist_bound(b, h->rows[i].lo);
		buf_putc(b, '-');
		hist_bound(b, h->rows[i].hi);
		buf_printf(b, ":%llu", (unsigned long long)h->rows[i].count);
	}
}

/* Names come from kernels, traces and /etc: nobody vouches for them. */
static void escape_from(struct buf *b, size_t from)
{
	struct buf copy = { 0 };
	size_t i = from;

	while (i < b->n && b->p[i] >= ' ' && b->p[i] < 0x7f && b->p[i] != '\\')
		i++;
	if (i == b->n)
		return;
	buf_add(&copy, b->p + from, b->n - from);
	b->n = from;
	escape_text(b, copy.p, (int)copy.n);
	buf_fini(&copy);
}

void format_cell(struct buf *b, enum form form, const struct type *t, const struct cell *c,
		 const struct names *names)
{
	const struct row *r = &rows[t->kind];
	size_t from = b->n;

	switch (c->kind) {
	case CELL_NONE:
		buf_puts(b, form == FORM_RAW ? "" : "-");
		break;
	case CELL_INT:
		buf_puts(b, c->at_least ? ">= " : "");
		word(b, form, r, t, c->i, names);
		break;
	case CELL_REAL:
		real(b, form, r, c->r);
		break;
	case CELL_BYTES:
		cell_text(b, t, c);
		break;
	case CELL_HIST:
		hist(b, c->hist);
		break;
	case CELL_STACK:
		stack_folded(b, c->stack);
		break;
	}
	if (form != FORM_RAW)
		escape_from(b, from);
	if (form != FORM_RAW && b->n - from == FORMAT_OTHER_BYTES &&
	    !memcmp(b->p + from, FORMAT_OTHER, FORMAT_OTHER_BYTES)) {
		b->n = from;		/* a name of its own, not the row of all others */
		buf_puts(b, "\\x28other)");
	}
}

bool format_is_number(const struct type *t, const struct cell *c)
{
	return c->kind == CELL_REAL || (c->kind == CELL_INT && !c->at_least && rows[t->kind].number);
}

bool format_is_numeric(const struct type *t)
{
	return rows[t->kind].number;
}

const char *format_unit(const struct type *t)
{
	return rows[t->kind].unit;
}

const char *format_raw_unit(const struct type *t)
{
	return rows[t->kind].raw_unit;
}

bool format_is_right(const struct type *t)
{
	return rows[t->kind].right;
}

bool format_is_block(const struct type *t)
{
	return rows[t->kind].block;
}

int format_width(const struct type *t)
{
	if (t->kind == TY_STRING && t->bytes && t->bytes <= 16)
		return 16;		/* a comm */
	return rows[t->kind].width;
}
