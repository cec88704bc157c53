/*
 * expression: random expressions and rows as text.
 */
#ifndef ORACLE_EXPRESSION_H
#define ORACLE_EXPRESSION_H

#include "oracle/event.h"

#define COLUMNS 3

/* Where fields are found: before their names stands this, and whose they are. */
struct sink {
	const char *prefix;
	uint8_t kind;			/* enum kind */
};

enum shape { SHAPE_NUMBER, SHAPE_TEXT, SHAPE_OTHER, SHAPE_DRAWN };

/* A column of a table, which later stages know by its name. */
struct put_column {
	char name[8];
	uint8_t shape;			/* enum shape */
};

#define TABLE_COLUMNS 10

/* p0 and p1 have defaults, q has none, s is a text. */
enum { PARAM_P0, PARAM_P1, PARAM_Q, PARAM_S, PARAMS };
static const char *const param_names[PARAMS] = { "p0", "p1", "q", "s" };

struct put_param {
	bool given;			/* by an option */
	char value[64];			/* so, or by default */
};

/* A period that has a name: what its begin, its via, if it has one, and its end are of, and which keys it has. */
struct put_definition {
	uint8_t begin, via, end, keys;
};

#define DEFINITIONS 2

struct generator {
	const struct dialect *dialect;
	struct chooser choices;
	bool in_place;			/* the values of parameters are written, not their names */
	struct put_param params[PARAMS];
	int deep;			/* at most so many operations in each other: 1 to 3 */
	int lets;
	struct put_column columns[TABLE_COLUMNS];
	int n_columns;
	struct put_definition definitions[DEFINITIONS];
	struct sink views[6];		/* of what is written now */
	int n_views;
	bool period;			/* there is a duration */
	bool via;			/* there may be a via */
	bool splits;			/* a row or a part of a split is made: most are long, and the thread's */
	int parts;			/* of its split */
	bool overlap;			/* there is one of them */
	const char *inside;		/* the name of another that is open, or NULL */
	bool over;			/* what takes longer is wanted */
	bool open;			/* what has not ended is */
	bool keyed;			/* it may end on another thread */
	bool tree;			/* there is one */
	struct buf *out;
};

/* One of the n fields from `first` on, as the dialect has it. */
static int some_field(struct generator *g, int first, int n, const char **prefix)
{
	const struct sink *v = &g->views[below(&g->choices, g->n_views)];
	int f = first + below(&g->choices, n);

	*prefix = v->prefix;
	return v->kind == KIND_V || fields[f].in_w ? f : first;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* bytes: of the last field; 0: all. */
static void put_field(struct generator *g, const char *prefix, int f, int bytes)
{
	buf_printf(g->out, bytes && f == FIELDS - 1 ? g->dialect->part : g->dialect->fields[f], prefix, bytes);
}

#pragma GCC diagnostic pop

static void put_number_field(struct generator *g)
{
	const char *prefix;
	int f = some_field(g, 0, NUMBERS, &prefix);

	put_field(g, prefix, f, 0);
}

static void put_text_field(struct generator *g, int bytes)
{
	const char *prefix;
	int f = some_field(g, NUMBERS, FIELDS - NUMBERS, &prefix);

	put_field(g, prefix, f, bytes);
}

static void put_expr(struct generator *g, int deep, bool wants_number);

static void put_literal(struct generator *g)
{
	uint64_t n = draw_number(&g->choices) & INT64_MAX;

	buf_printf(g->out, below(&g->choices, 3) ? "%" PRIu64 : "(-%" PRIu64 ")", n);
}

static void draw_param(struct generator *g, int i)
{
	struct put_param *p = &g->params[i];

	if (i == PARAM_S)
		snprintf(p->value, sizeof(p->value), "%s", texts[below(&g->choices, TEXTS)]);
	else
		snprintf(p->value, sizeof(p->value), "%" PRId64, (int64_t)draw_number(&g->choices) >> 1);
}

/* Options decide over defaults. */
static void put_params(struct generator *g)
{
	for (int i = 0; i < PARAMS; i++) {
		const char *quote = i == PARAM_S ? "\"" : "";

		draw_param(g, i);
		if (!g->in_place)
			buf_printf(g->out, "param %s: %s", param_names[i], i == PARAM_S ? "string" : "int");
		if (!g->in_place && i != PARAM_Q)
			buf_printf(g->out, " = %s%s%s", quote, g->params[i].value, quote);
		if (!g->in_place)
			buf_putc(g->out, '\n');
		g->params[i].given = below(&g->choices, 2);
		if (g->params[i].given)
			draw_param(g, i);
	}
}

static void put_param(struct generator *g, int i)
{
	if (!g->in_place)
		buf_printf(g->out, "$%s", param_names[i]);
	else
		buf_printf(g->out, i == PARAM_S ? "\"%s\"" : "(%s)", g->params[i].value);
}

static void put_part_value(struct generator *g)
{
	int kind = below(&g->choices, 5), part = below(&g->choices, g->parts);

	if (kind < 4)
		buf_printf(g->out, kind < 2 ? "(s%d.time / 1s)" : "s%d.count", part);
	else
		buf_puts(g->out, g->overlap && below(&g->choices, 2) ? "(overlap / 1s)" : "(other / 1s)");
}

static void put_leaf(struct generator *g)
{
	static const char *const commons[] = { "cpu", "(tid as s64)", "(tid % 2)" };
	int kind = below(&g->choices, 7);

	if (g->parts && !below(&g->choices, 3))
		put_part_value(g);
	else if (g->inside && !below(&g->choices, 6))
		buf_printf(g->out, below(&g->choices, 2) ? "(%s.duration / 1s)" : "(%s.cpu)", g->inside);
	else if (kind < 2)
		put_number_field(g);
	else if (kind == 6 && g->period)
		buf_puts(g->out, below(&g->choices, 2) ? "(duration / 1s)" :
			 g->via ? "((via.time - begin.time) / 1ns)" : "((time - begin.time) / 1ns)");
	else if (kind == 6)
		buf_puts(g->out, commons[below(&g->choices, g->dialect->live ? 1 : 3)]);
	else if (kind < 5 && g->lets)
		buf_printf(g->out, "l%d", below(&g->choices, g->lets));
	else if (!below(&g->choices, 3))
		put_param(g, below(&g->choices, PARAM_Q));
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

/* A let that is read again when its value is known already, and spilled between: (x * l0) + l0. */
static void put_again(struct generator *g, int deep, bool wants_number)
{
	static const char *const ops[] = { "+", "-", "*", "&", "|", "^", "==", "!=", "<", ">=" };
	int let = below(&g->choices, g->lets), op = below(&g->choices, 10);

	buf_puts(g->out, op < 6 ? "((" : "(((");
	put_expr(g, deep - 1, true);
	buf_printf(g->out, " %s l%d) %s l%d)", ops[below(&g->choices, 6)], let, ops[op], let);
	if (op >= 6)
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
	put_expr(g, g->deep - 1, true);
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
	static const int parts[] = { 0, 8, 5 };
	int bytes = parts[whole ? 0 : below(&g->choices, 3)];
	int kind = below(&g->choices, 5);

	if (kind > 1) {
		put_text_field(g, bytes);
		return;
	}
	buf_puts(g->out, kind ? "coalesce(" : "(");
	if (!kind) {
		put_number_field(g);
		buf_puts(g->out, " > 0 ? ");
	}
	put_text_field(g, bytes);
	buf_puts(g->out, kind ? ", " : " : ");
	put_text_field(g, bytes);
	buf_putc(g->out, ')');
}

static void put_text(struct generator *g)
{
	put_text_of(g, false);
}

/* ... and what can be asked of it. */
static void put_text_test(struct generator *g, bool wants_number)
{
	int kind = below(&g->choices, 5);
	const char *text = texts[below(&g->choices, TEXTS)];

	buf_puts(g->out, "((");
	put_text_of(g, true);
	if (kind == 0)
		buf_printf(g->out, " ~ \"%s\")", globs[below(&g->choices, GLOBS)]);
	else if (kind == 1)
		buf_printf(g->out, " in (\"%s\", \"%s\"))", text, texts[below(&g->choices, TEXTS)]);
	else if (kind < 4)
		buf_printf(g->out, below(&g->choices, 2) ? " == \"%s\")" : " != \"%s\")", text);
	else {
		buf_puts(g->out, " == ");
		put_param(g, PARAM_S);
		buf_putc(g->out, ')');
	}
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
	int kind = below(&g->choices, 10);

	if (deep < 1 || !kind)
		put_leaf(g);
	else if (kind > 7 && g->lets)
		put_again(g, deep, wants_number);
	else if (kind < 4 || kind > 7)
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
		buf_printf(g->out, "%s c%d = ", i ? "," : " print", i);
		switch (below(&g->choices, 6)) {
		case 0: put_text(g); break;
		case 1: put_named(g); break;
		case 2:
			buf_printf(g->out, "ip(%s%s)", g->views[0].prefix, g->dialect->live ? "flags" : "fc");
			break;
		default: put_expr(g, g->deep, false);
		}
	}
}

#endif
