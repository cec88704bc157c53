/*
 * `culprit help SOURCE`: what one source is and has on this machine: its parameters or
 * fields with their types, what its rows know besides, and two queries that it takes.
 */
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/query.h"
#include "lang/lex.h"
#include "plan/source.h"
#include "session/compile.h"

#define NAMES_SHOWN 12
#define EXAMPLE_FIELDS 3

static void add_type(struct buf *b, const struct catalog *c, const struct type *t)
{
	const char *of = NULL;

	if (t->ktype && c->ops->ktype_name)
		of = c->ops->ktype_name(c->self, t->ktype);
	buf_printf(b, "%s", type_name(t));
	if (of && *of)
		buf_printf(b, " (%s)", of);
}

void print_fields(struct buf *b, const struct catalog *c, const char *what,
		  const struct cat_field *fields, int n)
{
	for (int i = 0; i < n; i++) {
		buf_printf(b, "    %-8s %-24s ", what, fields[i].name);
		add_type(b, c, &fields[i].type);
		if (fields[i].from_args)
			buf_printf(b, "  = %s", fields[i].from_args);
		buf_putc(b, '\n');
	}
}

/* One source, as its row of event/ found it. */
struct described {
	const struct catalog *catalog;
	const struct source_ops *ops;
	const struct source_match *match;
	const struct cat_function *function;	/* NULL: an event or a system call */
	const struct cat_syscall *syscall;
	int n_fields;				/* its own, which examples name */
	const struct cat_field *fields;
	bool period;
	struct str text;
};

static struct described describe(const struct catalog *c, const struct source_ops *ops,
				 const struct source_match *m, struct str text)
{
	struct described d = { .catalog = c, .ops = ops, .match = m, .text = text };

	d.function = m->functions.n ? m->functions.v[0] : NULL;
	d.syscall = m->calls.n ? m->calls.v[0] : NULL;
	d.period = m->call == CALL_PERIOD;
	d.fields = d.function ? d.function->params : d.syscall ? d.syscall->params : m->event->fields;
	d.n_fields = d.function ? d.function->n_params - d.function->n_spare :
		     d.syscall ? d.syscall->n_params : m->event->n_fields;
	return d;
}

static void add_own(struct buf *b, const struct described *d)
{
	static const struct cat_field ret = { .name = "ret", .type = { .kind = TY_INT } };
	const struct cat_event *e = d->match->event;
	bool call = d->function || d->syscall, returns = call && d->match->call != CALL_ENTER;

	if (d->function && d->function->is_probe)
		returns = false;
	print_fields(b, d->catalog, "field", d->fields, d->n_fields);
	if (d->function && d->function->no_names)
		buf_printf(b, "    without names: %s\n", d->function->no_names);
	if (returns && d->function && d->function->ret)
		print_fields(b, d->catalog, "returns", d->function->ret, 1);
	if (returns && d->syscall)
		print_fields(b, d->catalog, "returns", &ret, 1);
	if (!call)
		print_fields(b, d->catalog, "argument", e->args, e->n_args);
}

static void add_besides(struct buf *b, const struct described *d)
{
	const struct cat_event *e = d->match->event;

	if (d->period)
		buf_printf(b, "\nA period: also `duration`, begin.FIELD and end.FIELD%s. Its ends by themselves:\n"
			   "%.*s.enter, %.*s.return.\n", d->function ? ", and `depth`" : "",
			   STR_ARG(d->text), STR_ARG(d->text));
	else if (!d->function && !d->syscall && e->kind == CAT_TRACEPOINT)
		buf_puts(b, "\nAn event: two of them are the ends of a period, `from BEGIN to END on KEY`.\n");
	if (e->owner)
		buf_printf(b, "\n-p, -t, --comm and --uid select by `%s`, not by the thread that runs, which\n"
			   "current.pid, current.comm tell.\n", e->owner);
	if (e->interrupt) {
		buf_puts(b, "\nEvery row has time, cpu, event, kstack. It runs in whoever was interrupted: current.pid,\n"
			 "current.comm are that one's.\n");
		return;
	}
	buf_puts(b, "\nEvery row has"
#define COMMON(id, name, ...) " " name
#include "lang/common.def"
#undef COMMON
		 ".\n");
}

/* What an example prints of a field, or nothing. */
static bool add_shown(struct buf *b, const struct described *d, const struct cat_field *f)
{
	static const char *const taken[] = { "time", "pid", "comm", "duration" };
	struct type to;

	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcmp(f->name, taken[i]))
			return false;
	if (lex_is_reserved(str_of(f->name)) || f->unable)
		return false;
	if (d->syscall && !strcmp(f->name, "fd") && d->match->call == CALL_PERIOD)
		buf_puts(b, ", path(file(fd))");
	else if (f->type.kind == TY_PTR && d->catalog->ops->pointee(d->catalog->self, f->type.ktype, &to)
		 && to.kind == TY_STRING)
		buf_printf(b, ", str(%s)", f->name);
	else if (f->type.kind != TY_PTR && f->type.kind != TY_STRUCT && f->type.kind != TY_ARRAY)
		buf_printf(b, ", %s", f->name);
	else
		return false;
	return true;
}

static void add_examples(struct buf *b, const struct described *d)
{
	const struct cat_event *e = d->match->event;
	bool of_thread = !e->interrupt && !e->owner && e->kind != CAT_TIMER;
	const char *comm = of_thread ? "comm" : "current.comm";
	int shown = 0;

	buf_printf(b, "\n    culprit run '%.*s | count%s", STR_ARG(d->text), d->period ? ", p99(duration)" : "");
	if (e->kind != CAT_TIMER)
		buf_printf(b, " by %s", comm);
	buf_printf(b, "'\n    culprit run '%.*s%s | print time, %s", STR_ARG(d->text),
		   d->period ? " | where duration > 1ms" : "", comm);
	for (int i = 0; i < d->n_fields && shown < EXAMPLE_FIELDS; i++)
		shown += add_shown(b, d, &d->fields[i]);
	buf_puts(b, d->period ? ", duration'\n" : "'\n");
}

/* All that a pattern or a name of several stands for. */
static const char *name_at(const struct source_match *m, int i)
{
	return m->functions.n ? m->functions.v[i]->symbol : m->calls.n ? m->calls.v[i]->name : m->name;
}

static int names_of(const struct source_match *m)
{
	return m->functions.n ? m->functions.n : m->calls.n ? m->calls.n : 1;
}

static void add_several(struct buf *b, struct str text, const source_matches *all, int n)
{
	int shown = 0;

	buf_printf(b, "%.*s: %d of them\n\n ", STR_ARG(text), n);
	for (int i = 0; i < all->n; i++)
		for (int k = 0; k < names_of(all->v[i]); k++)
			if (shown++ < NAMES_SHOWN)
				buf_printf(b, " %s", name_at(all->v[i], k));
	buf_printf(b, "%s\n\nAsk for one of them; in a query `event` is each row's name.\n",
		   n > NAMES_SHOWN ? " ..." : "");
}

/* A static probe is attached as a begin, but has no end. */
static const char *end_of(const struct source_match *m)
{
	if (m->functions.n && m->functions.v[0]->is_probe)
		return "";
	return m->call == CALL_ENTER ? "the begin of " : m->call == CALL_RETURN ? "the return of " : "";
}

static bool no_number(void *arg, struct str param, int64_t *value)
{
	(void)arg, (void)param, (void)value;
	return false;
}

static bool add_source(struct buf *b, struct query *q, const struct ast_source *s, struct str text)
{
	struct source_env env = {
		.arena = &q->arena, .diag = &q->session.compile.diag, .catalog = q->session.target->catalog,
		.options = &q->spec.options, .number = no_number, .params = true };
	const struct source_ops *ops = source_find_ops(&language, s);
	source_matches all = { 0 };
	struct described d;
	int n = 0;

	if (!ops)
		return false;
	ops->find(&env, s, &all);
	if (!all.n)
		ops->report(&env, s);
	for (int i = 0; i < all.n; i++)
		n += names_of(all.v[i]);
	if (n > 1)
		add_several(b, text, &all, n);
	if (n != 1)
		return true;
	d = describe(q->session.target->catalog, ops, all.v[0], text);
	buf_printf(b, "%.*s: %s%s\n\n", STR_ARG(text), end_of(all.v[0]), ops->help);
	add_own(b, &d);
	add_besides(b, &d);
	add_examples(b, &d);
	return true;
}

int help_source(const char *text)
{
	struct buf b = { 0 };
	struct ast_sources *sources;
	struct query q;
	int status;

	query_init(&q, "source", NULL);
	q.spec.text = (struct source_text){ "source", str_of(text) };
	q.session.compile.diag.arena = &q.arena;
	status = query_target(&q);
	sources = status ? NULL : parse_sources(&q.arena, &q.session.compile.diag, &q.spec.text);
	if (sources && (sources->v.n != 1 || !add_source(&b, &q, sources->v.v[0], str_of(text)))) {
		complain("culprit: '%s' is not one source\n"
			 "help: `culprit help sources` shows the forms; for a query: culprit explain 'QUERY'\n", text);
		status = END_WRONG;
	}
	query_print_diag(&q.session.compile.diag);
	if (q.session.compile.diag.errors)
		status = END_WRONG;
	put(&b);
	buf_fini(&b);
	query_fini(&q);
	return status;
}
