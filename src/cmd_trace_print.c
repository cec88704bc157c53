/* The events of a trace as text: see trace_printer in trace.h. */
#include <errno.h>
#include <stdlib.h>

#include "trace.h"

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

bool trace_printer_open(struct trace_printer *p, struct ctf *t, struct query *q)
{
	struct ast_sources *names = q->tool ? NULL : only_names(q->compile.ast);

	*p = (struct trace_printer){ .trace = t };
	if (!names)
		return false;
	p->wanted = xcalloc((size_t)t->n_classes + 1, sizeof(*p->wanted));
	for (int i = 0; i < names->v.n; i++)
		if (!add_classes(t, names->v.v[i]->text, p->wanted)) {
			trace_printer_close(p);
			return false;
		}
	q->compile.text.text = str_of("* | print cpu");	/* the row that costs least */
	q->compile.ast = NULL;
	q->view_self = p;
	return true;
}

void trace_printer_close(struct trace_printer *p)
{
	free(p->wanted);
	buf_fini(&p->text);
	*p = (struct trace_printer){ NULL };
}

/* ---- the view ---- */

struct view {
	struct trace_printer *printer;
	FILE *out;
	int error;			/* -errno */
};

static struct view *open_printer(const struct view_options *o)
{
	struct view *v = xcalloc(1, sizeof(*v));

	v->printer = o->self;
	v->out = o->out;
	return v;
}

static void see_query(struct view *v, const struct view_query *q)
{
	(void)v, (void)q;
}

static void write_text(struct view *v)
{
	struct buf *b = &v->printer->text;

	errno = EIO;
	if (b->n && !v->error && fwrite(b->p, 1, b->n, v->out) != b->n)
		v->error = -errno;
	buf_clear(b);
}

static void print_row(struct view *v, const struct view_query *q, uint64_t time_ns,
		      const struct cell *cells)
{
	struct trace_printer *p = v->printer;
	const struct ctf_event *e = ctf_given(p->trace);

	(void)q, (void)time_ns, (void)cells;
	if (!p->wanted[e->class->number])
		return;
	ctf_print_event(p->trace, e, &p->text);
	if (p->text.n >= WRITE_BYTES)
		write_text(v);
}

static int flush_text(struct view *v)
{
	write_text(v);
	errno = EIO;
	if (!v->error && fflush(v->out))
		v->error = -errno;
	return v->error;
}

static void see_losses(struct view *v, const struct loss *l, int n)
{
	(void)v, (void)l, (void)n;
}

static int close_printer(struct view *v)
{
	int error = flush_text(v);

	free(v);
	return error;
}

const struct view_ops trace_printer_view = {
	.name = "text", .open = open_printer, .query = see_query, .row = print_row,
	.flush = flush_text, .losses = see_losses, .close = close_printer,
};
