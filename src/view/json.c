/*
 * JSON lines, schema culprit/1: one object a line.
 *
 *	{"schema":"culprit/1","title":"biosnoop","query":0,"kind":"rows","columns":
 *	  [{"name":"pid","type":"pid","role":"value"},{"name":"duration",
 *	  "type":"duration","unit":"ns","role":"value"}]}
 *	{"pid":123,"duration":4567}
 *	{"interval":0,"event":"read","count":12}
 *	{"losses":{"dropped":3}}
 *
 * The first line of each query says its columns. Durations are ns, times ns since
 * the epoch, sizes bytes; what has a name is the name, else the number; none is
 * null; a histogram is a list of {"lo","hi","count"}, both bounds inclusive and
 * null where there is none; a stack is a list of frames, innermost first, whose last
 * may be {"cut":"why"}. Lines of a second query carry "query", the row
 * "(other)" carries "other":true, with timestamps each carries "time"; a column
 * that has such a name takes its place.
 */
#include <string.h>

#include "table/stack.h"
#include "view/format.h"
#include "view/lines.h"
#include "view/losses.h"

struct sink {
	struct lines l;
};

static void string(struct buf *b, const char *p, int n)
{
	buf_putc(b, '"');
	escape_json(b, p, n);
	buf_putc(b, '"');
}

static void comma(struct buf *b)
{
	if (b->n && b->p[b->n - 1] != '{')
		buf_putc(b, ',');
}

static void key(struct buf *b, const char *name)
{
	comma(b);
	string(b, name, (int)strlen(name));
	buf_putc(b, ':');
}

static void pair(struct buf *b, const char *name, const char *value)
{
	key(b, name);
	string(b, value, (int)strlen(value));
}

static void json_query(struct sink *v, const struct sink_query *q)
{
	struct buf *b = &v->l.out.line;

	buf_puts(b, "{\"schema\":\"culprit/1\"");
	pair(b, "title", v->l.o.title ? v->l.o.title : "query");
	key(b, "query");
	buf_printf(b, "%d", q->index);
	pair(b, "kind", q->is_table ? "table" : "rows");
	buf_puts(b, ",\"columns\":[");
	for (int i = 0; i < q->n_columns; i++) {
		const struct column *c = &q->columns[i];
		const struct type of = { .kind = c->type.of };
		const char *unit = format_raw_unit(c->type.kind == TY_HIST ? &of : &c->type);

		buf_puts(b, i ? ",{" : "{");
		pair(b, "name", c->name);
		pair(b, "type", type_name(&c->type));
		if (unit)
			pair(b, "unit", unit);
		pair(b, "role", c->role == COL_KEY ? "key" : "value");
		if (c->error > 0) {
			key(b, "error");
			buf_printf(b, "%.6g", c->error);
		}
		buf_putc(b, '}');
	}
	buf_puts(b, "]}\n");
	out_write(&v->l.out);
}

/* ---- values ---- */

static void bound(struct buf *b, const char *name, __int128 x, bool none)
{
	key(b, name);
	if (none)
		buf_puts(b, "null");
	else
		hist_bound(b, x);
}

static void hist(struct buf *b, const struct hist *h)
{
	buf_putc(b, '[');
	for (int i = 0; h && i < h->n; i++) {
		const struct hist_row *r = &h->rows[i];

		buf_puts(b, i ? ",{" : "{");
		bound(b, "lo", r->lo, r->lo == HIST_BELOW);
		bound(b, "hi", r->hi, r->hi == HIST_ABOVE);
		buf_printf(b, ",\"count\":%llu}", (unsigned long long)r->count);
	}
	buf_putc(b, ']');
}

/* A key that is known here: nothing in it is to be escaped. */
#define OWN_KEY(b, name) (comma(b), buf_add(b, "\"" name "\":", sizeof("\"" name "\":") - 1))

static void quoted(struct buf *b, const char *text)
{
	string(b, text, (int)strlen(text));
}

static const char *const frame_kinds[] = {
	[FRAME_KERNEL] = "kernel", [FRAME_USER] = "user", [FRAME_JIT] = "jit",
	[FRAME_INLINED] = "inlined", [FRAME_MARK] = "mark",
};

/* Most of a row's text: written without formats. */
static void frame(struct buf *b, const struct stack_frame *f)
{
	if (f->name) {
		OWN_KEY(b, "name");
		quoted(b, f->name);
	}
	if (f->module) {
		OWN_KEY(b, "module");
		quoted(b, f->module);
	}
	OWN_KEY(b, "offset");
	buf_number(b, f->offset);
	OWN_KEY(b, "address");
	buf_add(b, "\"0x", 3);
	buf_hex(b, f->address);
	buf_putc(b, '"');
	OWN_KEY(b, "kind");
	quoted(b, frame_kinds[f->kind]);
	if (!f->file)
		return;
	OWN_KEY(b, "file");
	quoted(b, f->file);
	OWN_KEY(b, "line");
	buf_printf(b, "%d", f->line);
}

/* Innermost first; the last may be why there are no more. */
static void stack(struct buf *b, const struct stack *s)
{
	buf_putc(b, '[');
	for (int i = 0; i < s->n; i++) {
		buf_puts(b, i ? ",{" : "{");
		frame(b, &s->frames[i]);
		buf_putc(b, '}');
	}
	if (s->cut) {
		buf_puts(b, s->n ? ",{" : "{");
		pair(b, "cut", s->cut);
		buf_putc(b, '}');
	}
	buf_putc(b, ']');
}

/* A word without a name is shown as its number. */
static bool is_number(const char *p)
{
	size_t n = strspn(p += *p == '-', "0123456789");

	return n && !p[n];
}

static void value(struct sink *v, const struct type *t, const struct cell *c)
{
	struct buf *b = &v->l.out.line;
	bool bare;

	if (c->kind == CELL_HIST) {
		hist(b, c->hist);
		return;
	}
	if (c->kind == CELL_STACK) {
		stack(b, c->stack);
		return;
	}
	buf_clear(&v->l.cell);
	format_cell(&v->l.cell, FORM_RAW, t, c, v->l.o.names);
	bare = format_is_number(t, c) ||
	       (c->kind == CELL_INT && (t->kind == TY_BOOL || is_number(v->l.cell.p)));
	if (c->kind == CELL_NONE || (bare && !v->l.cell.n))
		buf_puts(b, "null");
	else if (bare)
		buf_add(b, v->l.cell.p, v->l.cell.n);
	else
		string(b, v->l.cell.p ? v->l.cell.p : "", (int)v->l.cell.n);
}

/* A key of our own, unless a column has its name. */
static bool own_key(struct sink *v, const struct sink_query *q, const char *name)
{
	for (int i = 0; i < q->n_columns; i++)
		if (!strcmp(q->columns[i].name, name))
			return false;
	key(&v->l.out.line, name);
	return true;
}

static void line(struct sink *v, const struct line *line)
{
	struct buf *b = &v->l.out.line;

	buf_putc(b, '{');
	if (line->q->index && own_key(v, line->q, "query"))
		buf_printf(b, "%d", line->q->index);
	if (line->timed) {
		key(b, "time");
		buf_printf(b, "%llu", (unsigned long long)line->wall_ns);
	}
	if (line->t && own_key(v, line->q, "interval"))
		buf_printf(b, "%d", line->interval);
	if (line->other && own_key(v, line->q, "other"))
		buf_puts(b, "true");
	for (int i = 0; i < line->n_columns; i++) {
		key(b, line->columns[i].name);
		value(v, &line->columns[i].type, &line->cells[i]);
	}
	buf_puts(b, "}\n");
	out_write(&v->l.out);
}

static struct sink *json_open(const struct view_options *o)
{
	return lines_open(sizeof(struct sink), o, NULL, line);
}

/* ---- losses ---- */

static void json_losses(struct sink *v, const struct loss *l, int n)
{
	struct buf *b = &v->l.out.line;

	buf_puts(b, "{\"losses\":{");
	for (int i = 0; i < n; i++) {
		uint64_t count;

		if (!losses_sum(l, n, i, &count))
			continue;
		key(b, loss_name(l[i].id));
		buf_printf(b, "%llu", (unsigned long long)count);
	}
	buf_puts(b, "}}\n");
	out_write(&v->l.out);
}

const struct view_ops view_json = {
	.name = "json",
	.help = "one JSON object a line",
	.endings = "json jsonl ndjson",
	.open = json_open,
	.close = lines_close,
	.sink = { .query = json_query, .row = lines_row, .table = lines_table, .flush = lines_flush,
		  .losses = json_losses },

};
