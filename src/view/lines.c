/* A line for each row. See lines.h. */
#define _GNU_SOURCE	/* strcasestr */
#include "view/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static struct lines *lines_of(struct sink *v)
{
	return (struct lines *)v;	/* its first member */
}

struct sink *lines_open(size_t bytes, const struct view_options *o,
			bool (*header)(struct sink *v, const struct sink_query *q),
			void (*line)(struct sink *v, const struct line *line))
{
	struct lines *l = xcalloc(1, bytes);

	l->o = *o;
	l->out.file = o->out;
	l->form = o->width > 0 ? FORM_ADAPTED : FORM_UNIT;
	l->query = -1;
	l->header = header;
	l->line = line;
	return (struct sink *)l;
}

int lines_close(struct sink *v)
{
	struct lines *l = lines_of(v);
	int error = out_close(&l->out);

	buf_fini(&l->cell);
	free(v);
	return error;
}

bool lines_timed(const struct view_options *o, const struct sink_query *q)
{
	bool timed = o->timestamp;

	for (int i = 0; timed && i < q->n_columns; i++)
		timed = strcmp(q->columns[i].name, "time") != 0;
	return timed;
}

uint64_t lines_table_ns(const struct table *t)
{
	return t->end_ns ? t->end_ns : t->begin_ns;
}

bool lines_is_line(const struct sink_query *q, const struct table *t)
{
	for (int i = 0; i < t->n_columns; i++)
		if (t->columns[i].role == COL_KEY)
			return false;
	return q->has_interval && t->n_columns && t->rows.n == 1;
}

void lines_error(struct buf *b, const struct column *c)
{
	if (c->error > 0)
		buf_printf(b, "\u00b1%.3g%%", c->error * 100);
}

void lines_column(struct buf *b, enum form form, const struct column *c)
{
	const char *unit = form == FORM_UNIT ? format_unit(&c->type) : NULL;
	size_t from = b->n;

	escape_text(b, c->name, (int)strlen(c->name));
	for (size_t i = from; i < b->n; i++)
		b->p[i] = (char)toupper((unsigned char)b->p[i]);
	if (unit && !(b->n > from && strcasestr(b->p + from, unit)))
		buf_printf(b, "(%s)", unit);
	lines_error(b, c);
}

bool lines_says_other(const struct column *columns, int i)
{
	if (columns[i].role != COL_KEY)
		return false;
	while (i > 0)
		if (columns[--i].role == COL_KEY)
			return false;
	return true;
}

struct line lines_of_table(const struct view_options *o, const struct sink_query *q, const struct table *t, int r)
{
	return (struct line){
		.q = q, .t = t, .n_columns = t->n_columns, .columns = t->columns, .cells = t->rows.v[r],
		.timed = lines_timed(o, q), .wall_ns = lines_table_ns(t), .interval = t->interval,
		.other = t->other && r == t->rows.n - 1,
	};
}

static void header(struct sink *v, const struct sink_query *q)
{
	struct lines *l = lines_of(v);

	if (l->header && l->query != q->index && l->header(v, q))
		l->query = q->index;
}

void lines_row(struct sink *v, const struct sink_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct lines *l = lines_of(v);
	struct line line = {
		.q = q, .n_columns = q->n_columns, .columns = q->columns, .cells = cells,
		.timed = lines_timed(&l->o, q), .wall_ns = format_wall_ns(l->o.names, time_ns),
	};

	header(v, q);
	l->line(v, &line);
}

void lines_table(struct sink *v, const struct sink_query *q, const struct table *t)
{
	struct lines *l = lines_of(v);

	header(v, q);
	for (int r = 0; r < t->rows.n; r++) {
		struct line line = lines_of_table(&l->o, q, t, r);

		l->line(v, &line);
	}
	out_write(&l->out);
}

int lines_flush(struct sink *v)
{
	return out_flush(&lines_of(v)->out);
}

void lines_query(struct sink *v, const struct sink_query *q)
{
	(void)v, (void)q;
}

void lines_losses(struct sink *v, const struct loss *l, int n)
{
	(void)v, (void)l, (void)n;
}
