/*
 * The plan in words: what is attached and how, where each stage runs, which tables
 * there are and how large they can get; -d LETTERS dumps what the passes made.
 */
#include <stdio.h>

#include "base/units.h"
#include "cli/cmd.h"
#include "cli/left_out.h"
#include "cli/query.h"
#include "cli/trace.h"
#include "view/format.h"

static const char *const attach_words[] = {
	[ATTACH_TP_BTF] = "BTF tracepoint: its arguments are read where they are",
	[ATTACH_TP_PERF] = "perf tracepoint: the recorded fields are read",
	[ATTACH_SAMPLE] = "perf event, on each CPU",
	[ATTACH_TIMER] = "timer, on one CPU",
	[ATTACH_RECORD] = "recorded event",
	[ATTACH_FENTRY] = "fentry or fexit", [ATTACH_KPROBE] = "kprobes",
	[ATTACH_KPROBE_MULTI] = "kprobe.multi", [ATTACH_KPROBE_SESSION] = "kprobe.session",
	[ATTACH_UPROBE] = "uprobes", [ATTACH_UPROBE_MULTI] = "uprobe.multi",
	[ATTACH_UPROBE_SESSION] = "uprobe.session",
};

static const char *const store_words[] = {
	[STORE_TASK] = "task storage", [STORE_HASH] = "hash table", [STORE_CPU] = "per-CPU array",
	[STORE_COOKIE] = "handed from entry to return", [STORE_CALLS] = "task storage, by frame",
	[STORE_ELIDED] = "not kept",
};

/* The query's text of a place, on one line, shortened. */
static void add_text(struct buf *b, struct loc l, int most)
{
	struct str s = loc_text(l);
	struct buf line = { 0 };
	int n;

	for (int i = 0; i < s.n; i++) {
		char c = s.p[i] == '\n' || s.p[i] == '\t' ? ' ' : s.p[i];

		if (c != ' ' || (line.n && line.p[line.n - 1] != ' '))
			buf_putc(&line, c);
	}
	n = text_fit(line.p ? line.p : "", (int)line.n, most);
	escape_text(b, line.p ? line.p : "", n);
	if (n < (int)line.n)
		buf_puts(b, "...");
	buf_fini(&line);
}

/* What an action does, without the system calls that it is for. */
static void action_text(struct buf *b, const struct p_action *a)
{
	static const char *const words[] = {
		[ACT_MOVE] = "gives the thread's new number to what it has of", [ACT_END] = "ends", [ACT_ROW] = "makes a row", [ACT_BEGIN] = "begins",
		[ACT_VIA] = "is a via of", [ACT_EXIT] = "closes what the thread has of",
		[ACT_OPEN] = "lists", [ACT_STATE] = "is a change of the thread's state in",
	};

	buf_clear(b);
	buf_puts(b, words[a->kind]);
	if (a->period && a->kind != ACT_ROW)
		buf_printf(b, " %s", a->period->name);
	if (a->guard) {
		buf_puts(b, " if ");
		px_print(a->guard, b);
	}
}

/* Actions that say the same differ only in their system calls: one line. */
static void add_actions(struct buf *b, const struct p_event *e)
{
	struct buf text = { 0 }, next = { 0 };

	for (int i = 0; i < e->actions.n;) {
		int calls = 0, from = i;

		action_text(&text, &e->actions.v[i]);
		do {
			calls += e->actions.v[i].calls ? e->actions.v[i].calls->n : 0;
			i++;
			if (i < e->actions.n)
				action_text(&next, &e->actions.v[i]);
		} while (i < e->actions.n && !strcmp(text.p, next.p));
		buf_printf(b, "    %s", text.p);
		if (calls)
			buf_printf(b, " (%d system call%s)", calls, calls == 1 ? "" : "s");
		else if (i - from > 1)
			buf_printf(b, " (%d times)", i - from);
		buf_putc(b, '\n');
	}
	buf_fini(&text);
	buf_fini(&next);
}

static const struct img_prog *program_of(const struct bpf_image *image, const struct p_event *e)
{
	for (int i = 0; i < image->progs.n; i++)
		if (image->progs.v[i].event == e)
			return &image->progs.v[i];
	return NULL;
}

static bool is_recorded(const struct compile *c)
{
	return c->options.has.replay;
}

static void explain_events(const struct compile *c, struct buf *b)
{
	buf_puts(b, is_recorded(c) ? "Read:\n" : "Attached:\n");
	for (int i = 0; i < c->plan->events.n; i++) {
		const struct p_event *e = c->plan->events.v[i];
		const struct img_prog *p = program_of(c->image, e);

		buf_printf(b, "  %s: %s", e->name, attach_words[e->attach]);
		if (e->functions.n > 1)
			buf_printf(b, ", %d %s", e->functions.n,
				   e->functions.v[0].function->is_probe ? "places" : "functions");
		if (p)
			buf_printf(b, "; %d instructions", p->n_insns);
		buf_putc(b, '\n');
		if (e->why)
			buf_printf(b, "    how: %s\n", e->why);
		add_actions(b, e);
	}
	for (int i = 0; i < c->image->progs.n; i++) {
		const struct img_prog *p = &c->image->progs.v[i];

		if (!p->event && p->cat)
			buf_printf(b, "  %s:%s: %s; %d instructions\n", p->cat->system, p->cat->name,
				   p->purpose, p->n_insns);
	}
}

/* What a wildcard goes without. */
static void explain_left_out(const struct compile *c, struct buf *b)
{
	struct buf text = { 0 };

	left_out_print(c, "  ", true, true, &text);
	if (text.n)
		buf_printf(b, "\nLeft out:\n%s", text.p);
	buf_fini(&text);
}

/* Who works on each event. */
static const char *worker(const struct compile *c)
{
	return is_recorded(c) ? "at each event: " : "in the kernel: ";
}

static void explain_periods(const struct compile *c, struct buf *b)
{
	const struct plan *plan = c->plan;

	if (plan->periods.n)
		buf_puts(b, "\nPeriods:\n");
	for (int i = 0; i < plan->periods.n; i++) {
		const struct p_period *p = plan->periods.v[i];

		buf_printf(b, "  %s\n    begins: %s", p->name, store_words[p->store]);
		if (p->store != STORE_ELIDED) {
			buf_printf(b, ", %u bytes each", p->record_bytes);
			if (p->store == STORE_HASH && !is_recorded(c))
				buf_printf(b, ", at most %llu open",
					   (unsigned long long)plan->max_open);
		}
		buf_printf(b, "\n    why: %s\n", p->why ? p->why : "");
	}
}

static void explain_stages(const struct compile *c, const struct p_query *q, struct buf *b)
{
	const struct p_branch *br = q->branches.n ? q->branches.v[0] : NULL;

	for (int i = 0; br && i < br->steps.n; i++) {
		buf_printf(b, "    %s", worker(c));
		add_text(b, br->steps.v[i].loc, 70);
		buf_putc(b, '\n');
	}
	for (int i = 0; i < q->nones.n; i++)
		buf_printf(b, "    %s\n", q->nones.v[i]);
	for (int i = 0; i < q->n_aggs; i++) {
		buf_printf(b, "    %s", worker(c));
		add_text(b, q->aggs[i].loc, 70);
		buf_putc(b, '\n');
	}
	if (q->stages.n)
		buf_printf(b, "    in culprit: %d table stage%s\n", q->stages.n,
			   q->stages.n == 1 ? "" : "s");
}

static void explain_table(const struct compile *c, const struct p_query *q, struct buf *b)
{
	if (q->parts.n)
		buf_printf(b, "    a join of %d tables, in culprit\n", q->parts.n);
	else if (!q->n_keys)
		buf_puts(b, "    a table of one row\n");
	else if (is_recorded(c))
		buf_puts(b, "    a table with as many rows as there are keys\n");
	else if (q->dense)
		buf_printf(b, "    a table of at most %u rows, an array: its key is a small number\n",
			   q->dense);
	else
		buf_printf(b, "    a table of at most %llu rows, a hash; what finds it full is "
			   "in (other)\n", (unsigned long long)q->table_rows);
	if (q->every_ns) {
		char text[UNITS_TEXT_BYTES];

		buf_printf(b, "    shown every %s%s\n",
			   units_format_duration((int64_t)q->every_ns, text),
			   q->every_keep ? ", all since the beginning" : ", then begun anew");
	}
}

/* Rows that are shown one by one. */
static void explain_rows(const struct compile *c, const struct p_query *q, struct buf *b)
{
	const char *way = is_recorded(c) ? "" : ", through a ring buffer";

	if (q->sink == SINK_WORST)
		buf_printf(b, "    the %d largest rows are kept%s\n", q->worst_n,
			   is_recorded(c) ? "" : " in the kernel, on each CPU");
	else if (q->tree)
		buf_printf(b, "    a tree for each outermost call, when it has returned%s\n", way);
	else if (q->open)
		buf_puts(b, "    a table of what is open, made in culprit\n");
	else
		buf_printf(b, "    each row is printed as it happens%s\n", way);
}

static void explain_queries(const struct compile *c, struct buf *b)
{
	for (int i = 0; i < c->plan->queries.n; i++) {
		const struct p_query *q = c->plan->queries.v[i];

		buf_printf(b, "\nQuery %d%s%s: ", i + 1, q->is_part ? ", table " : "",
			   q->is_part && q->part_name ? q->part_name : "");
		add_text(b, q->loc, 200);
		buf_printf(b, "\n    %d kind%s of rows\n", q->branches.n,
			   q->branches.n == 1 ? "" : "s");
		explain_stages(c, q, b);
		if (q->sink == SINK_AGGS)
			explain_table(c, q, b);
		else
			explain_rows(c, q, b);
		if (q->first_n)
			buf_printf(b, "    ends after %llu rows\n", (unsigned long long)q->first_n);
	}
}

static void explain_stacks(const struct bpf_image *image, struct buf *b)
{
	if (image->stacks < 0)
		return;
	buf_printf(b, "\nStacks:\n"
		   "    taken by the kernel's own unwinder, at most %d frames; a program's by\n    %s\n",
		   STACK_FRAMES, image->unwind_pieces < 0 ? "its frame pointers"
		   : "tables made of its .eh_frame, by its frame pointers where it has none");
	buf_printf(b, "    cost: about 1 us while it is in the CPU's caches, 10 us where it is not\n"
		   "    kept: 16 bytes in rows, keys and begins; the frames once, %u at a time in the\n"
		   "    kernel, which culprit takes at least each second into its own memory\n"
		   "    names: looked up when a stack is shown\n",
		   image->maps.v[image->stacks].max_entries);
}

static void explain_maps(const struct bpf_image *image, struct buf *b)
{
	char text[UNITS_TEXT_BYTES];
	uint64_t all = 0, of_thread = 0;

	buf_puts(b, "\nTables in the kernel, and the memory they take at most:\n");
	for (int i = 0; i < image->maps.n; i++) {
		const struct img_map *m = &image->maps.v[i];
		bool of_threads = m->type == BPF_MAP_TYPE_TASK_STORAGE;

		*(of_threads ? &of_thread : &all) += m->memory_bytes;
		buf_printf(b, "  %-15s %10s  %s%s\n", m->name,
			   units_format_size((int64_t)m->memory_bytes, text),
			   of_threads ? "for each thread: " : "", m->purpose ? m->purpose : "");
	}
	buf_printf(b, "  %-15s %10s", "together", units_format_size((int64_t)all, text));
	if (of_thread)
		buf_printf(b, "  and for each thread %s", units_format_size((int64_t)of_thread, text));
	buf_puts(b, image->tables.n ? "\nTo show a table culprit needs about as much again as its rows take there.\n" : "\n");
}

/* ---- dumps ---- */

static void dump_tokens(const struct compile *c, struct buf *b)
{
	lex_print(&c->text, b);
}

static void dump_ast(const struct compile *c, struct buf *b)
{
	ast_print(c->ast, b);
}

static void add_columns(struct buf *b, const struct column *columns, int n)
{
	for (int i = 0; i < n; i++)
		buf_printf(b, "  %s %s: %s\n", columns[i].role == COL_KEY ? "key" : "value",
			   columns[i].name, type_name(&columns[i].type));
}

static void dump_types(const struct compile *c, struct buf *b)
{
	for (int i = 0; i < c->plan->periods.n; i++) {
		const struct p_period *p = c->plan->periods.v[i];

		buf_printf(b, "period %s\n", p->name);
		for (int k = 0; k < p->n_keys; k++)
			buf_printf(b, "  key: %s\n", type_name(&p->key_types[k]));
		for (int k = 0; k < p->slots.n; k++)
			buf_printf(b, "  kept: %s%s\n", type_name(&p->slots.v[k].type),
				   p->slots.v[k].may_none ? ", or none" : "");
	}
	for (int i = 0; i < c->plan->queries.n; i++) {
		const struct p_query *q = c->plan->queries.v[i];

		buf_printf(b, "query %d\n", i + 1);
		if (q->sink == SINK_AGGS)
			add_columns(b, q->out, q->n_out);
		else
			add_columns(b, q->columns, q->n_columns);
	}
}

static void dump_params(const struct compile *c, struct buf *b)
{
	for (int i = 0; i < c->n_params; i++)
		buf_printf(b, "%s = %s\n", c->params[i].name, c->params[i].value ? c->params[i].value : "yes");
}

static void dump_forms(const struct compile *c, struct buf *b)
{
	for (int i = 0; i < c->plan->events.n; i++) {
		const struct p_event *e = c->plan->events.v[i];

		buf_printf(b, "%s: %s\n", e->name, attach_words[e->attach]);
	}
}

static void dump_stores(const struct compile *c, struct buf *b)
{
	for (int i = 0; i < c->plan->periods.n; i++) {
		const struct p_period *p = c->plan->periods.v[i];

		buf_printf(b, "%s: %s: %s\n", p->name, store_words[p->store], p->why ? p->why : "");
	}
}

static void dump_counters(const struct compile *c, struct buf *b)
{
	for (int i = 0; i < c->plan->counters.n; i++)
		buf_printf(b, "%s: %s\n", loss_name(c->plan->counters.v[i].id), c->plan->counters.v[i].what);
}

/* What each event does, and what it asks first. */
static void dump_actions(const struct compile *c, struct buf *b)
{
	for (int i = 0; i < c->plan->events.n; i++) {
		buf_printf(b, "%s\n", c->plan->events.v[i]->name);
		add_actions(b, c->plan->events.v[i]);
	}
}

static void dump_plan(const struct compile *c, struct buf *b)
{
	plan_print(c->plan, b);
}

static void dump_code(const struct compile *c, struct buf *b)
{
	image_print(c->image, b);
}

/* In the order of the passes; stop: the last pass that is needed. */
static const struct dump {
	char letter, stop;
	const char *what;
	void (*print)(const struct compile *c, struct buf *b);
} dumps[] = {
	{ 't', 'a', "tokens", dump_tokens },
	{ 'a', 'a', "ast", dump_ast },
	{ 'v', 'p', "values of parameters", dump_params },
	{ 'y', 'p', "types", dump_types },
	{ 'f', 'p', "forms of events", dump_forms },
	{ 's', 'p', "where begins are kept", dump_stores },
	{ 'c', 'p', "counters of losses", dump_counters },
	{ 'm', 'p', "actions and what they ask first", dump_actions },
	{ 'p', 'p', "plan", dump_plan },
	{ 'b', 'b', "bytecode", dump_code },
};
#define DUMPS (sizeof(dumps) / sizeof(dumps[0]))

static char last_pass(const char *letters)
{
	char stop = letters ? 'a' : 0;

	for (; letters && *letters; letters++)
		for (size_t i = 0; i < DUMPS; i++)
			if (dumps[i].letter == *letters &&
			    (dumps[i].stop == 'b' || (dumps[i].stop == 'p' && stop != 'b')))
				stop = dumps[i].stop;
	return stop;
}

static void print_dumps(const struct compile *c, const char *letters, struct buf *b)
{
	for (size_t i = 0; i < DUMPS; i++)
		if (strchr(letters, dumps[i].letter))
			dumps[i].print(c, b);
}

static bool are_letters(const char *letters, struct err *err)
{
	struct buf all = { 0 }, what = { 0 };
	bool fine;

	for (size_t i = 0; i < DUMPS; i++) {
		buf_putc(&all, dumps[i].letter);
		buf_printf(&what, "%s%c %s", i ? ", " : "", dumps[i].letter, dumps[i].what);
	}
	fine = strspn(letters, all.p) == strlen(letters);
	if (!fine) {
		err_help(err, "%s", what.p);
		err_push(err, -1, "-d %s: write letters of %s", letters, all.p);
	}
	buf_fini(&all);
	buf_fini(&what);
	return fine;
}

static void print_explained(const struct query *q, const char *letters)
{
	struct buf b = { 0 };

	if (letters) {
		print_dumps(&q->session.compile, letters, &b);
	} else {
		explain_events(&q->session.compile, &b);
		explain_left_out(&q->session.compile, &b);
		explain_periods(&q->session.compile, &b);
		explain_queries(&q->session.compile, &b);
		if (!is_recorded(&q->session.compile)) {
			explain_stacks(q->session.compile.image, &b);
			explain_maps(q->session.compile.image, &b);
		}
	}
	put(&b);
	buf_fini(&b);
}

static int explain(struct query *q)
{
	const struct options *o = &q->options;
	bool recorded = o->trace || o->begin || o->end;
	char stop = last_pass(o->dump);
	struct recorded_target trace = { .trace = NULL };
	int status = END_DONE;

	if (o->dump && !are_letters(o->dump, &q->err))
		return err_print(&q->err, END_WRONG);
	/* the text alone needs neither a kernel nor a trace */
	if (stop != 'a') {
		status = recorded ? query_target_trace(q, &trace) : query_target(q);
		if (!status)
			status = query_compile(q, stop);
	}
	if (!status)
		print_explained(q, o->dump);
	if (trace.trace)
		trace_say_notes(trace.trace, o);
	recorded_target_close(&trace);
	return status ? status : put_end(END_DONE);
}

/* explain 'QUERY', explain -f FILE, explain TOOL */
int cmd_explain(char **argv)
{
	const struct shipped_tool *tool = argv[0] ? tool_find(argv[0]) : NULL;
	struct query q;
	int status;

	query_init(&q, tool ? tool->name : "query", tool);
	q.set.own = option_dump;
	status = query_parse(&q, argv + (tool != NULL));
	if (!status && q.options.help)
		status = cmd_help((char *[]){ "explain", NULL });
	else if (!status)
		status = explain(&q);
	query_fini(&q);
	return status;
}
