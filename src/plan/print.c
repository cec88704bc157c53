/*
 * The plan as text: explain -dp. One line for each event, action, step and
 * column, with the expressions as they are emitted.
 */
#include "plan/plan.h"

static const char *const attach_names[] = {
	[ATTACH_TP_BTF] = "tracepoint, by its arguments", [ATTACH_TP_PERF] = "tracepoint, recorded form",
	[ATTACH_SAMPLE] = "sample", [ATTACH_TIMER] = "timer", [ATTACH_RECORD] = "decoded event",
	[ATTACH_OPEN] = "in culprit",
	[ATTACH_FENTRY] = "function, fentry or fexit", [ATTACH_KPROBE] = "function, kprobe",
	[ATTACH_KPROBE_MULTI] = "functions, kprobe.multi",
	[ATTACH_KPROBE_SESSION] = "functions, kprobe.session",
	[ATTACH_UPROBE] = "function, uprobe", [ATTACH_UPROBE_MULTI] = "functions, uprobe.multi",
	[ATTACH_UPROBE_SESSION] = "functions, uprobe.session",
};
static const char *const act_names[] = {
	[ACT_MOVE] = "move", [ACT_END] = "end", [ACT_ROW] = "row", [ACT_EXIT] = "exit", [ACT_STATE] = "state", [ACT_OPEN] = "open", [ACT_VIA] = "via",
	[ACT_BEGIN] = "begin",
};
static const char *const store_names[] = {
	[STORE_TASK] = "in the task", [STORE_HASH] = "in a table", [STORE_CPU] = "per CPU",
	[STORE_COOKIE] = "by the kernel, for its return", [STORE_CALLS] = "in the thread, by frame",
	[STORE_ELIDED] = "not kept",
};
static const char *const step_names[] = {
	[STEP_WHERE] = "where", [STEP_LET] = "let", [STEP_SAMPLE] = "sample", [STEP_FIRST] = "first",
};

static void print_expr(const struct px *e, struct buf *out, const char *label)
{
	if (!e)
		return;
	buf_printf(out, "%s", label);
	px_print(e, out);
	buf_putc(out, '\n');
}

static void print_list(struct px *const *v, int n, struct buf *out, const char *label)
{
	for (int i = 0; v && i < n; i++)
		print_expr(v[i], out, label);
}

static void print_branch(const struct p_branch *b, struct buf *out)
{
	const struct p_query *q = b->query;

	buf_printf(out, "      row of query %d\n", q->index);
	for (int i = 0; i < b->steps.n; i++) {
		const struct p_step *s = &b->steps.v[i];

		buf_printf(out, "        %s", step_names[s->kind]);
		if (s->kind == STEP_SAMPLE || s->kind == STEP_FIRST)
			buf_printf(out, " %llu", (unsigned long long)s->n);
		if (s->kind == STEP_LET)
			buf_printf(out, " %d =", s->let);
		print_expr(s->expr, out, " ");
		if (!s->expr)
			buf_putc(out, '\n');
	}
	print_expr(b->rank, out, "        worst by ");
	print_list(b->columns, q->n_columns, out, "        column ");
	print_list(b->keys, p_query_all_keys(q), out, "        key ");
	for (int i = 0; b->agg_args && i < q->n_aggs; i++) {
		buf_printf(out, "        %.*s\n", STR_ARG(q->aggs[i].func));
		print_list(b->agg_args[i], q->aggs[i].n_args, out, "          of ");
		print_expr(b->agg_where[i], out, "          where ");
	}
}

/* Where the period's are those of its begins and ends, an action of a thread has its number alone. */
static int n_keys(const struct p_action *a)
{
	bool of_thread = a->kind == ACT_EXIT || a->kind == ACT_MOVE || a->kind == ACT_STATE;

	return of_thread ? 1 : a->period->n_keys;
}

static void print_action(const struct p_action *a, struct buf *out)
{
	buf_printf(out, "    %s", act_names[a->kind]);
	if (a->period)
		buf_printf(out, " of period %d", a->period->id);
	if (a->calls)
		buf_printf(out, ", %d system call%s", a->calls->n, a->calls->n == 1 ? "" : "s");
	buf_putc(out, '\n');
	print_expr(a->guard, out, "      when ");
	print_expr(a->record_guard, out, "      when, with the begin, ");
	print_expr(a->task, out, "      in task ");
	if (a->period && !a->task && a->period->store == STORE_HASH)
		print_list(a->keys, n_keys(a), out, "      key ");
	if (a->slots)
		print_list(a->slots, a->period->slots.n, out, "      keep ");
	for (int i = 0; i < a->branches.n; i++)
		print_branch(a->branches.v[i], out);
}

static void print_query(const struct p_query *q, struct buf *out)
{
	buf_printf(out, "query %d:", q->index);
	for (int i = 0; i < q->n_out; i++)
		buf_printf(out, "%s %s (%s)", i ? "," : "", q->out[i].name, type_name(&q->out[i].type));
	if (q->sink == SINK_AGGS && !q->parts.n)
		buf_printf(out, "; %s, %d key%s", q->dense ? "an array" : "a table", p_query_all_keys(q),
			   p_query_all_keys(q) == 1 ? "" : "s");
	if (q->every_ns)
		buf_printf(out, "; every %llu ns", (unsigned long long)q->every_ns);
	buf_putc(out, '\n');
}

void plan_print(const struct plan *p, struct buf *out)
{
	for (int i = 0; i < p->events.n; i++) {
		const struct p_event *e = p->events.v[i];

		buf_printf(out, "event %d: %s (%s)\n", e->id, e->name, attach_names[e->attach]);
		for (int k = 0; k < e->actions.n; k++)
			print_action(&e->actions.v[k], out);
	}
	for (int i = 0; i < p->periods.n; i++) {
		const struct p_period *d = p->periods.v[i];

		buf_printf(out, "period %d: %s; begins are kept %s; %d value%s of them\n", d->id,
			   d->name, store_names[d->store], plan_n_kept(d), plan_n_kept(d) == 1 ? "" : "s");
	}
	for (int i = 0; i < p->queries.n; i++)
		print_query(p->queries.v[i], out);
}
