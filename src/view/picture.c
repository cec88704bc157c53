/* From rows and tables to the tree. See picture.h. */
#include "view/picture.h"

#include <stdlib.h>
#include <string.h>

#include "view/format.h"
#include "view/frames.h"

static bool is_number(const struct column *c)
{
	return c->type.kind == TY_INT || c->type.kind == TY_DURATION || c->type.kind == TY_SIZE ||
	       c->type.kind == TY_REAL || c->type.kind == TY_RATE;
}

/* The column that gives the widths; -1: each row is 1. A row's integer may be anything. */
static int value_column(const struct sink_query *q)
{
	for (int i = 0; i < q->n_columns; i++) {
		const struct column *c = &q->columns[i];

		if (q->is_table ? c->role == COL_VALUE && is_number(c) :
		    c->type.kind == TY_DURATION || c->type.kind == TY_SIZE)
			return i;
	}
	return -1;
}

/* The column that is upwards in a heat map of rows: how long it took, rather than how much it was. */
static int heat_column(const struct sink_query *q)
{
	int first = -1;

	for (int i = 0; i < q->n_columns; i++) {
		const struct column *c = &q->columns[i];

		if (c->type.kind != TY_DURATION)
			continue;
		if (!strcmp(c->name, "duration") || !strcmp(c->name, "latency"))
			return i;
		first = first < 0 ? i : first;
	}
	return first < 0 ? value_column(q) : first;
}

static int count_stacks(const struct sink_query *q)
{
	int n = 0;

	for (int i = 0; i < q->n_columns; i++)
		n += q->columns[i].type.kind == TY_STACK;
	return n;
}

const char *picture_needs_stack(const struct sink_query *q)
{
	if (!count_stacks(q))
		return "it draws stacks, but no column is a stack: write `| count by stack`";
	if (q->is_table && value_column(q) < 0)
		return "no column is a number, which is a stack's width: write `| count by stack`";
	return NULL;
}

const char *picture_needs_path(const struct sink_query *q)
{
	return q->is_tree ? NULL : picture_needs_stack(q);
}

/* ---- begin ---- */

struct sink *picture_open(const struct view_options *o, void (*emit)(struct sink *v))
{
	struct sink *v = xcalloc(1, sizeof(*v));

	v->o = *o;
	v->out.file = o->out;
	v->emit = emit;
	v->diff = o->diff != VIEW_NO_DIFF;
	flame_init(&v->flame);
	return v;
}

struct sink *picture_open_by_path(const struct view_options *o, void (*emit)(struct sink *v))
{
	struct sink *v = picture_open(o, emit);

	v->by_path = true;
	return v;
}

void picture_query(struct sink *v, const struct sink_query *q)
{
	int at = heat_column(q);

	if (q->index && v->o.diff != VIEW_DIFF_QUERIES)
		return;
	v->icicle = v->flame.in_time = q->is_tree && !v->by_path;
	for (int i = 0; i < q->n_columns && !q->is_tree; i++)
		if (q->is_table ? q->columns[i].type.kind == TY_HIST : i == at) {
			v->heat_name = arena_strdup(&v->flame.arena, q->columns[i].name);
			v->heat_unit = q->columns[i].type;
			if (q->is_table)
				v->heat_unit.kind = v->heat_unit.of;
			break;
		}
	v->unit = at < 0 ? type_int : q->columns[at].type;
	v->value_name = at < 0 ? NULL :
		arena_strdup(&v->flame.arena, q->columns[at].name);
}

const char *picture_title(const struct sink *v)
{
	return v->o.query ? v->o.query : v->o.title ? v->o.title : "query";
}

const char *picture_unit(const struct sink *v)
{
	if (v->unit.kind == TY_DURATION)
		return "ns";
	if (v->unit.kind == TY_SIZE)
		return "bytes";
	return v->value_name && strcmp(v->value_name, "count") ? v->value_name : "samples";
}

/* ---- a stack ---- */

/* A frame's text; what is not known is told by its place in the file. */
static void frame_text(struct buf *b, const struct stack_frame *f)
{
	buf_clear(b);
	if (f->name || f->module || f->address)
		frame_name(b, f);
	else
		buf_puts(b, "[unknown]");
}

static int push_frame(struct sink *v, int node, const struct stack_frame *f)
{
	struct str text;

	if (v->flame.nodes[node].depth >= FLAME_DEPTH)
		return node;
	frame_text(&v->text, f);
	text = (struct str){ v->text.p, (int)v->text.n };
	return flame_child(&v->flame, node, flame_frame(&v->flame, text, f->module, f->kind));
}

static int push_mark(struct sink *v, int node, const char *text)
{
	const struct stack_frame mark = { .name = text, .kind = FRAME_MARK };

	return push_frame(v, node, &mark);
}

static int push_cut(struct sink *v, int node, const struct stack *s)
{
	char text[64];

	if (!s->cut)
		return node;
	snprintf(text, sizeof(text), "[%s]", s->cut);
	return push_mark(v, node, text);
}

static int push_stack(struct sink *v, int node, const struct stack *s, bool turned)
{
	v->flame.cut += v->flame.nodes[node].depth + s->n > FLAME_DEPTH;
	if (turned) {
		node = push_mark(v, node, "--");
		for (int i = 0; i < s->n; i++)
			node = push_frame(v, node, &s->frames[i]);
		return push_cut(v, node, s);
	}
	node = push_cut(v, node, s);
	for (int i = s->n - 1; i >= 0; i--)
		node = push_frame(v, node, &s->frames[i]);
	return node;
}

static int push_key(struct sink *v, int node, const struct column *c, const struct cell *cell)
{
	struct buf b = { 0 };

	format_cell(&b, FORM_ADAPTED, &c->type, cell, v->o.names);
	node = push_mark(v, node, b.p ? b.p : "");
	buf_fini(&b);
	return node;
}

/* A table's key; of a row what does not differ from each to the next. */
static bool is_word(const struct sink_query *q, const struct column *columns, int i)
{
	const struct type *t = &columns[i].type;

	if (t->kind == TY_STACK)
		return false;
	if (q->is_table)
		return columns[i].role == COL_KEY;
	return i != value_column(q) && !is_number(&columns[i]) && t->kind != TY_TIME;
}

/*
 * Words go below the stacks; with two stacks the words behind the second go above it:
 * `by begin.comm, begin.stack, via.stack, via.comm` is sleeper, its stack, the
 * waker's turned round, waker.
 */
static int push_row(struct sink *v, const struct sink_query *q, const struct column *columns,
		    const struct cell *cells, bool other)
{
	int node = 0, stacks = count_stacks(q), seen = 0;

	if (other)
		return push_mark(v, node, FORMAT_OTHER);
	for (int pass = 0; pass < 3; pass++, seen = 0)
		for (int i = 0; i < q->n_columns; i++) {
			bool is_stack = columns[i].type.kind == TY_STACK;
			bool above = stacks > 1 && seen == stacks;

			seen += is_stack;
			if (pass == 1 && is_stack && cells[i].kind == CELL_STACK)
				node = push_stack(v, node, cells[i].stack, seen > 1);
			else if (is_word(q, columns, i) && pass == (above ? 2 : 0))
				node = push_key(v, node, &columns[i], &cells[i]);
		}
	return node;
}

/* ---- values ---- */

static uint64_t value_of(const struct column *c, const struct cell *cell)
{
	if (cell->kind == CELL_REAL)
		return cell->r > 0 ? cell->r < 0x1p63 ? (uint64_t)(cell->r + 0.5) : INT64_MAX : 0;
	if (cell->kind != CELL_INT)
		return 0;
	return c->type.is_signed && cell->i < 0 ? 0 : (uint64_t)cell->i;
}

static bool wanted(const struct sink *v, const struct sink_query *q)
{
	return !q->index || v->o.diff == VIEW_DIFF_QUERIES;
}

static int add(struct sink *v, const struct sink_query *q, const struct column *columns,
	       const struct cell *cells, int side, bool other)
{
	int at = value_column(q);
	uint64_t value = at < 0 ? 1 : value_of(&columns[at], &cells[at]);
	int node;

	if (!value) {
		v->skipped++;
		return 0;
	}
	node = push_row(v, q, columns, cells, other);
	flame_add(&v->flame, node, side, value);
	return node;
}

void picture_row(struct sink *v, const struct sink_query *q, uint64_t time_ns,
		 const struct cell *cells)
{
	int at = heat_column(q), node = 0;
	int side = v->o.diff == VIEW_DIFF_QUERIES && q->index;

	if (!wanted(v, q))
		return;
	if (count_stacks(q))
		node = add(v, q, q->columns, cells, side, false);
	if (v->heat)
		heat_row(v->heat, format_wall_ns(v->o.names, time_ns),
			 at < 0 ? 0 : value_of(&q->columns[at], &cells[at]), node);
}

void picture_table(struct sink *v, const struct sink_query *q, const struct table *t)
{
	int side = v->o.diff == VIEW_DIFF_QUERIES ? q->index != 0 :
		   v->o.diff == VIEW_DIFF_HALVES && t->interval > 0;

	if (!wanted(v, q))
		return;
	for (int r = 0; count_stacks(q) && r < t->rows.n; r++)
		add(v, q, t->columns, t->rows.v[r], side, t->other && r == t->rows.n - 1);
	if (v->heat)
		heat_table(v->heat, t);
}

/* ---- ends ---- */

void picture_losses(struct sink *v, const struct loss *l, int n)
{
	for (int i = 0; i < n; i++)
		if (l[i].count && l[i].always)
			buf_printf(&v->notes, "%s%s %llu %s", v->notes.n ? "; " : "", loss_name(l[i].id),
				   (unsigned long long)l[i].count, l[i].what);
}

int picture_flush(struct sink *v)
{
	return v->out.error;
}

int picture_close(struct sink *v)
{
	int error;

	v->emit(v);
	error = out_close(&v->out);
	flame_fini(&v->flame);
	heat_close(v->heat);
	buf_fini(&v->notes);
	buf_fini(&v->text);
	free(v);
	return error;
}

/* ---- text ---- */

void picture_string(struct buf *b, const char *p)
{
	struct buf clean = { 0 }, json = { 0 };

	escape_text(&clean, p, (int)strlen(p));
	escape_json(&json, clean.p ? clean.p : "", (int)clean.n);
	buf_putc(b, '"');
	for (size_t i = 0; i < json.n; i++)
		if (strchr("<>&", json.p[i]))
			buf_printf(b, "\\u%04x", json.p[i]);
		else
			buf_putc(b, json.p[i]);
	buf_putc(b, '"');
	buf_fini(&clean);
	buf_fini(&json);
}

/* A ; would be two frames; so would a line end. */
static void folded_frame(struct buf *b, const struct flame_frame *f)
{
	static const char *const marks[] = {
		[FRAME_KERNEL] = "_[k]", [FRAME_JIT] = "_[j]", [FRAME_INLINED] = "_[i]",
	};
	const char *mark = f->kind < FRAME_MARK ? marks[f->kind] : NULL;
	size_t from = b->n;

	escape_text(b, f->name, (int)strlen(f->name));
	for (size_t i = from; i < b->n; i++)
		if (b->p[i] == ';')
			b->p[i] = ':';
	if (mark)
		buf_puts(b, mark);
}

void picture_folded(struct buf *b, const struct flame *f, int node)
{
	int path[FLAME_DEPTH], n = 0;

	for (; f->nodes[node].parent >= 0; node = f->nodes[node].parent)
		path[n++] = f->nodes[node].frame;
	while (n--) {
		folded_frame(b, &f->frames.v[path[n]]);
		if (n)
			buf_putc(b, ';');
	}
}
