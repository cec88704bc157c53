/*
 * query: a random program of queries as text.
 */
#ifndef ORACLE_QUERY_H
#define ORACLE_QUERY_H

#include "oracle/event.h"

#define COLUMNS 3
#define DEEP 3
#define QUERIES_MOST 3

/* Where fields are found: before their names stands this, and whose they are. */
struct view {
	const char *prefix;
	uint8_t kind;			/* enum kind */
};

struct generator {
	struct chooser choices;
	int lets;
	struct view views[2];		/* of what is written now */
	int n_views;
	bool period;			/* there is a duration */
	struct buf *out;
};

static const char *field(struct generator *g, int first, int n, const char **prefix)
{
	const struct view *v = &g->views[below(&g->choices, g->n_views)];
	int f = first + below(&g->choices, n);

	*prefix = v->prefix;
	return fields[v->kind == KIND_V || fields[f].in_w ? f : first].name;
}

static void put_number_field(struct generator *g)
{
	const char *prefix, *name = field(g, 0, NUMBERS, &prefix);

	buf_printf(g->out, "%s%s", prefix, name);
}

static void put_text_field(struct generator *g, const char *form)
{
	const char *prefix, *name = field(g, NUMBERS, FIELDS - NUMBERS, &prefix);

	if (!strcmp(name, "fs"))
		buf_printf(g->out, "%sfs", prefix);
	else
		buf_printf(g->out, form, prefix);
}

static void put_expr(struct generator *g, int deep, bool wants_number);

static void put_literal(struct generator *g)
{
	uint64_t n = draw_number(&g->choices) & INT64_MAX;

	buf_printf(g->out, below(&g->choices, 3) ? "%" PRIu64 : "(-%" PRIu64 ")", n);
}

#define PARAMS 2

static void put_params(struct generator *g)
{
	for (int i = 0; i < PARAMS; i++)
		buf_printf(g->out, "param p%d: int = %" PRId64 "\n", i, (int64_t)draw_number(&g->choices) >> 1);
}

static void put_leaf(struct generator *g)
{
	static const char *const commons[] = { "cpu", "tid", "(tid % 2)" };
	int kind = below(&g->choices, 7);

	if (kind < 2)
		put_number_field(g);
	else if (kind == 6 && g->period)
		buf_puts(g->out, below(&g->choices, 2) ? "(duration / 1s)" : "((time - begin.time) / 1ns)");
	else if (kind == 6)
		buf_puts(g->out, commons[below(&g->choices, 3)]);
	else if (kind < 5 && g->lets)
		buf_printf(g->out, "l%d", below(&g->choices, g->lets));
	else if (!below(&g->choices, 3))
		buf_printf(g->out, "$p%d", below(&g->choices, PARAMS));
	else
		put_literal(g);
}

/* What is true or false is no number: where one is wanted it is made of it. */
static void end_condition(struct generator *g, bool wants_number)
{
	buf_puts(g->out, wants_number ? " ? 1 : 0)" : ")");
}

static void put_binary(struct generator *g, int deep, bool wants_number)
{
	static const char *const ops[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==",
					   "!=", "<", "<=", ">", ">=", "&&", "||" };
	int op = below(&g->choices, 18);
	bool holds = op >= 10, of_numbers = op < 16;

	buf_puts(g->out, holds ? "((" : "(");
	put_expr(g, deep - 1, of_numbers);
	buf_printf(g->out, " %s ", ops[op]);
	put_expr(g, deep - 1, of_numbers);
	buf_putc(g->out, ')');
	if (holds)
		end_condition(g, wants_number);
}

static void put_call(struct generator *g, int deep)
{
	static const struct { const char *begin, *end; int n; } calls[] = {
		{ "(-", ")", 1 }, { "(~", ")", 1 }, { "abs(", ")", 1 }, { "min(", ")", 2 }, { "max(", ")", 2 },
		{ "port(", ")", 1 }, { "(bucket(", ") as u64)", 1 }, { "(errno(", ") as s64)", 1 },
		{ "(taskstate(", ") as u8)", 1 }, { "(taskstate(", ") as u8)", 2 }, { "coalesce(", ")", 2 },
		{ "coalesce(", ")", 3 },
	};
	int kind = below(&g->choices, sizeof(calls) / sizeof(calls[0]));

	buf_puts(g->out, calls[kind].begin);
	for (int i = 0; i < calls[kind].n; i++) {
		buf_puts(g->out, i ? ", " : "");
		put_expr(g, deep - 1, true);
	}
	buf_puts(g->out, calls[kind].end);
}

/* What is shown by its name, but has the value of its number. */
static void put_named(struct generator *g)
{
	static const char *const names[] = { "bucket", "errno", "signal", "disk", "container", "sym", "reqflags",
					     "tcpstate", "softirq", "capability", "taskstate", "port" };

	buf_printf(g->out, "%s(", names[below(&g->choices, sizeof(names) / sizeof(names[0]))]);
	put_expr(g, DEEP - 1, true);
	buf_putc(g->out, ')');
}

static void put_choice(struct generator *g, int deep, bool wants_number)
{
	buf_putc(g->out, '(');
	put_expr(g, deep - 1, false);
	buf_puts(g->out, " ? ");
	put_expr(g, deep - 1, wants_number);
	buf_puts(g->out, " : ");
	put_expr(g, deep - 1, wants_number);
	buf_putc(g->out, ')');
}

/* A text's value, perhaps not all of it. */
static void put_text_of(struct generator *g, bool whole)
{
	static const char *const forms[] = { "str(%sft)", "str(%sft, 8)", "str(%sft, 5)" };
	const char *form = forms[whole ? 0 : below(&g->choices, 3)];
	int kind = below(&g->choices, 5);

	if (kind > 1) {
		put_text_field(g, form);
		return;
	}
	buf_puts(g->out, kind ? "coalesce(" : "(");
	if (!kind) {
		put_number_field(g);
		buf_puts(g->out, " > 0 ? ");
	}
	put_text_field(g, form);
	buf_puts(g->out, kind ? ", " : " : ");
	put_text_field(g, form);
	buf_putc(g->out, ')');
}

static void put_text(struct generator *g)
{
	put_text_of(g, false);
}

/* ... and what can be asked of it. */
static void put_text_test(struct generator *g, bool wants_number)
{
	int kind = below(&g->choices, 4);
	const char *text = texts[below(&g->choices, TEXTS)];

	buf_puts(g->out, "((");
	put_text_of(g, true);
	if (kind == 0)
		buf_printf(g->out, " ~ \"%s\")", globs[below(&g->choices, GLOBS)]);
	else if (kind == 1)
		buf_printf(g->out, " in (\"%s\", \"%s\"))", text, texts[below(&g->choices, TEXTS)]);
	else
		buf_printf(g->out, below(&g->choices, 2) ? " == \"%s\")" : " != \"%s\")", text);
	end_condition(g, wants_number);
}

static void put_special(struct generator *g, int deep, bool wants_number)
{
	static const char *const casts[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
	int kind = below(&g->choices, 4);

	if (kind == 3) {
		put_text_test(g, wants_number);
		return;
	}
	buf_puts(g->out, kind == 0 ? "(!" : kind == 1 ? "((" : "(");
	put_expr(g, deep - 1, kind > 0);
	if (kind == 1)
		buf_puts(g->out, " in (0, 1, 5, 255))");
	if (kind < 2)
		end_condition(g, wants_number);
	else
		buf_printf(g->out, " as %s)", casts[below(&g->choices, 8)]);
}

static void put_expr(struct generator *g, int deep, bool wants_number)
{
	int kind = below(&g->choices, 8);

	if (!deep || !kind)
		put_leaf(g);
	else if (kind < 4)
		put_binary(g, deep, wants_number);
	else if (kind == 4)
		put_call(g, deep);
	else if (kind == 5)
		put_choice(g, deep, wants_number);
	else
		put_special(g, deep, wants_number);
}

static void put_columns(struct generator *g)
{
	for (int i = 0; i < COLUMNS; i++) {
		buf_printf(g->out, "%s c%d = ", i ? "," : " | print", i);
		switch (below(&g->choices, 6)) {
		case 0: put_text(g); break;
		case 1: put_named(g); break;
		case 2: buf_printf(g->out, "ip(%sfc)", g->views[0].prefix); break;
		default: put_expr(g, DEEP, false);
		}
	}
}

/* Keys of few values, so that they have several rows. */
static void put_key(struct generator *g)
{
	static void (*const plain[])(struct generator *g) = { put_text, put_leaf, put_named };
	int kind = below(&g->choices, 5);

	if (kind >= 2) {
		plain[kind - 2](g);
		return;
	}
	buf_putc(g->out, '(');
	put_expr(g, DEEP - 1, true);
	buf_puts(g->out, kind ? " % 3)" : " > 0)");
}

static void put_aggregation(struct generator *g)
{
	static const struct { const char *begin, *end; int n; } aggs[] = {
		{ "count", "", 0 }, { "rate", "", 0 }, { "sum(", ")", 1 }, { "avg(", ")", 1 }, { "min(", ")", 1 },
		{ "max(", ")", 1 }, { "stddev(", ")", 1 }, { "hist(", ")", 1 }, { "lhist(", ", 0, 100, 7)", 1 },
		{ "lhist(", ", 1, 4294967297, 1073741824)", 1 }, { "lhist((-", "), -9, 9, 3)", 1 },
		{ "p50(", ")", 1 }, { "p99(", ")", 1 }, { "p0.1(", ")", 1 }, { "p100(", ")", 1 },
		{ "distinct(", ")", 1 }, { "any(", ")", 1 }, { "last(", ")", 1 }, { "sequential(", ")", 2 },
	};
	static const char *const of_texts[] = { "distinct", "any", "last" };
	int kind = below(&g->choices, sizeof(aggs) / sizeof(aggs[0]));

	if (!below(&g->choices, 8)) {
		buf_printf(g->out, "%s(", of_texts[kind % 3]);
		put_text(g);
		buf_putc(g->out, ')');
		return;
	}
	buf_puts(g->out, aggs[kind].begin);
	for (int i = 0; i < aggs[kind].n; i++) {
		buf_puts(g->out, i ? ", " : "");
		put_expr(g, DEEP - 1, true);
	}
	buf_puts(g->out, aggs[kind].end);
}

static void put_aggregations(struct generator *g)
{
	int keys = below(&g->choices, 3);

	for (int i = 0; i < COLUMNS; i++) {
		buf_printf(g->out, "%s a%d = ", i ? "," : " |", i);
		put_aggregation(g);
		if (!below(&g->choices, 3)) {
			buf_puts(g->out, " where ");
			put_expr(g, DEEP - 1, false);
		}
	}
	for (int i = 0; i < keys; i++) {
		buf_printf(g->out, "%s k%d = ", i ? "," : " by", i);
		put_key(g);
	}
}

/* ---- what its rows are ---- */

static void view(struct generator *g, const char *prefix, int kind)
{
	g->views[g->n_views++] = (struct view){ prefix, (uint8_t)kind };
}

static void put_end(struct generator *g, int kind, bool of_end)
{
	buf_puts(g->out, kinds[kind]);
	g->n_views = 0;
	view(g, "", kind);
	if (below(&g->choices, 3))
		return;
	if (of_end)
		view(g, "begin.", KIND_W);
	buf_puts(g->out, " where ");
	put_expr(g, 1, false);
}

static void put_keys(struct generator *g)
{
	static const char *const keys[] = { "", " on cpu", " on fd", " on fs", " on (fd % 3, cpu)", " on fa > 0" };

	buf_puts(g->out, keys[below(&g->choices, 6)]);
	buf_puts(g->out, below(&g->choices, 3) ? "" : " keep first");
}

/* From one kind, or from both, to one. */
static void put_period(struct generator *g)
{
	int from = below(&g->choices, KINDS + 1), to = below(&g->choices, KINDS);
	bool both = from == KINDS;

	g->lets = 0;
	g->period = false;
	buf_puts(g->out, both ? "from (" : "from ");
	put_end(g, both ? KIND_V : from, false);
	if (both) {
		buf_puts(g->out, ", ");
		put_end(g, KIND_W, false);
	}
	buf_puts(g->out, both ? ") to " : " to ");
	put_end(g, to, true);
	put_keys(g);
	g->period = true;
	g->n_views = 0;
	view(g, "begin.", both ? KIND_V : from);
	view(g, "end.", to);
}

static void put_source(struct generator *g)
{
	int kind = below(&g->choices, 6);

	if (kind > 3) {
		put_period(g);
		return;
	}
	buf_puts(g->out, kind == 3 ? "n:v, n:w" : kinds[kind / 2]);
	g->period = false;
	g->n_views = 0;
	view(g, "", kind == 2 ? KIND_W : KIND_V);
}

static void put_query(struct generator *g)
{
	int lets = below(&g->choices, 3);

	g->lets = 0;
	put_source(g);
	for (; g->lets < lets; g->lets++) {
		buf_printf(g->out, " | let l%d = ", g->lets);
		if (below(&g->choices, 2))	/* what is known where it is used again */
			put_literal(g);
		else
			put_expr(g, below(&g->choices, DEEP), true);
	}
	if (!below(&g->choices, 2)) {
		buf_puts(g->out, " | where ");
		put_expr(g, DEEP, false);
	}
	if (below(&g->choices, 2))
		put_aggregations(g);
	else
		put_columns(g);
}

static void put_program(struct generator *g)
{
	int queries = 1 + below(&g->choices, QUERIES_MOST);

	put_params(g);
	for (int i = 0; i < queries; i++) {
		buf_puts(g->out, i ? "; " : "");
		put_query(g);
	}
}

#endif
