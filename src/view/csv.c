/*
 * Comma-separated values, RFC 4180 but for lines that end in LF alone, as every
 * Unix tool expects.
 *
 * Numbers are as in JSON: ns, bytes, ns since the epoch; the header names the
 * unit where there is one (duration_ns). None is an empty field; an empty text
 * is "". A byte 0xNN of control characters (but tab, CR, LF) and of what is not UTF-8
 * is U+EFNN. Where rows of another query follow, an empty line and its header come first.
 */
#include <string.h>

#include "view/format.h"
#include "view/lines.h"

struct sink {
	struct lines l;
	struct buf text;		/* scratch */
};

static void field(struct sink *v, const char *p, int n)
{
	struct buf *b = &v->l.out.line;
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

static void comma(struct buf *b, int i)
{
	if (i)
		buf_putc(b, ',');
}

/* Where rows of another query follow, an empty line is before it. */
static bool header(struct sink *v, const struct sink_query *q)
{
	struct buf *b = &v->l.out.line;

	if (v->l.query >= 0)
		buf_putc(b, '\n');
	if (!v->l.o.header)
		return true;
	if (lines_timed(&v->l.o, q))
		buf_puts(b, "time_ns,");
	if (q->has_interval)
		buf_puts(b, "interval,");
	for (int i = 0; i < q->n_columns; i++) {
		const char *unit = format_raw_unit(&q->columns[i].type);

		comma(b, i);
		buf_clear(&v->l.cell);
		buf_puts(&v->l.cell, q->columns[i].name);
		if (unit && !strstr(q->columns[i].name, unit))
			buf_printf(&v->l.cell, "_%s", unit);
		field(v, v->l.cell.p, (int)v->l.cell.n);
	}
	buf_putc(b, '\n');
	return true;
}

static void cell(struct sink *v, const struct type *t, const struct cell *c)
{
	struct buf *b = &v->l.cell;

	buf_clear(b);
	format_cell(b, FORM_RAW, t, c, v->l.o.names);
	if (b->n || c->kind == CELL_BYTES)
		field(v, b->p ? b->p : "", (int)b->n);
}

static void line(struct sink *v, const struct line *line)
{
	struct buf *b = &v->l.out.line;

	if (line->timed)
		buf_printf(b, "%llu,", (unsigned long long)line->wall_ns);
	if (line->q->has_interval)
		buf_printf(b, "%d,", line->interval);
	for (int i = 0; i < line->n_columns; i++) {
		comma(b, i);
		if (line->other && lines_says_other(line->columns, i))
			buf_puts(b, FORMAT_OTHER);
		else
			cell(v, &line->columns[i].type, &line->cells[i]);
	}
	buf_putc(b, '\n');
	out_write(&v->l.out);
}

static struct sink *csv_open(const struct view_options *o)
{
	return lines_open(sizeof(struct sink), o, header, line);
}

static int csv_close(struct sink *v)
{
	buf_fini(&v->text);
	return lines_close(v);
}

const struct view_ops view_csv = {
	.name = "csv",
	.help = "comma-separated values with a header",
	.endings = "csv",
	.comments = true,
	.open = csv_open,
	.close = csv_close,
	.sink = { .query = lines_query, .row = lines_row, .table = lines_table, .flush = lines_flush,
		  .losses = lines_losses },

};
