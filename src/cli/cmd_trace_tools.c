/*
 * Which tools a trace can feed: a tool is compiled for it, as it is without options. What
 * a trace lacks for it is what the compiler says.
 */
#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/trace.h"
#include "lang/diag_tags.h"

#define NAME_COLUMNS 14

enum feeds { FEEDS, FEEDS_TOLD, LACKS, FEED_KINDS };	/* TOLD: a SOURCE */

/* "a recorded trace holds no ...", without what that one has instead. */
static void add_reason(const struct diag_item *item, struct buf *b)
{
	const char *more = strstr(item->message, ": ");

	buf_printf(b, "%.*s", more ? (int)(more - item->message) : (int)strlen(item->message),
		   item->message);
}

/* A name stands there once, though it is used twice. */
static bool is_first(const struct diag *d, int item)
{
	struct str name = loc_text(d->items.v[item].loc);

	for (int i = 0; i < item; i++)
		if (str_eq(loc_text(d->items.v[i].loc), name))
			return false;
	return true;
}

/* The events by name; without one the first mistake. */
static void add_lacks(const struct diag *d, struct buf *b)
{
	int n = 0;

	for (int i = 0; i < d->items.n; i++)
		if (!strcmp(d->items.v[i].tag, DIAG_NO_EVENT) && is_first(d, i))
			buf_printf(b, "%s%.*s", n++ ? ", " : "no ", STR_ARG(loc_text(d->items.v[i].loc)));
	for (int i = 0; i < d->items.n && !n; i++)
		if (!d->items.v[i].warning) {
			add_reason(&d->items.v[i], b);
			n++;
		}
}

/* source: what it is told where it needs to be told one. */
static bool compiles(struct query *q, const char *source)
{
	const struct ast_param *missing;
	struct param_value told;

	if (session_compile(&q->session, 'a'))
		return false;
	missing = query_missing_source(q);
	if (missing) {
		told = (struct param_value){ arena_strndup(&q->arena, missing->name.p,
							   (size_t)missing->name.n), source };
		q->spec.params = &told;
		q->spec.n_params = 1;
	}
	return !session_compile(&q->session, 0);
}

static enum feeds feeds_when(const struct catalog *catalog, const struct shipped_tool *tool,
			     const char *source, struct buf *lacks)
{
	static const struct target_ops none = { NULL };		/* nothing is run */
	struct target names = { &none, catalog };
	enum feeds kind = LACKS;
	struct query q;

	query_init(&q, tool->name, tool);
	q.session.target = &names;
	q.spec.options = (struct plan_options){ .has = { .replay = true }, .uid = -1 };
	if (compiles(&q, source))
		kind = query_missing_source(&q) ? FEEDS_TOLD : FEEDS;
	else if (lacks)
		add_lacks(&q.session.compile.diag, lacks);
	query_fini(&q);
	return kind;
}

/* Sources of any kind, then of one that has durations. lacks: what was said of the first. */
static enum feeds feeds(const struct catalog *catalog, const struct shipped_tool *tool,
			struct buf *lacks)
{
	static const char *const sources[] = { "*", "syscall:*" };
	enum feeds kind = feeds_when(catalog, tool, sources[0], lacks);

	return kind == LACKS ? feeds_when(catalog, tool, sources[1], NULL) : kind;
}

/* Calls each for every tool that the glob takes. */
static void each_tool(struct ctf *t, const char *glob,
		      void (*each)(void *arg, const struct shipped_tool *tool, enum feeds kind,
				   const struct buf *lacks), void *arg)
{
	struct recorded *r = recorded_open(t);
	struct catalog catalog = recorded_catalog(r);
	struct buf lacks = { 0 };

	for (int i = 0; i < shipped_tool_count; i++)
		if (str_glob(str_of(glob), str_of(shipped_tools[i].name))) {
			buf_clear(&lacks);
			each(arg, &shipped_tools[i], feeds(&catalog, &shipped_tools[i], &lacks), &lacks);
		}
	buf_fini(&lacks);
	recorded_close(r);
}

/* ---- doctor ---- */

static void add_name(void *arg, const struct shipped_tool *tool, enum feeds kind,
		     const struct buf *lacks)
{
	struct buf *names = arg;

	(void)lacks;
	buf_printf(&names[kind], " %s", tool->name);
}

void trace_add_tools(struct ctf *t, struct buf *b)
{
	struct buf names[FEED_KINDS] = { 0 };

	each_tool(t, "*", add_name, names);
	if (names[FEEDS].n)
		buf_printf(b, "it can feed:%s\n", names[FEEDS].p);
	else
		buf_puts(b, "it can feed none of the tools\n");
	if (names[FEEDS_TOLD].n)
		buf_printf(b, "and those that are told a SOURCE:%s\n", names[FEEDS_TOLD].p);
	for (int i = 0; i < FEED_KINDS; i++)
		buf_fini(&names[i]);
}

/* ---- list tools ---- */

static void add_row(void *arg, const struct shipped_tool *tool, enum feeds kind,
		    const struct buf *lacks)
{
	struct buf *rows = arg;
	struct source_text text;
	struct arena arena = { 0 };
	struct str summary = kind == LACKS ? str_of(lacks->p) :
			     help_summary(tool_parse(&arena, tool, &text));

	buf_printf(&rows[kind], "  %-*s %.*s\n", NAME_COLUMNS, tool->name, STR_ARG(summary));
	arena_fini(&arena);
}

int trace_list_tools(const struct options *o, const char *glob, struct err *e)
{
	static const char *const titles[] = {
		"The trace can feed", "and those that are told a SOURCE", "It lacks what these need",
	};
	struct ctf *t = ctf_open(e, o->trace);
	struct buf rows[FEED_KINDS] = { 0 }, out = { 0 };
	bool any;

	if (!t)
		return err_print(e, END_FAILED);
	each_tool(t, glob ? glob : "*", add_row, rows);
	for (int i = 0; i < FEED_KINDS; i++) {
		if (rows[i].n)
			buf_printf(&out, "%s%s:\n%s", out.n ? "\n" : "", titles[i], rows[i].p);
		buf_fini(&rows[i]);
	}
	any = out.n;
	put(&out);
	trace_say_notes(t, o);
	ctf_close(t);
	if (!any)
		err_push(e, -ENOENT, "there is no tool '%s'", glob);
	buf_fini(&out);
	return e->causes.n ? err_print(e, END_WRONG) : END_DONE;
}
