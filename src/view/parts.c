/*
 * Parts of a duration: see parts.h. The times minus what overlaps plus the other time are the
 * duration, so overlap is shown as what it is, less than nothing, and percents add up to 100;
 * those of a thread's states by themselves.
 */
#include "view/parts.h"

#include <string.h>

#include "view/format.h"

#define BAR 40
#define TIME_WIDTH 10
#define COUNT_WIDTH 9

bool parts_any(const struct column *columns, int n)
{
	for (int i = 0; i < n; i++)
		if (columns[i].part)
			return true;
	return false;
}

static double number_of(uint8_t part, const struct cell *x)
{
	double v = x->kind == CELL_INT ? (double)x->i : x->kind == CELL_REAL ? x->r : 0;

	return part == PART_OVERLAP && v > 0 ? -v : v;
}

static double number(const struct column *c, const struct cell *x)
{
	return number_of(c->part, x);
}

/* The duration: all of these add up to it, the states or the others. */
static double sum_of(const struct column *columns, int n, const struct cell *cells, bool states)
{
	double all = 0;

	for (int i = 0; i < n; i++)
		if (columns[i].part && columns[i].part != PART_COUNT && (columns[i].part == PART_STATE) == states)
			all += number(&columns[i], &cells[i]);
	return all;
}

static void right(struct buf *b, const struct buf *text, int width)
{
	buf_pad(b, ' ', width - text_columns(text->p ? text->p : "", (int)text->n));
	buf_add(b, text->p, text->n);
}

static void time_text(struct buf *b, double ns, bool sign)
{
	struct buf text = { 0 };

	if (sign && ns >= 0)
		buf_putc(&text, '+');
	format_duration(&text, ns);
	right(b, &text, TIME_WIDTH);
	buf_fini(&text);
}

static void bar(struct buf *b, double part)
{
	int stars = part > 0 ? (int)(part * BAR + 0.5) : 0;

	stars = stars > BAR ? BAR : stars;
	buf_puts(b, " |");
	buf_pad(b, '*', stars);
	buf_pad(b, ' ', BAR - stars);
	buf_putc(b, '|');
}

/* The count behind column i. */
static void count_text(struct buf *b, const struct column *columns, int n,
		       const struct cell *cells, int i, const struct names *names)
{
	struct buf text = { 0 };

	if (i + 1 < n && columns[i + 1].part == PART_COUNT) {
		if (cells[i + 1].kind == CELL_REAL)
			buf_printf(&text, "%.2f", cells[i + 1].r);
		else
			format_cell(&text, FORM_ADAPTED, &columns[i + 1].type, &cells[i + 1], names);
		buf_putc(&text, 'x');
	}
	right(b, &text, COUNT_WIDTH);
	buf_fini(&text);
}

/* How many durations these are the sums of; 0: they are no sums. */
static double durations(const struct column *columns, int n, const struct cell *cells)
{
	for (int i = 0; i < n; i++)
		if (columns[i].of_parts)
			return number(&columns[i], &cells[i]);
	return 0;
}

/* The mean, and how much more it is than there. */
static void compare(struct buf *b, double mean, bool is_sum, const double *than)
{
	if (is_sum) {
		time_text(b, mean, false);
		buf_puts(b, " each");
	}
	if (than)
		time_text(b, mean - *than, true);
}

static int name_width(const struct column *columns, int n)
{
	int widest = 0;

	for (int i = 0; i < n; i++) {
		int columns_of = columns[i].part ? text_columns(columns[i].part_name,
						(int)strlen(columns[i].part_name)) : 0;

		widest = columns_of > widest ? columns_of : widest;
	}
	return widest;
}

/* A state that the thread never was in; a part that somebody asked for is shown, also without any time. */
static bool is_idle(const struct column *columns, int n, const struct cell *cells, int i)
{
	return columns[i].part == PART_STATE && number(&columns[i], &cells[i]) == 0 &&
	       !(i + 1 < n && columns[i + 1].part == PART_COUNT && number(&columns[i + 1], &cells[i + 1]) != 0);
}

void parts_text(struct buf *b, const struct column *columns, int n, const struct cell *cells,
		const struct cell *than, const struct names *names)
{
	int width = name_width(columns, n);
	double of = durations(columns, n, cells), than_of = than ? durations(columns, n, than) : 0;

	for (int i = 0; i < n; i++) {
		const struct column *c = &columns[i];
		double ns = number(c, &cells[i]), all = sum_of(columns, n, cells, c->part == PART_STATE);
		double part = all > 0 ? ns / all : 0, less;

		if (!c->part || c->part == PART_COUNT ||
		    (is_idle(columns, n, cells, i) && !(than && !is_idle(columns, n, than, i))))
			continue;
		buf_printf(b, "    %-*s ", width, c->part_name);
		time_text(b, ns, false);
		buf_printf(b, " %5.1f%%", part * 100);
		count_text(b, columns, n, cells, i, names);
		bar(b, part);
		less = than ? number(c, &than[i]) / (than_of > 0 ? than_of : 1) : 0;
		compare(b, of > 0 ? ns / of : ns, of > 0, than ? &less : NULL);
		buf_putc(b, '\n');
	}
}

/* Is the brief time of column i before that of column k, the largest first? */
static bool is_before(const struct column *columns, const struct cell *cells, int i, int k)
{
	double a = number_of(columns[i].brief, &cells[i]), b = number_of(columns[k].brief, &cells[k]);

	return a > b || (a == b && i < k);
}

void parts_brief(struct buf *b, const struct column *columns, int n, const struct cell *cells)
{
	int end = 0, last = -1;

	while (end < n && columns[end].brief)
		end++;
	for (;;) {
		int next = -1;

		for (int i = 0; i < end; i++)
			if (columns[i].brief != PART_COUNT && number_of(columns[i].brief, &cells[i]) != 0 &&
			    (last < 0 || is_before(columns, cells, last, i)) &&
			    (next < 0 || is_before(columns, cells, i, next)))
				next = i;
		if (next < 0)
			return;
		buf_printf(b, "%s%s ", last < 0 ? "" : ", ", columns[next].part_name);
		format_duration(b, number_of(columns[next].brief, &cells[next]));
		last = next;
	}
}
