/*
 * program: a random program of queries as text.
 */
#ifndef ORACLE_PROGRAM_H
#define ORACLE_PROGRAM_H

#include "oracle/query_table.h"

#define QUERIES_MOST 3
#define PARTS_SPLIT 3
#define PLAN_QUERIES (3 * QUERIES_MOST)	/* with the parts of joins, and what is longer */

/* ---- what its rows are ---- */

static void view(struct generator *g, const char *prefix, int kind)
{
	g->views[g->n_views++] = (struct sink){ prefix, (uint8_t)kind };
}

static void put_side(struct generator *g, int kind, bool of_end)
{
	buf_puts(g->out, g->dialect->kinds[kind]);
	g->n_views = 0;
	view(g, "", kind);
	if (below(&g->choices, 3) && !(g->splits && of_end))
		return;
	if (of_end)
		view(g, "begin.", KIND_W);
	buf_puts(g->out, " where ");
	put_expr(g, 1, false);
}

/* Keys of one of the kinds, of the fields behind the prefix. */
static void put_keys(struct generator *g, int kind, const char *prefix)
{
	static const struct { const char *begin, *end; int field; } keys[] = {
		{ "", "", -1 }, { " on cpu", "", -1 }, { " on ", "", 3 }, { " on ", "", 4 }, { " on (", " % 3, cpu)", 3 },
		{ " on ", " > 0", 0 },
	};

	buf_puts(g->out, keys[kind].begin);
	if (keys[kind].field >= 0)
		put_field(g, prefix, keys[kind].field, 0);
	buf_puts(g->out, keys[kind].end);
}

/* From one kind, or from both, to one. */
static struct put_definition put_period(struct generator *g)
{
	int keys = g->splits && below(&g->choices, 3) ? 0 : below(&g->choices, 6);
	int from = below(&g->choices, KINDS + 1), to = below(&g->choices, KINDS), by = below(&g->choices, 3 * KINDS);
	bool both = from == KINDS;

	g->lets = 0;
	g->period = false;
	buf_puts(g->out, both ? "from (" : "from ");
	put_side(g, both ? KIND_V : from, false);
	if (both) {
		buf_puts(g->out, ", ");
		put_side(g, KIND_W, false);
	}
	buf_puts(g->out, both ? ")" : "");
	if (by < KINDS) {
		buf_puts(g->out, " via ");
		put_side(g, by, true);
	}
	buf_puts(g->out, " to ");
	put_side(g, to, true);
	put_keys(g, keys, "");
	buf_puts(g->out, below(&g->choices, 3) && !g->splits ? "" : " keep first");
	return (struct put_definition){ both ? KIND_V : (uint8_t)from, (uint8_t)by, (uint8_t)to, (uint8_t)keys };
}

/* What is known of its rows. */
static void view_period(struct generator *g, struct put_definition d)
{
	g->period = !g->dialect->live;
	g->keyed = d.keys;
	g->via = d.via < KINDS;
	g->n_views = 0;
	view(g, "begin.", d.begin);
	view(g, "end.", d.end);
	if (g->via)
		view(g, "via.", d.via);
}

static const char *const definition_names[DEFINITIONS] = { "d0", "d1" };
static const char *const definition_fields[DEFINITIONS] = { "d0.", "d1." };

/* Their conditions are asked at the begin where something is inside of them. */
static void put_definitions(struct generator *g)
{
	for (int i = 0; i < DEFINITIONS; i++) {
		buf_printf(g->out, "def %s = ", definition_names[i]);
		g->definitions[i] = put_period(g);
		if (!below(&g->choices, 4))
			buf_printf(g->out, " | where cpu != %d", below(&g->choices, CPUS));
		buf_printf(g->out, "\ndef some_%s = %s | where cpu != %d\n", definition_names[i], definition_names[i],
			   below(&g->choices, CPUS));
	}
}

static void put_defined(struct generator *g)
{
	int i = below(&g->choices, DEFINITIONS);

	buf_puts(g->out, definition_names[i]);
	view_period(g, g->definitions[i]);
}

/* By the thread, or by keys of the row. */
static void put_in(struct generator *g)
{
	int i = below(&g->choices, DEFINITIONS);

	buf_printf(g->out, " | in %s", definition_names[i]);
	if (!g->open && below(&g->choices, 2))
		put_keys(g, g->definitions[i].keys, g->views[0].prefix);
	if (!g->over && !g->open && !g->dialect->live && !below(&g->choices, 4)) {
		buf_printf(g->out, " over %ds", 1 + below(&g->choices, 9));
		g->over = true;
	}
	g->inside = g->dialect->live ? NULL : definition_names[i];
	view(g, definition_fields[i], g->definitions[i].begin);
}

/* A span, or a definition; true: it has keys, so it may end on another thread. */
static bool put_part_of(struct generator *row)
{
	int d = below(&row->choices, 3 * DEFINITIONS / 2);
	bool keyed;

	if (d < DEFINITIONS) {
		buf_printf(row->out, "%s%s", below(&row->choices, 2) ? "" : "some_", definition_names[d]);
		return row->definitions[d].keys;
	}
	buf_putc(row->out, '(');
	keyed = put_period(row).keys;
	buf_putc(row->out, ')');
	return keyed;
}

/* Each one of them, or a union. */
static void put_split(struct generator *g)
{
	struct generator row = *g;
	bool keyed = false;

	row.parts = 1 + below(&g->choices, PARTS_SPLIT);
	for (int i = 0; i < row.parts; i++) {
		bool both = !below(&g->choices, 4);

		buf_printf(g->out, i ? ", s%d = " : " | split s%d = ", i);
		buf_puts(g->out, both ? "(" : "");
		keyed = put_part_of(g) || keyed;
		if (both) {
			buf_puts(g->out, ", ");
			keyed = put_part_of(g) || keyed;
			buf_putc(g->out, ')');
		}
	}
	row.overlap = keyed && row.parts > 1;
	row.choices = g->choices;
	*g = row;
}

static void put_source(struct generator *g)
{
	int kind = g->splits ? 4 : below(&g->choices, 8);

	if (kind > 3) {
		if (kind < 6)
			view_period(g, put_period(g));
		else
			put_defined(g);
		return;
	}
	buf_puts(g->out, g->dialect->kinds[kind == 2]);
	if (kind == 3)
		buf_printf(g->out, ", %s", g->dialect->kinds[KIND_W]);
	g->period = false;
	g->n_views = 0;
	view(g, "", kind == 2 ? KIND_W : KIND_V);
}

/* One of the tables that are joined, with the same key as the others. */
static void put_part(struct generator *g, char letter, int key)
{
	int kind = below(&g->choices, KINDS), first = g->n_columns;

	buf_printf(g->out, "%c = (%s", letter, g->dialect->kinds[kind]);
	g->lets = 0;
	g->inside = NULL;
	g->parts = 0;
	g->period = false;
	g->n_views = 0;
	view(g, "", kind);
	if (below(&g->choices, 3)) {
		buf_puts(g->out, " | where ");
		put_expr(g, g->deep, false);
	}
	for (int i = 0; i < 2; i++) {
		buf_puts(g->out, i ? ", " : " | ");
		put_aggregation(g, i);
	}
	buf_puts(g->out, " by k0 = ");
	if (key)
		put_field(g, "", key == 1 ? 3 : 4, 0);
	else
		buf_puts(g->out, "cpu");
	buf_puts(g->out, key == 1 ? " % 3)" : ")");
	for (; first < g->n_columns; first++) {
		struct put_column *c = &g->columns[first];

		memmove(c->name + 2, c->name, sizeof(c->name) - 2);
		c->name[0] = letter;
		c->name[1] = '.';
	}
}

static void put_join(struct generator *g)
{
	int key = below(&g->choices, 3);

	g->n_columns = 0;
	buf_puts(g->out, "table ");
	put_part(g, 'x', key);
	buf_puts(g->out, ", ");
	put_part(g, 'y', key);
	add_column(g, 'k', 0, key == 2 ? SHAPE_TEXT : SHAPE_NUMBER);
	put_stages(g);
}

/* A term of a parameter that is not given does not apply. */
static void put_optional(struct generator *g)
{
	if (below(&g->choices, 3) || (g->in_place && !g->params[PARAM_Q].given))
		return;
	buf_puts(g->out, " && cpu <= ");
	put_param(g, PARAM_Q);
}

/* Some of the rows. */
static void put_some(struct generator *g)
{
	int n = 1 + below(&g->choices, 5), kind = below(&g->choices, 12);

	if (kind == 0 && !g->over && !g->dialect->live)
		buf_printf(g->out, " | first %d", 4 * n);
	else if (kind < 3)
		buf_printf(g->out, " | sample %d", n);
	if (kind == 1) {
		buf_puts(g->out, " by ");
		put_expr(g, 1, true);
	}
}

static void put_sink(struct generator *g)
{
	int kind = below(&g->choices, 10);

	if (g->period && !g->keyed && !g->open && !g->over && !g->tree && !below(&g->choices, 4)) {
		buf_puts(g->out, " | tree");
		g->tree = true;
		return;
	}
	if (g->open)
		buf_printf(g->out, kind < 4 ? " | open" : " | open older %ds", kind);
	if (kind < 5 || g->over) {
		put_aggregations(g);
		put_stages(g);
		return;
	}
	buf_puts(g->out, " |");
	if (kind == 5) {
		buf_printf(g->out, " worst %d by ", 1 + below(&g->choices, 5));
		put_expr(g, 1, true);
	}
	put_columns(g);
	if (kind == 5 || g->open)
		put_every(g);
	else if (kind == 6 && !g->dialect->live)
		buf_puts(g->out, " limit 1/s");
}

static void put_query(struct generator *g)
{
	int lets = below(&g->choices, 3);

	if (!below(&g->choices, 8)) {
		put_join(g);
		return;
	}
	g->lets = 0;
	g->inside = NULL;
	g->over = false;
	g->parts = 0;
	g->splits = !g->dialect->live && !below(&g->choices, 6);
	put_source(g);
	g->open = g->period && !g->splits && !below(&g->choices, 4);
	if (g->open)			/* nothing is known of its end */
		g->views[1] = g->views[--g->n_views];
	else if (g->splits || (g->period && !below(&g->choices, 4)))
		put_split(g);
	g->splits = false;
	for (int n = below(&g->choices, 3) * below(&g->choices, 2); n; n--)
		put_in(g);
	for (; g->lets < lets; g->lets++) {
		buf_printf(g->out, " | let l%d = ", g->lets);
		if (!below(&g->choices, 4))	/* what is known where it is used again */
			put_literal(g);
		else if (!below(&g->choices, 3))
			buf_puts(g->out, "0");
		else
			put_expr(g, below(&g->choices, g->deep), true);
	}
	if (!below(&g->choices, 2)) {
		buf_puts(g->out, " | where ");
		put_expr(g, g->deep, false);
		put_optional(g);
	}
	if (!g->open)
		put_some(g);
	put_sink(g);
}

static void put_program(struct generator *g)
{
	int queries = 1 + below(&g->choices, QUERIES_MOST);

	g->deep = 1 + below(&g->choices, 3);
	put_params(g);
	put_definitions(g);
	for (int i = 0; i < queries; i++) {
		buf_puts(g->out, i ? "; " : "");
		put_query(g);
	}
}

#endif
