/*
 * Markdown, as tickets and chats take it: rows and tables are tables of GitHub's kind.
 *
 * What no table's cell has room for (histograms, stacks, parts of a duration, trees, the user's own
 * format) is a block of code, with what the text view shows. A block lasts until a table comes; its
 * fence is longer than any that is in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/lines.h"
#include "view/losses.h"
#include "view/parts.h"

#define FENCE_LEAST 3
#define ALWAYS_ONLY UINT64_MAX		/* of so many rows no other loss is told */

struct sink {
	struct lines l;
	bool started;			/* something was shown */
	int fence;			/* of the open block; 0: none is open */
	struct sink *text;		/* the text view of it, or NULL */
	FILE *file;			/* where that writes: */
	char *shown;
	size_t n_shown;
};

/* An empty line before all but the first. */
static void between(struct sink *v)
{
	if (v->started)
		buf_putc(&v->l.out.line, '\n');
	v->started = true;
}

/* ---- blocks of code ---- */

static void put_fence(struct sink *v)
{
	buf_pad(&v->l.out.line, '`', v->fence);
	buf_putc(&v->l.out.line, '\n');
}

static void end_block(struct sink *v)
{
	if (v->fence)
		put_fence(v);
	v->fence = 0;
	if (v->text)
		view_text.close(v->text);
	v->text = NULL;
}

static int longest_fence(const char *p, size_t n)
{
	int longest = 0, run = 0;

	for (size_t i = 0; i < n; i++) {
		run = p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static struct sink *text_of(struct sink *v)
{
	struct view_options o = v->l.o;

	if (!v->file)
		v->file = xmemstream(&v->shown, &v->n_shown);
	o.out = v->file;
	o.color = false;
	if (!v->text)
		v->text = view_text.open(&o);
	v->l.query = -1;		/* a table behind it needs its header again */
	return v->text;
}

static void add_code(struct sink *v, const char *p, size_t n)
{
	int fence = longest_fence(p, n) + 1;

	fence = fence > FENCE_LEAST ? fence : FENCE_LEAST;
	if (n && fence > v->fence) {
		if (v->fence)
			put_fence(v);
		between(v);
		v->fence = fence;
		put_fence(v);
	}
	buf_add(&v->l.out.line, p, n);
	out_write(&v->l.out);
}

/* What the text view has written goes into the block. */
static void add_shown(struct sink *v)
{
	size_t from = 0;

	view_text.sink.flush(v->text);
	while (!v->fence && from < v->n_shown && v->shown[from] == '\n')
		from++;			/* the text view's own empty line between */
	add_code(v, v->shown + from, v->n_shown - from);
	rewind(v->file);
}

/* ---- tables ---- */

static bool are_plain(const struct column *columns, int n)
{
	for (int i = 0; i < n; i++)
		if (format_is_block(&columns[i].type))
			return false;
	return !parts_any(columns, n);
}

static void cell(struct sink *v, const char *p, int n)
{
	buf_putc(&v->l.out.line, ' ');
	escape_markdown(&v->l.out.line, p, n);
	buf_puts(&v->l.out.line, n ? " |" : "|");
}

static bool header(struct sink *v, const struct sink_query *q)
{
	bool timed = lines_timed(&v->l.o, q);
	struct buf *b = &v->l.out.line;

	end_block(v);
	between(v);
	buf_puts(b, timed ? "| TIME |" : "|");
	for (int i = 0; i < q->n_columns; i++) {
		buf_clear(&v->l.cell);
		lines_column(&v->l.cell, v->l.form, &q->columns[i]);
		cell(v, v->l.cell.p, (int)v->l.cell.n);
	}
	buf_puts(b, timed ? "\n| --- |" : "\n|");
	for (int i = 0; i < q->n_columns; i++)
		buf_puts(b, format_is_right(&q->columns[i].type) ? " ---: |" : " --- |");
	buf_putc(b, '\n');
	return true;
}

static void line(struct sink *v, const struct line *line)
{
	struct buf *b = &v->l.out.line, *text = &v->l.cell;

	buf_putc(b, '|');
	if (line->timed) {
		buf_putc(b, ' ');
		format_time(b, line->wall_ns, true);
		buf_puts(b, " |");
	}
	for (int i = 0; i < line->n_columns; i++) {
		buf_clear(text);
		if (line->other && lines_says_other(line->columns, i))
			buf_puts(text, FORMAT_OTHER);
		else
			format_cell(text, v->l.form, &line->columns[i].type, &line->cells[i], v->l.o.names);
		cell(v, text->p ? text->p : "", (int)text->n);
	}
	buf_putc(b, '\n');
	out_write(&v->l.out);
}

/* ---- the view ---- */

static struct sink *markdown_open(const struct view_options *o)
{
	return lines_open(sizeof(struct sink), o, header, line);
}

static void markdown_row(struct sink *v, const struct sink_query *q, uint64_t time_ns,
			 const struct cell *cells)
{
	if (!q->format && are_plain(q->columns, q->n_columns)) {
		lines_row(v, q, time_ns, cells);
		return;
	}
	view_text.sink.row(text_of(v), q, time_ns, cells);
	add_shown(v);
}

static void markdown_table(struct sink *v, const struct sink_query *q, const struct table *t)
{
	if (!are_plain(t->columns, t->n_columns)) {
		view_text.sink.table(text_of(v), q, t);
		add_shown(v);
		return;
	}
	if (lines_is_line(q, t)) {
		lines_table(v, q, t);
		return;
	}
	v->l.query = -1;
	lines_table(v, q, t);
	v->l.query = -1;
}

static void markdown_tree(struct sink *v, const struct sink_query *q, const struct table *t)
{
	view_text.sink.tree(text_of(v), q, t);
	add_shown(v);
}

/* Who reads it later has no standard error. */
static void markdown_losses(struct sink *v, const struct loss *l, int n)
{
	char *text;
	size_t bytes;
	FILE *f = xmemstream(&text, &bytes);

	losses_print(f, "", l, n, ALWAYS_ONLY, TELL_USUAL);
	fclose(f);
	end_block(v);
	add_code(v, text, bytes);
	free(text);
}

static int markdown_close(struct sink *v)
{
	end_block(v);
	if (v->file)
		fclose(v->file);
	free(v->shown);
	return lines_close(v);
}

const struct view_ops view_markdown = {
	.name = "markdown",
	.help = "tables for tickets and chats",
	.endings = "md markdown",
	.open = markdown_open,
	.close = markdown_close,
	.sink = { .query = lines_query, .row = markdown_row, .table = markdown_table, .tree = markdown_tree,
		  .flush = lines_flush, .losses = markdown_losses },

};
