/*
 * Comma-separated values, RFC 4180 but for lines that end in LF alone, as every
 * Unix tool expects.
 *
 * Numbers are as in JSON: ns, bytes, ns since the epoch; the header names the
 * unit where there is one (duration_ns). None is an empty field; an empty text
 * is "". A byte 0xNN of control characters (but tab, CR, LF) and of what is not UTF-8
 * is U+EFNN. Where rows of another query follow, an empty line and its header come first.
 */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "view/format.h"
#include "view/lines.h"
#include "view/out.h"

struct view {
	struct view_options o;
	struct out out;
	struct buf cell, text;
	int query;			/* whose header stands above; -1: none yet */
};

static struct view *csv_open(const struct view_options *o)
{
	struct view *v = xcalloc(1, sizeof(*v));

	v->o = *o;
	v->out.file = o->out;
	v->query = -1;
	return v;
}

static void csv_query(struct view *v, const struct view_query *q)
{
	(void)v, (void)q;		/* the header waits for the first row */
}

static void field(struct view *v, const char *p, int n)
{
	struct buf *b = &v->out.line;
	bool quote;

	buf_clear(&v->text);
	escape_csv(&v->text, p, n);
	quote = !v->text.n || v->text.p[strcspn(v->text.p, ",\"\r\n")];
	if (!quote) {
		buf_add(b, v->text.p, v->text.n);
		return;
	}
	buf_putc(b, '"');
	for (size_t i = 0; i < v->text.n; i++) {
		if (v->text.p[i] == '"')
			buf_putc(b, '"');
		buf_putc(b, v->text.p[i]);
	}
	buf_putc(b, '"');
}

/* Names of the fields that are no columns. */
static void own_fields(struct view *v, const struct view_query *q, const char *time,
		       const char *interval)
{
	if (lines_have_time(q, v->o.timestamp))
		buf_printf(&v->out.line, "%s,", time);
	if (q->has_interval)
		buf_printf(&v->out.line, "%s,", interval);
}

static void header(struct view *v, const struct view_query *q)
{
	if (v->query == q->index)
		return;
	if (v->query >= 0)
		buf_putc(&v->out.line, '\n');
	v->query = q->index;
	if (!v->o.header)
		return;
	own_fields(v, q, "time_ns", "interval");
	for (int i = 0; i < q->n_columns; i++) {
		const char *unit = format_raw_unit(&q->columns[i].type);

		if (i)
			buf_putc(&v->out.line, ',');
		buf_clear(&v->cell);
		buf_puts(&v->cell, q->columns[i].name);
		if (unit && !strstr(q->columns[i].name, unit))
			buf_printf(&v->cell, "_%s", unit);
		field(v, v->cell.p, (int)v->cell.n);
	}
	buf_putc(&v->out.line, '\n');
}

static void line(struct view *v, const struct view_query *q, const struct column *columns,
		 uint64_t wall_ns, int interval, const struct cell *cells, bool other)
{
	char time[24], number[16];

	snprintf(time, sizeof(time), "%llu", (unsigned long long)wall_ns);
	snprintf(number, sizeof(number), "%d", interval);
	own_fields(v, q, time, number);
	for (int i = 0; i < q->n_columns; i++) {
		if (i)
			buf_putc(&v->out.line, ',');
		if (other && columns[i].role == COL_KEY) {
			buf_puts(&v->out.line, "(other)");
			other = false;
			continue;
		}
		buf_clear(&v->cell);
		format_cell(&v->cell, FORM_RAW, &columns[i].type, &cells[i], v->o.names);
		if (v->cell.n || cells[i].kind == CELL_BYTES)
			field(v, v->cell.p ? v->cell.p : "", (int)v->cell.n);
	}
	buf_putc(&v->out.line, '\n');
	out_write(&v->out);
}

static void csv_row(struct view *v, const struct view_query *q, uint64_t time_ns,
		    const struct cell *cells)
{
	header(v, q);
	line(v, q, q->columns, format_wall_ns(v->o.names, time_ns), 0, cells, false);
}

static void csv_table(struct view *v, const struct view_query *q, const struct table *t)
{
	header(v, q);
	for (int r = 0; r < t->rows.n; r++)
		line(v, q, t->columns, t->end_ns ? t->end_ns : t->begin_ns, t->interval,
		     t->rows.v[r], t->other && r == t->rows.n - 1);
	out_write(&v->out);
}

static int csv_flush(struct view *v)
{
	return out_flush(&v->out);
}

static void csv_losses(struct view *v, const struct loss *l, int n)
{
	(void)v, (void)l, (void)n;	/* on standard error: losses_print */
}

static int csv_close(struct view *v)
{
	int error = out_close(&v->out);

	buf_fini(&v->cell);
	buf_fini(&v->text);
	free(v);
	return error;
}

const struct view_ops view_csv = {
	.name = "csv",
	.help = "comma-separated values with a header",
	.endings = "csv",
	.comments = true,
	.open = csv_open,
	.query = csv_query,
	.row = csv_row,
	.table = csv_table,
	.flush = csv_flush,
	.losses = csv_losses,
	.close = csv_close,
};
