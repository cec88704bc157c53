/*
 * Prometheus' text exposition format 0.0.4, as node_exporter's textfile collector reads it.
 *
 * Each value of a table is a family of metrics, culprit_TOOL_COLUMN_UNIT in base units; keys are
 * labels. Counts, and sums of what is never negative, are counters; those of an interval start again,
 * so they are gauges. A histogram has its buckets' upper bounds as `le`, in all rows of a table the
 * same ones, so that rows can be added; it has no sum, as hist() keeps none. What was lost is a family
 * of counters. Of each query the last table is shown, at the end.
 *
 * A sample must not be there twice: where labels do not tell rows apart, one more does.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "view/hist.h"
#include "view/lines.h"
#include "view/losses.h"

/* What a column is here; its name: of a key that of the label, NULL: it is not shown. */
struct family {
	const char *name, *type;
};

struct shown {
	int index;			/* of the query */
	struct family *families;	/* one a column */
	struct buf text;		/* of the last table */
};

struct sink {
	struct view_options o;
	struct out out;
	struct arena arena;
	struct map names;		/* of all samples */
	VEC(struct shown *) queries;
	const char *lost;		/* the name of its family */
	struct buf text, losses;
};

/* ---- names ---- */

static bool ends_in(const struct buf *b, const char *end)
{
	size_t n = strlen(end);

	return b->n >= n && !memcmp(b->p + b->n - n, end, n);
}

/* Behind what is there: in lower case, letters and digits with one _ before each word. */
static void add_words(struct buf *b, const char *p, int n)
{
	bool between = b->n > 0;

	for (int i = 0; i < n; i++) {
		if (!isalnum((unsigned char)p[i])) {
			between = b->n > 0;
			continue;
		}
		if (between)
			buf_putc(b, '_');
		between = false;
		buf_putc(b, (char)tolower((unsigned char)p[i]));
	}
}

static void add_end(struct buf *b, const char *end)
{
	if (end && !ends_in(b, end))
		buf_puts(b, end);
}

/* culprit and the tool, or the file of a query without its folders and ending. */
static void add_title(struct buf *b, const struct view_options *o)
{
	const char *title = o->title ? o->title : "", *slash = strrchr(title, '/');

	buf_clear(b);
	buf_puts(b, "culprit");
	title = slash ? slash + 1 : title;
	if (!o->query)
		add_words(b, title, (int)strcspn(title, "."));
}

/* The text, or the text and a number if it is taken, with one of the ends. Ends end with NULL. */
static const char *keep_name(struct sink *v, struct map *names, const char *text, const char *const *ends)
{
	const char *name = text;

	for (int k = 2;; k++) {
		bool taken = false;

		for (int i = 0; ends[i]; i++)
			taken = taken || map_get_str(names, str_of(arena_printf(&v->arena, "%s%s", name, ends[i])));
		if (!taken)
			break;
		name = arena_printf(&v->arena, "%s_%d", text, k);
	}
	for (int i = 0; ends[i]; i++)
		*map_put_str(&v->arena, names, str_of(arena_printf(&v->arena, "%s%s", name, ends[i]))) = v;
	return name;
}

static const char *unit_of(const struct type *t)
{
	static const char *const units[TY_KINDS] = {
		[TY_DURATION] = "_seconds", [TY_TIME] = "_timestamp_seconds", [TY_SIZE] = "_bytes",
		[TY_RATE] = "_per_second", [TY_SHARE] = "_ratio",
	};

	return units[t->kind == TY_HIST ? t->of : t->kind];
}

static const char *const alone[] = { "", NULL };

static struct family family_of(struct sink *v, const struct sink_query *q, const struct column *c)
{
	static const char *const samples[] = { "", "_bucket", "_count", "_sum", NULL };
	bool is_hist = c->type.kind == TY_HIST, is_counter = c->is_counter && !q->has_interval;
	struct str what = is_hist ? hist_counted(c) : str_of(c->name);
	struct buf *b = &v->text;

	if (!is_hist && !format_is_numeric(&c->type))
		return (struct family){ NULL, NULL };
	add_title(b, &v->o);
	if (v->queries.n > 1)
		buf_printf(b, "_query%d", v->queries.n);
	add_words(b, what.p, what.n);
	add_end(b, unit_of(&c->type));
	if (is_counter)
		add_end(b, "_total");
	for (int i = 1; !is_counter && !is_hist && samples[i]; i++)
		if (ends_in(b, samples[i]))	/* only samples of histograms are called so */
			buf_puts(b, "_value");
	return (struct family){
		keep_name(v, &v->names, arena_strdup(&v->arena, b->p), is_hist ? samples : alone),
		is_hist ? "histogram" : is_counter ? "counter" : "gauge",
	};
}

static const char *label_of(struct sink *v, struct map *labels, const struct column *c)
{
	struct buf *b = &v->text;

	buf_clear(b);
	add_words(b, c->name, (int)strlen(c->name));
	return keep_name(v, labels, arena_printf(&v->arena, "%s%s", b->n && isalpha((unsigned char)*b->p) ? "" : "key_",
						 b->n ? b->p : ""), alone);
}

/* ---- samples ---- */

/* Base units, exactly. */
static void add_seconds(struct buf *b, __int128 ns)
{
	if (ns < 0)
		buf_putc(b, '-');
	ns = ns < 0 ? -ns : ns;
	hist_bound(b, ns / NS_PER_S);
	if (!(ns % NS_PER_S))
		return;
	buf_printf(b, ".%09d", (int)(ns % NS_PER_S));
	while (b->p[b->n - 1] == '0')
		b->p[--b->n] = '\0';
}

static void add_bound(struct buf *b, const struct type *t, __int128 bound)
{
	if (t->of == TY_DURATION)
		add_seconds(b, bound);
	else
		hist_bound(b, bound);
}

/* The number of a cell; false: it has none. */
static bool add_number(struct buf *b, const struct type *t, const struct cell *c, const struct names *names)
{
	struct cell x = *c;
	size_t from = b->n;

	x.at_least = false;
	if (x.kind == CELL_INT && t->kind == TY_DURATION)
		add_seconds(b, t->is_signed ? x.i : (__int128)(uint64_t)x.i);
	else if (x.kind == CELL_INT && t->kind == TY_TIME)
		add_seconds(b, format_wall_ns(names, (uint64_t)x.i));
	else if (x.kind == CELL_REAL && t->kind == TY_DURATION)
		x.r /= NS_PER_S;
	if (b->n == from && (x.kind == CELL_INT || x.kind == CELL_REAL))
		format_cell(b, FORM_RAW, t, &x, names);
	return b->n > from;
}

static void add_head(struct buf *b, const struct view_options *o, const struct family *f, const char *what)
{
	const char *of = o->query ? o->query : o->title ? o->title : "query";

	buf_printf(b, "# HELP %s ", f->name);
	escape_prometheus(b, what, (int)strlen(what), false);
	buf_puts(b, ", of: ");
	escape_prometheus(b, of, (int)strlen(of), false);
	buf_printf(b, "\n# TYPE %s %s\n", f->name, f->type);
}

/* NAME{LABELS,MORE} and a blank. */
static void add_name(struct buf *b, const char *name, const char *end, const char *labels, const char *more)
{
	buf_printf(b, "%s%s", name, end);
	if (*labels || *more)
		buf_printf(b, "{%s%s%s}", labels, *labels && *more ? "," : "", more);
	buf_putc(b, ' ');
}

/* The upper bounds of all buckets of a column, in rising order; HIST_ABOVE is +Inf. */
struct bounds {
	VEC(__int128) v;
};

static void add_bounds(struct arena *a, struct bounds *all, const struct hist *h)
{
	struct bounds both = { 0 };
	int k = 0;

	for (int i = 0; i < h->n; i++) {
		while (k < all->v.n && all->v.v[k] < h->rows[i].hi)
			vec_push(a, &both.v, all->v.v[k++]);
		if (h->rows[i].hi == HIST_ABOVE || (k < all->v.n && all->v.v[k] == h->rows[i].hi))
			continue;
		vec_push(a, &both.v, h->rows[i].hi);
	}
	while (k < all->v.n)
		vec_push(a, &both.v, all->v.v[k++]);
	*all = both;
}

static void add_hist(struct buf *b, const struct family *f, const struct type *t, const char *labels,
		     const struct bounds *bounds, const struct hist *h)
{
	struct buf le = { 0 };
	uint64_t count = 0;
	int at = 0;

	for (int i = 0; i < bounds->v.n; i++) {
		for (; at < h->n && h->rows[at].hi <= bounds->v.v[i]; at++)
			count += h->rows[at].count;
		buf_clear(&le);
		buf_puts(&le, "le=\"");
		add_bound(&le, t, bounds->v.v[i]);
		buf_putc(&le, '"');
		add_name(b, f->name, "_bucket", labels, le.p);
		buf_printf(b, "%llu\n", (unsigned long long)count);
	}
	for (; at < h->n; at++)
		count += h->rows[at].count;
	add_name(b, f->name, "_bucket", labels, "le=\"+Inf\"");
	buf_printf(b, "%llu\n", (unsigned long long)count);
	add_name(b, f->name, "_count", labels, "");
	buf_printf(b, "%llu\n", (unsigned long long)count);
	buf_fini(&le);
}

static void add_hists(struct buf *b, const struct family *f, const struct table *t, int column,
		      const char *const *labels)
{
	static const struct hist empty = { 0 };
	struct bounds bounds = { 0 };
	struct arena a = { 0 };

	for (int r = 0; r < t->rows.n; r++)
		if (t->rows.v[r][column].kind == CELL_HIST && t->rows.v[r][column].hist)
			add_bounds(&a, &bounds, t->rows.v[r][column].hist);
	for (int r = 0; r < t->rows.n; r++) {
		const struct cell *c = &t->rows.v[r][column];

		add_hist(b, f, &t->columns[column].type, labels[r], &bounds,
			 c->kind == CELL_HIST && c->hist ? c->hist : &empty);
	}
	arena_fini(&a);
}

static void add_numbers(struct sink *v, struct buf *b, const struct family *f, const struct table *t,
			int column, const char *const *labels)
{
	for (int r = 0; r < t->rows.n; r++) {
		buf_clear(&v->text);
		if (!add_number(&v->text, &t->columns[column].type, &t->rows.v[r][column], v->o.names))
			continue;
		add_name(b, f->name, "", labels[r], "");
		buf_puts(b, v->text.p);
		buf_putc(b, '\n');
	}
}

/* The labels of a row: a key without a value, or with an empty text, is none. */
static void row_labels(struct sink *v, struct buf *b, const struct shown *s, const struct line *line)
{
	for (int i = 0; i < line->n_columns; i++) {
		bool other = line->other && lines_says_other(line->columns, i);

		if (line->columns[i].role != COL_KEY)
			continue;
		buf_clear(&v->text);
		format_cell(&v->text, FORM_RAW, &line->columns[i].type, &line->cells[i], v->o.names);
		if (!v->text.n && !other)
			continue;
		buf_printf(b, "%s%s=\"", b->n ? "," : "", s->families[i].name);
		if (other)
			buf_puts(b, FORMAT_OTHER);
		else
			escape_prometheus(b, v->text.p, (int)v->text.n, true);
		buf_putc(b, '"');
	}
}

static const char *const *table_labels(struct sink *v, struct arena *a, const struct shown *s,
				       const struct sink_query *q, const struct table *t)
{
	const char **labels = arena_array(a, const char *, t->rows.n);
	struct map seen = { 0 };
	struct buf b = { 0 };

	for (int r = 0; r < t->rows.n; r++) {
		struct line line = lines_of_table(&v->o, q, t, r);

		buf_clear(&b);
		row_labels(v, &b, s, &line);
		if (map_get(&seen, b.p ? b.p : "", (int)b.n))
			buf_printf(&b, "%srow=\"%d\"", b.n ? "," : "", r);
		labels[r] = arena_strndup(a, b.p ? b.p : "", b.n);
		*map_put(a, &seen, labels[r], (int)b.n) = v;
	}
	buf_fini(&b);
	return labels;
}

/* ---- the view ---- */

static const char *prom_suits(const struct sink_query *q)
{
	if (!q->is_table)
		return "printed rows are no metrics: make a table of them, as in `| count by comm`";
	for (int i = 0; i < q->n_columns; i++)
		if (q->columns[i].role != COL_KEY &&
		    (q->columns[i].type.kind == TY_HIST || format_is_numeric(&q->columns[i].type)))
			return NULL;
	return "no column is a number or a histogram: write `| count by comm`";
}

static struct sink *prom_open(const struct view_options *o)
{
	struct sink *v = xcalloc(1, sizeof(*v));

	v->o = *o;
	v->out.file = o->out;
	add_title(&v->text, o);
	v->lost = keep_name(v, &v->names, arena_printf(&v->arena, "%s_lost_total", v->text.p), alone);
	return v;
}

static void prom_query(struct sink *v, const struct sink_query *q)
{
	struct shown *s = arena_new(&v->arena, struct shown);
	struct map labels = { 0 };

	vec_push(&v->arena, &v->queries, s);
	s->index = q->index;
	s->families = arena_array(&v->arena, struct family, q->n_columns);
	*map_put_str(&v->arena, &labels, str_of("le")) = v;
	*map_put_str(&v->arena, &labels, str_of("row")) = v;
	for (int i = 0; i < q->n_columns; i++)
		if (q->columns[i].role == COL_KEY)
			s->families[i].name = label_of(v, &labels, &q->columns[i]);
		else
			s->families[i] = family_of(v, q, &q->columns[i]);
}

static void prom_row(struct sink *v, const struct sink_query *q, uint64_t time_ns, const struct cell *cells)
{
	(void)v, (void)q, (void)time_ns, (void)cells;	/* none come: prom_suits */
}

static struct shown *shown_of(struct sink *v, const struct sink_query *q)
{
	int i = 0;

	while (v->queries.v[i]->index != q->index)
		i++;
	return v->queries.v[i];
}

static void prom_table(struct sink *v, const struct sink_query *q, const struct table *t)
{
	struct shown *s = shown_of(v, q);
	struct arena a = { 0 };
	const char *const *labels = table_labels(v, &a, s, q, t);

	buf_clear(&s->text);
	for (int i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];
		const struct family *f = &s->families[i];

		if (c->role == COL_KEY || !f->name)
			continue;
		add_head(&s->text, &v->o, f, c->name);
		if (c->type.kind == TY_HIST)
			add_hists(&s->text, f, t, i, labels);
		else
			add_numbers(v, &s->text, f, t, i, labels);
	}
	arena_fini(&a);
}

static int prom_flush(struct sink *v)
{
	return v->out.error;
}

static void prom_losses(struct sink *v, const struct loss *l, int n)
{
	const struct family f = { v->lost, "counter" };
	struct buf *b = &v->losses;

	add_head(b, &v->o, &f, "what is not in these figures, as `culprit help losses` says");
	for (int i = 0; i < n; i++) {
		uint64_t count;

		if (!losses_sum(l, n, i, &count))
			continue;
		buf_printf(b, "%s{counter=\"", f.name);
		escape_prometheus(b, loss_name(l[i].id), (int)strlen(loss_name(l[i].id)), true);
		buf_printf(b, "\"} %llu\n", (unsigned long long)count);
	}
}

static int prom_close(struct sink *v)
{
	int error;

	for (int i = 0; i < v->queries.n; i++) {
		buf_add(&v->out.line, v->queries.v[i]->text.p, v->queries.v[i]->text.n);
		out_write(&v->out);
		buf_fini(&v->queries.v[i]->text);
	}
	buf_add(&v->out.line, v->losses.p, v->losses.n);
	error = out_close(&v->out);
	buf_fini(&v->text);
	buf_fini(&v->losses);
	arena_fini(&v->arena);
	free(v);
	return error;
}

const struct view_ops view_prom = {
	.name = "prom",
	.help = "metrics for Prometheus (node_exporter's textfile collector)",
	.shape = VIEW_METRICS,
	.endings = "prom",
	.open = prom_open,
	.suits = prom_suits,
	.close = prom_close,
	.sink = { .query = prom_query, .row = prom_row, .table = prom_table, .flush = prom_flush,
		  .losses = prom_losses },

};
