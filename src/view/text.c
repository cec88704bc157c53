/*
 * The text view: aligned columns, histograms, the user's own formats.
 *
 * A column's unit is in its header, or, where people read (a terminal), in each
 * value, adapted; never both. Rows that stream have widths by type, because
 * nothing is known of those to come; a table's are those of its content. The
 * last column is free: on a terminal that is too narrow it is wrapped, nothing
 * else is, and a pipe is never cut. A table with a histogram is shown as bcc
 * does: per row its keys, its other values, and the drawing; one with parts of a duration, too.
 */
#include <stdlib.h>
#include <string.h>

#include "view/frames.h"
#include "view/hist.h"
#include "view/lines.h"
#include "view/parts.h"
#include "view/tree.h"

#define LAST_COLUMN_LEAST 16		/* narrower than that it is not wrapped */
#define TIME_WIDTH 12

struct sink {
	struct lines l;
	bool started;			/* something was shown */
	int64_t tid;			/* of the last tree */
	int *widths;			/* of the columns of the query whose header stands above */
	struct column *plain;		/* those that take no lines of their own */
	struct cell *plain_cells;
	struct buf brief;		/* the text of parts in one cell */
};

/* ---- cells ---- */

static const char *cell(struct sink *v, const struct type *t, const struct cell *c, int *n)
{
	buf_clear(&v->l.cell);
	format_cell(&v->l.cell, v->l.form, t, c, v->l.o.names);
	*n = (int)v->l.cell.n;
	return v->l.cell.p ? v->l.cell.p : "";
}

/* NAME(unit) and a percentile's error. */
static const char *header(struct sink *v, const struct column *c, int *n)
{
	struct buf *b = &v->l.cell;

	buf_clear(b);
	lines_column(b, v->l.form, c);
	*n = (int)b->n;
	return b->p ? b->p : "";
}

/* ---- lines ---- */

/* The last column's text from column `at` on. */
static void add_last(struct sink *v, int at, const char *p, int n)
{
	int room = v->l.o.width - at;

	while (v->l.o.width > 0 && room >= LAST_COLUMN_LEAST && text_columns(p, n) > room) {
		int fits = text_fit(p, n, room);

		buf_add(&v->l.out.line, p, (size_t)fits);
		buf_putc(&v->l.out.line, '\n');
		buf_pad(&v->l.out.line, ' ', at);
		p += fits;
		n -= fits;
	}
	buf_add(&v->l.out.line, p, (size_t)n);
}

/* One column of a line that is `at` columns long; returns its new length. */
static int add_column(struct sink *v, int at, const char *p, int n, int width, bool right,
		      bool last)
{
	int columns = last && !right ? 0 : text_columns(p, n), pad = width - columns;

	if (right)
		buf_pad(&v->l.out.line, ' ', pad);
	if (last) {
		add_last(v, at + (right && pad > 0 ? pad : 0), p, n);
		return at;
	}
	buf_add(&v->l.out.line, p, (size_t)n);
	if (!right)
		buf_pad(&v->l.out.line, ' ', pad);
	return at + columns + (pad > 0 ? pad : 0);
}

static void bold(struct sink *v, bool on)
{
	if (v->l.o.color)
		buf_puts(&v->l.out.line, on ? "\033[1m" : "\033[0m");
}

/* The last column of a line; the parts of a duration have lines of their own. */
static int last_of_line(const struct column *columns, int n)
{
	while (n > 0 && columns[n - 1].part)
		n--;
	return n - 1;
}

static void add_header(struct sink *v, const struct column *columns, int n, int at, int gap)
{
	int last = last_of_line(columns, n);

	for (int i = 0; i <= last; i++) {
		int bytes;
		const char *p = header(v, &columns[i], &bytes);

		at = add_column(v, at, p, bytes, v->widths[i], format_is_right(&columns[i].type),
				i == last);
		if (i < last) {
			buf_pad(&v->l.out.line, ' ', gap);
			at += gap;
		}
	}
}

static void add_cells(struct sink *v, const struct column *columns, int n,
		      const struct cell *cells, int at, int gap, bool other)
{
	int last = last_of_line(columns, n);

	for (int i = 0; i <= last; i++) {
		bool right = format_is_right(&columns[i].type);
		int bytes;
		const char *p = cell(v, &columns[i].type, &cells[i], &bytes);

		if (other && lines_says_other(columns, i)) {
			p = FORMAT_OTHER;
			bytes = (int)strlen(p);
		}
		at = add_column(v, at, p, bytes, v->widths[i], right, i == last);
		if (i < last) {
			buf_pad(&v->l.out.line, ' ', gap);
			at += gap;
		}
	}
	buf_putc(&v->l.out.line, '\n');
}

/* ---- what takes lines of its own ---- */

static int block_columns(const struct column *columns, int n)
{
	int blocks = 0;

	for (int i = 0; i < n; i++)
		blocks += format_is_block(&columns[i].type);
	return blocks;
}

/* A stack, with its column's name before it where there are several. */
static void add_block(struct sink *v, const struct column *c, const struct cell *cell, bool named)
{
	struct buf *b = &v->l.out.line;

	if (named) {
		escape_text(b, c->name, (int)strlen(c->name));
		buf_puts(b, cell->kind == CELL_NONE && c->type.kind == TY_STACK ? ": -\n" : ":\n");
	}
	if (c->type.kind == TY_HIST)
		hist_text(b, cell->kind == CELL_HIST ? cell->hist : NULL, c);
	else if (cell->kind == CELL_STACK)
		stack_lines(b, cell->stack);
	else if (!named)
		buf_puts(b, "    -\n");
}

/* The parts of a duration in one cell, where people read. Returns how many columns it takes. */
static int brief_column(struct sink *v, struct column *to, const struct column *columns, int n,
			const struct cell *cells, struct cell *to_cell)
{
	int taken = 0;

	*to = (struct column){ .name = "parts", .type = { .kind = TY_STRING }, .role = COL_VALUE };
	while (taken < n && columns[taken].brief)
		taken++;
	if (cells) {
		buf_clear(&v->brief);
		parts_brief(&v->brief, columns, n, cells);
		*to_cell = (struct cell){ .kind = v->brief.n ? CELL_BYTES : CELL_NONE };
		to_cell->bytes.p = v->brief.p;
		to_cell->bytes.n = (int)v->brief.n;
	}
	return taken;
}

/* The other columns, in v->plain and v->plain_cells; returns how many. */
static int plain_columns(struct sink *v, const struct column *columns, int n,
			 const struct cell *cells)
{
	int plain = 0;

	v->plain = xrealloc(v->plain, sizeof(*v->plain) * (size_t)(n + 1));
	v->plain_cells = xrealloc(v->plain_cells, sizeof(*v->plain_cells) * (size_t)(n + 1));
	for (int i = 0; i < n; i++) {
		if (format_is_block(&columns[i].type))
			continue;
		if (columns[i].brief && v->l.form == FORM_ADAPTED) {
			i += brief_column(v, &v->plain[plain], &columns[i], n - i, cells ? &cells[i] : NULL,
					  &v->plain_cells[plain]) - 1;
			plain++;
			continue;
		}
		v->plain[plain] = columns[i];
		if (cells)
			v->plain_cells[plain] = cells[i];
		plain++;
	}
	return plain;
}

/* ---- rows that stream ---- */

static bool rows_header(struct sink *v, const struct sink_query *q)
{
	int at = 0, n;

	if (q->format)
		return false;
	n = plain_columns(v, q->columns, q->n_columns, NULL);
	v->started = true;
	v->widths = xrealloc(v->widths, sizeof(int) * (size_t)(n + 1));
	for (int i = 0; i < n; i++) {
		int bytes, wide = format_width(&v->plain[i].type);
		const char *p = header(v, &v->plain[i], &bytes);
		int least = text_columns(p, bytes);

		v->widths[i] = wide > least ? wide : least;
	}
	if (!v->l.o.header || (!n && q->n_columns))
		return true;
	bold(v, true);
	if (lines_timed(&v->l.o, q)) {
		buf_printf(&v->l.out.line, "%-*s ", TIME_WIDTH, "TIME");
		at = TIME_WIDTH + 1;
	}
	add_header(v, v->plain, n, at, 1);
	bold(v, false);
	buf_putc(&v->l.out.line, '\n');
	return true;
}

/* A row as the user's own text; the stacks that it has no conversions for stand below it. */
static void format_lines(struct sink *v, const struct sink_query *q, const struct cell *cells, size_t from)
{
	struct buf *b = &v->l.out.line;
	int n = format_row(b, str_of(q->format), q->columns, q->n_columns, cells, v->l.o.names);
	bool named = q->n_columns - n > 1;

	if (b->n == from || b->p[b->n - 1] != '\n')
		buf_putc(b, '\n');
	for (; n < q->n_columns; n++)
		add_block(v, &q->columns[n], &cells[n], named);
	v->started = true;
}

/* The columns in a line, then what takes lines of its own. */
static void plain_line(struct sink *v, const struct line *line, size_t from)
{
	struct buf *b = &v->l.out.line;
	int n = plain_columns(v, line->columns, line->n_columns, line->cells);
	int blocks = block_columns(line->columns, line->n_columns);

	add_cells(v, v->plain, n, v->plain_cells, (int)(b->n - from), 1, false);
	if (parts_any(line->columns, line->n_columns))
		parts_text(b, line->columns, line->n_columns, line->cells, NULL, v->l.o.names);
	for (int i = 0; blocks && i < line->n_columns; i++)
		if (format_is_block(&line->columns[i].type))
			add_block(v, &line->columns[i], &line->cells[i], blocks > 1);
}

static void row_line(struct sink *v, const struct line *line)
{
	struct buf *b = &v->l.out.line;
	size_t from = b->n;

	if (line->timed) {
		format_time(b, line->wall_ns, true);
		buf_putc(b, ' ');
	}
	if (line->q->format)
		format_lines(v, line->q, line->cells, from);
	else
		plain_line(v, line, from);
	out_write(&v->l.out);
}

/* ---- tables ---- */

static void table_widths(struct sink *v, const struct table *t)
{
	v->widths = xrealloc(v->widths, sizeof(int) * (size_t)(t->n_columns + 1));
	for (int i = 0; i < t->n_columns; i++) {
		int bytes;
		const char *p = header(v, &t->columns[i], &bytes);

		v->widths[i] = v->l.o.header ? text_columns(p, bytes) : 1;
		if (t->other && t->columns[i].role == COL_KEY && v->widths[i] < FORMAT_OTHER_BYTES)
			v->widths[i] = FORMAT_OTHER_BYTES;
	}
	for (int r = 0; r < t->rows.n; r++)
		for (int i = 0; i < t->n_columns; i++) {
			int bytes, wide;
			const char *p = cell(v, &t->columns[i].type, &t->rows.v[r][i], &bytes);

			wide = text_columns(p, bytes);
			v->widths[i] = wide > v->widths[i] ? wide : v->widths[i];
		}
}

static void table_plain(struct sink *v, const struct sink_query *q, const struct table *t)
{
	table_widths(v, t);
	if (v->l.o.header) {
		bold(v, true);
		add_header(v, t->columns, t->n_columns, 0, 2);
		bold(v, false);
		buf_putc(&v->l.out.line, '\n');
	}
	for (int r = 0; r < t->rows.n; r++) {
		struct line line = lines_of_table(&v->l.o, q, t, r);

		add_cells(v, t->columns, t->n_columns, line.cells, 0, 2, line.other);
		out_write(&v->l.out);
	}
}

/* "disk = sda, flags = Read" of the columns of one role, blocks left out. */
static bool add_named(struct sink *v, const struct table *t, const struct cell *row, int role,
		      const char *before)
{
	struct buf *b = &v->l.out.line;
	bool any = false;

	for (int i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (c->role != role || format_is_block(&c->type) || c->part)
			continue;
		buf_puts(b, any ? ", " : before);
		escape_text(b, c->name, (int)strlen(c->name));
		buf_puts(b, " = ");
		format_cell(b, FORM_ADAPTED, &c->type, &row[i], v->l.o.names);
		if (c->error > 0) {
			buf_putc(b, ' ');
			lines_error(b, c);
		}
		any = true;
	}
	if (any)
		buf_putc(b, '\n');
	return any;
}

/* Of a table of two rows the parts of the second are compared with the first. */
static void table_parts(struct sink *v, const struct table *t, int r)
{
	const struct cell *than = t->rows.n == 2 && r == 1 ? t->rows.v[0] : NULL;

	parts_text(&v->l.out.line, t->columns, t->n_columns, t->rows.v[r], than, v->l.o.names);
}

static void table_blocks(struct sink *v, const struct sink_query *q, const struct table *t)
{
	struct buf *b = &v->l.out.line;

	if (!t->rows.n)
		buf_puts(b, "(no rows)\n");
	for (int r = 0; r < t->rows.n; r++) {
		struct line line = lines_of_table(&v->l.o, q, t, r);

		if (line.other)
			buf_puts(b, "\n" FORMAT_OTHER "\n");
		else if (!add_named(v, t, line.cells, COL_KEY, "\n"))
			buf_puts(b, r && block_columns(t->columns, t->n_columns) ? "\n" : "");
		add_named(v, t, line.cells, COL_VALUE, "");
		for (int i = 0; i < t->n_columns; i++) {
			bool named = block_columns(t->columns, t->n_columns) > 1;

			if (format_is_block(&t->columns[i].type) && !(line.other && t->columns[i].role == COL_KEY))
				add_block(v, &t->columns[i], &line.cells[i], named);
		}
		table_parts(v, t, r);
		out_write(&v->l.out);
	}
}

static void text_table(struct sink *v, const struct sink_query *q, const struct table *t)
{
	bool blocks = block_columns(t->columns, t->n_columns) || parts_any(t->columns, t->n_columns);
	struct buf *b = &v->l.out.line;

	if (lines_is_line(q, t) && !blocks) {
		if (v->started && v->l.query != q->index)
			buf_putc(b, '\n');
		lines_table(v, q, t);
		return;
	}
	if (v->started)
		buf_putc(b, '\n');
	v->started = true;
	v->l.query = -1;			/* rows behind it need their header again */
	if (v->l.o.timestamp) {
		format_time(b, lines_table_ns(t), false);
		buf_putc(b, '\n');
	}
	if (blocks)
		table_blocks(v, q, t);
	else
		table_plain(v, q, t);
	out_write(&v->l.out);
}

static void text_tree(struct sink *v, const struct sink_query *q, const struct table *t)
{
	struct buf *b = &v->l.out.line;
	int64_t tid = t->rows.v[0][TREE_TID].i;

	if (v->l.query != q->index) {
		v->l.query = q->index;
		v->started = true;
		v->tid = -1;
		if (v->l.o.header) {
			bold(v, true);
			tree_header(b);
			bold(v, false);
		}
	}
	if (v->tid != tid) {
		v->tid = tid;
		tree_thread(b, t->rows.v[0]);
	}
	out_write(&v->l.out);
	for (int i = 0; i < t->rows.n; i++) {
		tree_lines(b, t, i, v->l.o.names);
		out_write(&v->l.out);
	}
}

/* ---- begin and end ---- */

static struct sink *text_open(const struct view_options *o)
{
	return lines_open(sizeof(struct sink), o, rows_header, row_line);
}

static int text_close(struct sink *v)
{
	free(v->widths);
	free(v->plain);
	free(v->plain_cells);
	buf_fini(&v->brief);
	return lines_close(v);
}

const struct view_ops view_text = {
	.name = "text",
	.help = "aligned columns and histograms",
	.endings = "txt text",
	.comments = true,
	.open = text_open,
	.close = text_close,
	.sink = { .query = lines_query, .row = lines_row, .table = text_table, .tree = text_tree,
		  .flush = lines_flush, .losses = lines_losses },

};
