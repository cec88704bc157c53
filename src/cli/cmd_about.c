/*
 * What a tool costs and what it needs of the kernel: read off the plan that it has here
 * without options.
 */
#include "cli/cmd.h"
#include "cli/query.h"
#include "view/format.h"

/* ---- what it costs ---- */

static const struct cost_row {
	const char *glob, *when;
} cost_rows[] = {
#define COST(glob, when) { glob, when },
#include "cli/cost.def"
#undef COST
};

/* How often the event is; NULL: seldom, or as often as was asked for. */
static const char *often(const struct p_event *e)
{
	if (e->attach == ATTACH_SAMPLE || e->attach == ATTACH_TIMER)
		return NULL;
	for (size_t i = 0; i < sizeof(cost_rows) / sizeof(cost_rows[0]); i++)
		if (str_glob(str_of(cost_rows[i].glob), str_of(e->name)))
			return cost_rows[i].when;
	return NULL;
}

static bool has_where(const struct p_branch *br)
{
	for (int i = 0; i < br->steps.n; i++)
		if (br->steps.v[i].kind != STEP_LET)
			return true;
	return false;
}

/* Does each of these events make a row that is printed? */
static bool prints_each(const struct p_event *e)
{
	for (int i = 0; i < e->actions.n; i++) {
		const struct p_action *a = &e->actions.v[i];

		for (int k = 0; !a->calls && k < a->branches.n; k++)
			if (a->branches.v[k]->query->sink == SINK_PRINT && !has_where(a->branches.v[k]))
				return true;
	}
	return false;
}

static void add_cost(const struct plan *plan, struct buf *b)
{
	const struct p_event *most = NULL;
	bool prints = false;

	for (int i = 0; i < plan->events.n; i++) {
		const struct p_event *e = plan->events.v[i];

		if (often(e) && !most)
			most = e;
		prints |= often(e) && prints_each(e);
	}
	if (!most)
		buf_puts(b, "\nCost: cheap. What it traces happens seldom, or as often as was asked for.\n");
	else if (plan->stacks || prints)
		buf_printf(b, "\nCost: heavy. %s%s %s (%s).\n",
			   plan->stacks ? "A stack is taken" : "A row is printed",
			   plan->stacks && prints ? " and a row printed" : "", often(most), most->name);
	else
		buf_printf(b, "\nCost: per event. A program runs %s (%s).\n", often(most), most->name);
}

/* ---- what it needs ---- */

static bool attached(const struct plan *plan, unsigned from, unsigned to)
{
	for (int i = 0; i < plan->events.n; i++)
		if (plan->events.v[i]->attach >= from && plan->events.v[i]->attach <= to)
			return true;
	return false;
}

static bool by_btf(const struct plan *p) { return attached(p, ATTACH_TP_BTF, ATTACH_TP_BTF); }
static bool by_clock(const struct plan *p) { return attached(p, ATTACH_SAMPLE, ATTACH_TIMER); }
static bool of_kernel(const struct plan *p)
{
	return attached(p, ATTACH_FENTRY, ATTACH_KPROBE_SESSION);
}
static bool of_programs(const struct plan *p)
{
	return attached(p, ATTACH_UPROBE, ATTACH_UPROBE_SESSION);
}
static bool of_user_stacks(const struct plan *p) { return p->user_stacks; }

static bool of_rows(const struct plan *p)
{
	for (int i = 0; i < p->queries.n; i++)
		if (p->queries.v[i]->sink == SINK_PRINT && !p->queries.v[i]->open)
			return true;
	return false;
}

static bool of_tasks(const struct plan *p)
{
	for (int i = 0; i < p->periods.n; i++)
		if (p->periods.v[i]->store == STORE_TASK || p->periods.v[i]->store == STORE_CALLS)
			return true;
	return false;
}

static const struct need_row {
	const char *what;
	bool (*is)(const struct plan *plan);
	enum feature_id feature, other;		/* other: does instead; FEATURES: none */
} need_rows[] = {
	{ "tracepoints",		by_btf,		FEATURE_TP_BTF,		FEATURES },
	{ "functions of the kernel",	of_kernel,	FEATURE_FENTRY,		FEATURE_KPROBE },
	{ "functions of programs",	of_programs,	FEATURE_UPROBE,		FEATURES },
	{ "a clock",			by_clock,	FEATURE_CPU_CLOCK,	FEATURES },
	{ "rows as they happen",	of_rows,	FEATURE_RINGBUF,	FEATURES },
	{ "begins kept by thread",	of_tasks,	FEATURE_TASK_STORAGE,	FEATURES },
	{ "stacks of programs",		of_user_stacks,	FEATURE_UNWIND,		FEATURES },
};

static void add_need(const struct need_row *n, struct buf *b)
{
	const struct feature_row *f = feature_row(n->feature);

	buf_printf(b, "  %s: %s", n->what, f->name);
	if (n->other != FEATURES)
		buf_printf(b, " or %s", feature_row(n->other)->name);
	buf_printf(b, " (%s)", f->since);
	if (n->other == FEATURES)
		buf_printf(b, "; without: %s", f->without);
	buf_putc(b, '\n');
}

static void add_needs(const struct plan *plan, struct buf *b)
{
	buf_printf(b, "\nNeeds: root, or CAP_BPF and CAP_PERFMON; types of the kernel (%s)\n",
		   feature_row(FEATURE_BTF)->since);
	for (size_t i = 0; i < sizeof(need_rows) / sizeof(need_rows[0]); i++)
		if (need_rows[i].is(plan))
			add_need(&need_rows[i], b);
	buf_puts(b, "  on this machine:");
	for (int i = 0; i < plan->events.n; i++)
		buf_printf(b, "%s %s", i ? "," : "", plan->events.v[i]->name);
	buf_putc(b, '\n');
}

/* ---- what its columns are ---- */

static void add_columns(const struct plan *plan, struct buf *b)
{
	buf_puts(b, "\nTypes and units of the columns:\n");
	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];
		const struct column *c = q->sink == SINK_AGGS ? q->out : q->columns;
		int n = q->sink == SINK_AGGS ? q->n_out : q->n_columns;

		for (int k = 0; !q->is_part && k < n; k++) {
			const char *unit = format_raw_unit(&c[k].type);

			buf_printf(b, "  %-16s %s%s%s\n", c[k].name, type_name(&c[k].type),
				   unit ? ", " : "", unit ? unit : "");
		}
	}
}

/* Why there is no plan here. */
static void add_missing(const struct diag *d, struct buf *b)
{
	if (!d->items.n)
		return;
	buf_printf(b, "\nNeeds what is missing here: %s\n  it is for:", d->items.v[0].message);
	for (int i = 0; i < d->items.n; i++)
		buf_printf(b, "%s %.*s", i ? "," : "", STR_ARG(loc_text(d->items.v[i].loc)));
	buf_putc(b, '\n');
}

void about_tool(const struct shipped_tool *tool, struct buf *b)
{
	struct query q;

	query_init(&q, tool->name, tool);
	session_compile(&q.session, 'a');
	if (query_missing_source(&q)) {
		buf_puts(b, "\nCost and needs are those of what it is given: culprit explain says.\n");
	} else if (!query_target(&q)) {
		if (!session_compile(&q.session, 0)) {
			add_columns(q.session.compile.plan, b);
			add_cost(q.session.compile.plan, b);
			add_needs(q.session.compile.plan, b);
		} else {
			add_missing(&q.session.compile.diag, b);
		}
	}
	query_fini(&q);
}
