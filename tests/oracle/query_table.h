/*
 * query_table: random aggregations and the stages of their table as text.
 */
#ifndef ORACLE_QUERY_TABLE_H
#define ORACLE_QUERY_TABLE_H

#include "oracle/expression.h"

#define STAGES_MOST 4

static const char *add_column(struct generator *g, char letter, int n, int shape)
{
	struct put_column *c = &g->columns[g->n_columns++];

	*c = (struct put_column){ .name = { letter, (char)('0' + n) }, .shape = (uint8_t)shape };
	return c->name;
}

/* Keys of few values, so that they have several rows. */
static void put_key(struct generator *g, int n)
{
	static const struct { void (*put)(struct generator *g); uint8_t shape; } plain[] = {
		{ put_text, SHAPE_TEXT }, { put_leaf, SHAPE_OTHER }, { put_named, SHAPE_OTHER },
	};
	int kind = below(&g->choices, 5), shape = kind < 2 ? SHAPE_NUMBER : plain[kind - 2].shape;

	buf_printf(g->out, "%s = ", add_column(g, 'k', n, kind == 1 ? SHAPE_OTHER : shape));
	if (kind >= 2) {
		plain[kind - 2].put(g);
		return;
	}
	buf_putc(g->out, '(');
	put_expr(g, g->deep - 1, true);
	buf_puts(g->out, kind ? " > 0)" : " % 3)");
}

static void put_aggregation(struct generator *g, int n)
{
	static const struct { const char *begin, *end; int n; } aggs[] = {
		{ "count", "", 0 }, { "rate", "", 0 }, { "sum(", ")", 1 }, { "avg(", ")", 1 }, { "min(", ")", 1 },
		{ "max(", ")", 1 }, { "stddev(", ")", 1 }, { "p50(", ")", 1 }, { "p99(", ")", 1 }, { "p0.1(", ")", 1 },
		{ "p100(", ")", 1 }, { "distinct(", ")", 1 }, { "any(", ")", 1 }, { "last(", ")", 1 },
		{ "sequential(", ")", 2 }, { "hist(", ")", 1 }, { "lhist(", ", 0, 100, 7)", 1 },
		{ "lhist(", ", 1, 4294967297, 1073741824)", 1 }, { "lhist((-", "), -9, 9, 3)", 1 },
	};
	static const char *const of_texts[] = { "distinct", "any", "last" };
	int kind = below(&g->choices, sizeof(aggs) / sizeof(aggs[0]));

	if (!below(&g->choices, 8)) {
		buf_printf(g->out, "%s = %s(", add_column(g, 'a', n, kind % 3 ? SHAPE_TEXT : SHAPE_NUMBER),
			   of_texts[kind % 3]);
		put_text(g);
		buf_putc(g->out, ')');
		return;
	}
	buf_printf(g->out, "%s = %s", add_column(g, 'a', n, kind < 15 ? SHAPE_NUMBER : SHAPE_DRAWN), aggs[kind].begin);
	for (int i = 0; i < aggs[kind].n; i++) {
		buf_puts(g->out, i ? ", " : "");
		put_expr(g, g->deep - 1, true);
	}
	buf_puts(g->out, aggs[kind].end);
}

static void put_aggregations(struct generator *g)
{
	int keys = below(&g->choices, 3);

	g->n_columns = 0;
	for (int i = 0; i < COLUMNS; i++) {
		buf_puts(g->out, i ? ", " : " | ");
		put_aggregation(g, i);
		if (!below(&g->choices, 3)) {
			buf_puts(g->out, " where ");
			put_expr(g, g->deep - 1, false);
		}
	}
	for (int i = 0; i < keys; i++) {
		buf_puts(g->out, i ? ", " : " by ");
		put_key(g, i);
	}
}

/* ---- expressions over columns ---- */

/* Of any shape that has an order: -1. NULL: it has none of this shape. */
static const char *some_column(struct generator *g, int shape)
{
	int at = below(&g->choices, g->n_columns);

	for (int i = 0; i < g->n_columns; i++, at++) {
		const struct put_column *c = &g->columns[at % g->n_columns];

		if (shape < 0 ? c->shape != SHAPE_DRAWN : c->shape == shape)
			return c->name;
	}
	return NULL;
}

static void put_table_leaf(struct generator *g)
{
	static const char *const literals[] = { "0", "1", "2", "0.5", "(-3)", "1000000", "255", "18446744073709551615" };
	const char *name = some_column(g, SHAPE_NUMBER);
	int kind = below(&g->choices, 5);

	if (!name || !kind)
		buf_puts(g->out, literals[below(&g->choices, 7)]);
	else
		buf_printf(g->out, kind == 1 ? "share(%s)" : kind == 2 ? "delta(%s)" : "%s", name);
}

/* What `@` stands for is a value, `?` a condition, `T` a column of texts, `G` a pattern, `W` a word. */
static void put_table_expr(struct generator *g, int deep, bool wants_number)
{
	static const char *const numbers[] = {
		"(@ + @)", "(@ - @)", "(@ * @)", "(@ / @)", "(@ % @)", "(@ & @)", "(@ | @)", "(@ ^ @)", "(@ << @)",
		"(@ >> @)", "(-@)", "(~@)", "min(@, @)", "max(@, @)", "abs(@)", "(C ? @ : @)", "(C ? @ : @)",
	};
	static const char *const conditions[] = {
		"(@ == @)", "(@ != @)", "(@ < @)", "(@ <= @)", "(@ > @)", "(@ >= @)", "(C && C)", "(C || C)", "(!C)",
		"(@ in (0, 1, 5, 255))", "(T ~ \"G\")", "(T == \"W\")", "(T != \"W\")", "(T in (\"W\", \"W\"))",
	};
	const char *p = wants_number ? numbers[below(&g->choices, 17)] : conditions[below(&g->choices, 14)];
	const char *text = some_column(g, SHAPE_TEXT);

	if (strchr(p, 'T') && !text)
		p = conditions[0];
	if (wants_number && (deep < 1 || !below(&g->choices, 4)))
		p = "L";
	for (; *p; p++)
		switch (*p) {
		case 'L': put_table_leaf(g); break;
		case '@': put_table_expr(g, deep - 1, true); break;
		case 'C': put_table_expr(g, deep - 1, deep < 2); break;
		case 'T': buf_puts(g->out, text); break;
		case 'G': buf_puts(g->out, globs[below(&g->choices, GLOBS)]); break;
		case 'W': buf_puts(g->out, texts[below(&g->choices, TEXTS)]); break;
		default: buf_putc(g->out, *p);
		}
}

/* ---- the stages ---- */

static void put_where(struct generator *g)
{
	buf_puts(g->out, " | where ");
	put_table_expr(g, g->deep - 1, false);
}

static void put_let(struct generator *g)
{
	struct put_column new = { .name = { 't', (char)('0' + g->n_columns) } };

	buf_printf(g->out, " | let %s = ", new.name);
	put_table_expr(g, g->deep - 1, true);
	g->columns[g->n_columns++] = new;
}

static void put_sort(struct generator *g)
{
	const char *by = some_column(g, -1);

	if (by)
		buf_printf(g->out, below(&g->choices, 2) ? " | sort -%s" : " | sort %s", by);
}

static void put_top(struct generator *g)
{
	const char *by = below(&g->choices, 3) ? some_column(g, -1) : NULL;

	buf_printf(g->out, " | top %d", 1 + below(&g->choices, 6));
	if (by)
		buf_printf(g->out, below(&g->choices, 2) ? " by %s" : " by -%s", by);
}

/* No event is where one ends and the next begins. */
static void put_every(struct generator *g)
{
	static const char *const every[] = { " | every 20300ms", " | every 9370ms keep" };
	int kind = below(&g->choices, 8);

	if (kind < 2 && kind >= g->over && !g->dialect->live)
		buf_puts(g->out, every[kind]);
}

static void put_stages(struct generator *g)
{
	static void (*const stages[])(struct generator *g) = { put_where, put_let, put_sort, put_top };

	for (int n = below(&g->choices, STAGES_MOST); n; n--)
		stages[below(&g->choices, 4)](g);
	if (!below(&g->choices, 3)) {
		const char *first = some_column(g, -1), *other = some_column(g, -1);

		if (first)
			buf_printf(g->out, " | print %s", first);
		if (first && other != first)
			buf_printf(g->out, ", %s", other);
	}
	put_every(g);
}

#endif
