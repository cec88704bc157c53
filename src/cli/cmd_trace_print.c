/* The events of a trace as text or JSON: see trace_printer in cli/trace.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/trace.h"
#include "view/format.h"

#define WRITE_BYTES 65536

/* ---- which events ---- */

/* The trace's own events that the name or glob means, added to wanted. */
static bool add_classes(const struct ctf *t, struct str glob, bool *wanted)
{
	bool any = str_is(glob, "*");

	for (int i = 0; i < t->n_classes; i++)
		if (str_glob(glob, str_of(t->classes[i]->name)))
			any = wanted[i] = true;
	return any;
}

static bool is_name(const struct ast_source *s)
{
	return (s->kind == AS_SOURCE || s->kind == AS_NAME) && !s->otherwise && !s->cond.present;
}

/* The union of names that is the whole query; NULL: there is more to it. */
static struct ast_sources *only_names(const struct ast *ast)
{
	struct ast_sources *all;

	if (ast->queries.n != 1 || ast->defs.n || ast->queries.v[0]->tables.n ||
	    ast->queries.v[0]->stages.n)
		return NULL;
	all = ast->queries.v[0]->sources;
	for (int i = 0; i < all->v.n; i++)
		if (!is_name(all->v.v[i]))
			return NULL;
	return all;
}

void trace_printer_close(struct trace_printer *p)
{
	free(p->wanted);
	buf_fini(&p->text);
	*p = (struct trace_printer){ NULL };
}

/* ---- the view ---- */

struct sink {
	struct trace_printer *printer;
	struct sink *json;		/* writes the head and the losses; NULL: text, without them */
	FILE *out;
	int error;			/* -errno */
};

static struct sink *open_printer(const struct view_options *o)
{
	struct sink *v = xcalloc(1, sizeof(*v));

	v->printer = o->self;
	v->out = o->out;
	return v;
}

static struct sink *open_json(const struct view_options *o)
{
	struct sink *v = open_printer(o);

	v->json = view_json.open(o);
	return v;
}

/* The columns are those of the events, not of the row that stands for one. */
static void see_query(struct sink *v, const struct sink_query *q)
{
	static const struct column columns[] = {
		{ .name = "time", .type = { .kind = TY_TIME }, .role = COL_VALUE },
		{ .name = "event", .type = { .kind = TY_STRING }, .role = COL_VALUE },
		{ .name = "origin", .type = { .kind = TY_STRING }, .role = COL_VALUE },
		{ .name = "packet", .type = { .kind = TY_STRUCT }, .role = COL_VALUE },
		{ .name = "context", .type = { .kind = TY_STRUCT }, .role = COL_VALUE },
		{ .name = "fields", .type = { .kind = TY_STRUCT }, .role = COL_VALUE },
	};
	struct sink_query events = *q;

	events.columns = columns;
	events.n_columns = sizeof(columns) / sizeof(*columns);
	if (v->json)
		view_json.sink.query(v->json, &events);
}

static void write_text(struct sink *v)
{
	struct buf *b = &v->printer->text;

	errno = EIO;
	if (b->n && !v->error && fwrite(b->p, 1, b->n, v->out) != b->n)
		v->error = -errno;
	buf_clear(b);
}

static void print_row(struct sink *v, const struct sink_query *q, uint64_t time_ns,
		      const struct cell *cells)
{
	struct trace_printer *p = v->printer;
	const struct ctf_event *e = ctf_given(p->trace);

	(void)q, (void)time_ns, (void)cells;
	if (!p->wanted[e->class->number])
		return;
	if (v->json)
		ctf_json_event(p->trace, e, escape_json, &p->text);
	else
		ctf_print_event(p->trace, e, &p->text);
	if (p->text.n >= WRITE_BYTES)
		write_text(v);
}

static int flush_text(struct sink *v)
{
	write_text(v);
	errno = EIO;
	if (!v->error && fflush(v->out))
		v->error = -errno;
	return v->error;
}

static void see_losses(struct sink *v, const struct loss *l, int n)
{
	write_text(v);
	if (v->json)
		view_json.sink.losses(v->json, l, n);
}

static int close_printer(struct sink *v)
{
	int error = flush_text(v);

	if (v->json && view_json.close(v->json) && !error)
		error = -EIO;
	free(v);
	return error;
}

static const struct view_ops printer_text = {
	.name = "text", .open = open_printer, .close = close_printer,
	.sink = { .query = see_query, .row = print_row, .flush = flush_text, .losses = see_losses },

};

static const struct view_ops printer_json = {
	.name = "json", .open = open_json, .close = close_printer,
	.sink = { .query = see_query, .row = print_row, .flush = flush_text, .losses = see_losses },

};

/* ---- the query ---- */

/* As JSON, events of which none is named: what is named has its fields for columns. */
static bool has_glob(const struct ast_sources *names)
{
	for (int i = 0; i < names->v.n; i++)
		if (str_is_glob(names->v.v[i]->text))
			return true;
	return false;
}

const struct view_ops *trace_printer_open(struct trace_printer *p, struct ctf *t, struct query *q,
					  const struct view_ops *view)
{
	struct ast_sources *names = q->tool ? NULL : only_names(q->session.compile.ast);

	*p = (struct trace_printer){ .trace = t };
	if (names && view == &view_csv && has_glob(names) && !q->options.quiet)
		fputs("culprit: the fields of events that a wildcard names are no columns of CSV: --format json has "
		      "them, and so has CSV of one event by its name\n", stderr);
	if (!names || (view != &view_text && (view != &view_json || !has_glob(names))))
		return NULL;
	p->wanted = xcalloc((size_t)t->n_classes + 1, sizeof(*p->wanted));
	for (int i = 0; i < names->v.n; i++)
		if (!add_classes(t, names->v.v[i]->text, p->wanted)) {
			trace_printer_close(p);
			return NULL;
		}
	q->spec.text.text = str_of("* | print cpu");	/* the row that costs least */
	q->session.compile.ast = NULL;
	return view == &view_json ? &printer_json : &printer_text;
}
