/*
 * The text view: aligned columns, histograms, the user's own formats.
 *
 * A column's unit is in its header, or, where people read (a terminal), in each
 * value, adapted; never both. Rows that stream have widths by type, because
 * nothing is known of those to come; a table's are those of its content. The
 * last column is free: on a terminal that is too narrow it is wrapped, nothing
 * else is, and a pipe is never cut. A table with a histogram is shown as bcc
 * does: per row its keys, its other values, and the drawing.
 */
#define _GNU_SOURCE	/* strcasestr */
#include "view/view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "view/format.h"
#include "view/hist.h"
#include "view/out.h"

#define LAST_COLUMN_LEAST 16		/* narrower than that it is not wrapped */
#define TIME_WIDTH 12

struct view {
	struct view_options o;
	struct out out;
	struct buf cell;
	enum form form;
	int query;			/* whose header stands above; -1: nobody's */
	bool started;			/* something was shown */
	int *widths;			/* of that query's columns */
};

static struct view *text_open(const struct view_options *o)
{
	struct view *v = xcalloc(1, sizeof(*v));

	v->o = *o;
	v->out.file = o->out;
	v->form = o->width > 0 ? FORM_ADAPTED : FORM_UNIT;
	v->query = -1;
	return v;
}

static void text_query(struct view *v, const struct view_query *q)
{
	(void)v, (void)q;		/* the header waits for the first row */
}

/* ---- cells ---- */

static const char *cell(struct view *v, const struct type *t, const struct cell *c, int *n)
{
	buf_clear(&v->cell);
	format_cell(&v->cell, v->form, t, c, v->o.names);
	*n = (int)v->cell.n;
	return v->cell.p ? v->cell.p : "";
}

static bool mentions(const struct buf *b, const char *unit)
{
	return b->n && strcasestr(b->p, unit);
}

static void error_text(struct buf *b, const struct column *c)
{
	if (c->error > 0)
		buf_printf(b, "\u00b1%.3g%%", c->error * 100);
}

/* NAME(unit) and a percentile's error. */
static const char *header(struct view *v, const struct column *c, int *n)
{
	const char *unit = v->form == FORM_UNIT ? format_unit(&c->type) : NULL;
	struct buf *b = &v->cell;

	buf_clear(b);
	escape_text(b, c->name, (int)strlen(c->name));
	for (size_t i = 0; i < b->n; i++)
		b->p[i] = (char)toupper((unsigned char)b->p[i]);
	if (unit && !mentions(b, unit))
		buf_printf(b, "(%s)", unit);
	error_text(b, c);
	*n = (int)b->n;
	return b->p ? b->p : "";
}

/* ---- lines ---- */

/* The last column's text from column `at` on. */
static void add_last(struct view *v, int at, const char *p, int n)
{
	int room = v->o.width - at;

	while (v->o.width > 0 && room >= LAST_COLUMN_LEAST && text_columns(p, n) > room) {
		int fits = text_fit(p, n, room);

		buf_add(&v->out.line, p, (size_t)fits);
		buf_putc(&v->out.line, '\n');
		buf_pad(&v->out.line, ' ', at);
		p += fits;
		n -= fits;
	}
	buf_add(&v->out.line, p, (size_t)n);
}

/* One column of a line that is `at` columns long; returns its new length. */
static int add_column(struct view *v, int at, const char *p, int n, int width, bool right,
		      bool last)
{
	int columns = last && !right ? 0 : text_columns(p, n), pad = width - columns;

	if (right)
		buf_pad(&v->out.line, ' ', pad);
	if (last) {
		add_last(v, at + (right && pad > 0 ? pad : 0), p, n);
		return at;
	}
	buf_add(&v->out.line, p, (size_t)n);
	if (!right)
		buf_pad(&v->out.line, ' ', pad);
	return at + columns + (pad > 0 ? pad : 0);
}

static void bold(struct view *v, bool on)
{
	if (v->o.color)
		buf_puts(&v->out.line, on ? "\033[1m" : "\033[0m");
}

static void add_header(struct view *v, const struct column *columns, int n, int at, int gap)
{
	for (int i = 0; i < n; i++) {
		int bytes;
		const char *p = header(v, &columns[i], &bytes);

		at = add_column(v, at, p, bytes, v->widths[i], format_is_right(&columns[i].type),
				i == n - 1);
		if (i < n - 1) {
			buf_pad(&v->out.line, ' ', gap);
			at += gap;
		}
	}
}

static void add_cells(struct view *v, const struct column *columns, int n,
		      const struct cell *cells, int at, int gap, bool other)
{
	for (int i = 0; i < n; i++) {
		bool right = format_is_right(&columns[i].type);
		int bytes;
		const char *p = cell(v, &columns[i].type, &cells[i], &bytes);

		if (other && columns[i].role == COL_KEY) {
			p = "(other)";
			bytes = (int)strlen(p);
			other = false;
		}
		at = add_column(v, at, p, bytes, v->widths[i], right, i == n - 1);
		if (i < n - 1) {
			buf_pad(&v->out.line, ' ', gap);
			at += gap;
		}
	}
	buf_putc(&v->out.line, '\n');
}

/* ---- rows that stream ---- */

static void rows_begin(struct view *v, const struct view_query *q)
{
	int at = 0;

	v->query = q->index;
	v->started = true;
	v->widths = xrealloc(v->widths, sizeof(int) * (size_t)(q->n_columns + 1));
	for (int i = 0; i < q->n_columns; i++) {
		int bytes, wide = format_width(&q->columns[i].type);
		const char *p = header(v, &q->columns[i], &bytes);
		int least = text_columns(p, bytes);

		v->widths[i] = wide > least ? wide : least;
	}
	if (!v->o.header)
		return;
	bold(v, true);
	if (view_adds_time(q, v->o.timestamp)) {
		buf_printf(&v->out.line, "%-*s ", TIME_WIDTH, "TIME");
		at = TIME_WIDTH + 1;
	}
	add_header(v, q->columns, q->n_columns, at, 1);
	bold(v, false);
	buf_putc(&v->out.line, '\n');
}

static void text_row(struct view *v, const struct view_query *q, uint64_t time_ns,
		     const struct cell *cells)
{
	struct buf *b = &v->out.line;
	size_t from;

	if (!q->format && v->query != q->index)
		rows_begin(v, q);
	from = b->n;
	if (view_adds_time(q, v->o.timestamp)) {
		format_time(b, format_wall_ns(v->o.names, time_ns), true);
		buf_putc(b, ' ');
	}
	if (q->format) {
		format_row(b, str_of(q->format), q->columns, q->n_columns, cells, v->o.names);
		if (b->n == from || b->p[b->n - 1] != '\n')
			buf_putc(b, '\n');
		v->started = true;
	} else {
		add_cells(v, q->columns, q->n_columns, cells, (int)(b->n - from), 1, false);
	}
	out_write(&v->out);
}

/* ---- tables ---- */

static void table_widths(struct view *v, const struct table *t)
{
	v->widths = xrealloc(v->widths, sizeof(int) * (size_t)(t->n_columns + 1));
	for (int i = 0; i < t->n_columns; i++) {
		int bytes;
		const char *p = header(v, &t->columns[i], &bytes);

		v->widths[i] = v->o.header ? text_columns(p, bytes) : 1;
		if (t->other && t->columns[i].role == COL_KEY && v->widths[i] < 7)
			v->widths[i] = 7;
	}
	for (int r = 0; r < t->rows.n; r++)
		for (int i = 0; i < t->n_columns; i++) {
			int bytes, wide;
			const char *p = cell(v, &t->columns[i].type, &t->rows.v[r][i], &bytes);

			wide = text_columns(p, bytes);
			v->widths[i] = wide > v->widths[i] ? wide : v->widths[i];
		}
}

static void table_plain(struct view *v, const struct table *t)
{
	table_widths(v, t);
	if (v->o.header) {
		bold(v, true);
		add_header(v, t->columns, t->n_columns, 0, 2);
		bold(v, false);
		buf_putc(&v->out.line, '\n');
	}
	for (int r = 0; r < t->rows.n; r++) {
		add_cells(v, t->columns, t->n_columns, t->rows.v[r], 0, 2,
			  t->other && r == t->rows.n - 1);
		out_write(&v->out);
	}
}

/* "disk = sda, flags = Read" of the columns of one role, histograms left out. */
static bool add_named(struct view *v, const struct table *t, const struct cell *row, int role,
		      const char *before)
{
	struct buf *b = &v->out.line;
	bool any = false;

	for (int i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (c->role != role || c->type.kind == TY_HIST)
			continue;
		buf_puts(b, any ? ", " : before);
		escape_text(b, c->name, (int)strlen(c->name));
		buf_puts(b, " = ");
		format_cell(b, FORM_ADAPTED, &c->type, &row[i], v->o.names);
		if (c->error > 0) {
			buf_putc(b, ' ');
			error_text(b, c);
		}
		any = true;
	}
	if (any)
		buf_putc(b, '\n');
	return any;
}

static int hist_columns(const struct table *t)
{
	int n = 0;

	for (int i = 0; i < t->n_columns; i++)
		n += t->columns[i].type.kind == TY_HIST;
	return n;
}

static void table_hists(struct view *v, const struct table *t)
{
	struct buf *b = &v->out.line;
	int hists = hist_columns(t);

	if (!t->rows.n)
		buf_puts(b, "(no rows)\n");
	for (int r = 0; r < t->rows.n; r++) {
		const struct cell *row = t->rows.v[r];

		if (t->other && r == t->rows.n - 1)
			buf_puts(b, "\n(other)\n");
		else
			add_named(v, t, row, COL_KEY, "\n");
		add_named(v, t, row, COL_VALUE, "");
		for (int i = 0; i < t->n_columns; i++) {
			const struct column *c = &t->columns[i];

			if (c->type.kind != TY_HIST)
				continue;
			if (hists > 1) {
				escape_text(b, c->name, (int)strlen(c->name));
				buf_puts(b, ":\n");
			}
			hist_text(b, row[i].kind == CELL_HIST ? row[i].hist : NULL, c);
		}
		out_write(&v->out);
	}
}

static void text_table(struct view *v, const struct view_query *q, const struct table *t)
{
	struct buf *b = &v->out.line;

	(void)q;
	if (v->started)
		buf_putc(b, '\n');
	v->started = true;
	v->query = -1;			/* rows behind it need their header again */
	if (v->o.timestamp) {
		format_time(b, t->end_ns ? t->end_ns : t->begin_ns, false);
		buf_putc(b, '\n');
	}
	if (hist_columns(t))
		table_hists(v, t);
	else
		table_plain(v, t);
	out_write(&v->out);
}

/* ---- ends ---- */

static int text_flush(struct view *v)
{
	return out_flush(&v->out);
}

static void text_losses(struct view *v, const struct loss *l, int n)
{
	(void)v, (void)l, (void)n;	/* on standard error: view_print_losses */
}

static int text_close(struct view *v)
{
	int error = out_close(&v->out);

	buf_fini(&v->cell);
	free(v->widths);
	free(v);
	return error;
}

const struct view_ops view_text = {
	.name = "text",
	.help = "aligned columns and histograms",
	.endings = "txt text",
	.open = text_open,
	.query = text_query,
	.row = text_row,
	.table = text_table,
	.flush = text_flush,
	.losses = text_losses,
	.close = text_close,
};
