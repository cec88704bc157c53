/*
 * query: a random program of queries as text, and random made events that it is of.
 */
#ifndef ORACLE_QUERY_H
#define ORACLE_QUERY_H

#include <inttypes.h>

#include "base/buf.h"

#define EVENTS 60
#define COLUMNS 3
#define DEEP 3
#define QUERIES_MOST 3

/* ---- choices: the same from the same seed, or bytes that somebody else chose ---- */

struct chooser {
	uint64_t state;
	const uint8_t *bytes;		/* choices are these, then 0; NULL: random ones */
	size_t n_bytes;
};

static uint64_t draw_bytes(struct chooser *c, int n)
{
	uint64_t x = 0;

	for (; n && c->n_bytes; n--, c->n_bytes--)
		x = x << 8 | *c->bytes++;
	return x;
}

static uint64_t draw(struct chooser *c)
{
	uint64_t z;

	if (c->bytes)
		return draw_bytes(c, 8);
	z = c->state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int below(struct chooser *c, int n)
{
	return (int)((c->bytes ? draw_bytes(c, 1) : draw(c)) % (uint64_t)n);
}

/* ---- values ---- */

struct value {
	bool none;
	uint64_t bits;
	struct str text;
};

#define NUMBERS 4			/* fields that are numbers, before the texts */
#define FIELDS 6

struct row {
	struct value fields[FIELDS];
};

static const struct value no_value = { .none = true };

static const struct {
	const char *name;
	int bits;
	bool is_signed;
	const char *type;
} fields[FIELDS] = {
	{ "fa", 64, true, "s64" }, { "fb", 64, false, "u64" }, { "fc", 32, true, "s32" },
	{ "fd", 8, false, "u8" }, { "fs", 0, false, "string" }, { "ft", 0, false, "cstr" },
};

/* Equal up to some byte, at the borders of words and of what a key keeps. */
static const char *const texts[] = {
	"", "a", "b", "ab", "abc", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghi", "abcdefghabcdefg",
	"abcdefghabcdefgh", "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefg",
	"abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh", "[*]", "a*c",
};
#define TEXTS (int)(sizeof(texts) / sizeof(texts[0]))
static const char *const globs[] = {
	"*", "a*", "*h", "*c*", "?", "??c", "[a-b]", "[^a]*", "abcdefgh?", "*gh*g*", "", "a*b*c*i", "\\\\[*",
};
#define GLOBS (int)(sizeof(globs) / sizeof(globs[0]))

static struct value number(uint64_t bits)
{
	return (struct value){ .bits = bits };
}

static uint64_t cut(uint64_t x, int bits, bool is_signed)
{
	uint64_t top = 1ull << (bits - 1), mask = top | (top - 1);

	x &= mask;
	return is_signed && (x & top) ? x | ~mask : x;
}

/* Numbers at borders more often than others. */
static uint64_t draw_number(struct chooser *c)
{
	static const uint64_t borders[] = { 0, 0, 1, 2, UINT64_MAX, INT64_MAX, 1ull << 63,
					    UINT32_MAX, INT32_MAX, 1ull << 31, 1ull << 32, 255 };
	int kind = below(c, 5);

	if (kind == 4)
		return 0;
	if (kind == 0)
		return borders[below(c, 12)];
	if (kind == 1)
		return 1ull << below(c, 64);
	return kind == 2 ? draw(c) : (uint64_t)(below(c, 20) - 6);
}

/* ---- a query as text ---- */

struct generator {
	struct chooser choices;
	int lets;
	struct buf *out;
};

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
	int kind = below(&g->choices, 6);

	if (kind < 2)
		buf_puts(g->out, fields[below(&g->choices, NUMBERS)].name);
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
	static const char *const plain[] = { "fs", "str(ft)", "coalesce(str(ft), fs)", "str(ft, 8)", "str(ft, 5)",
					     "coalesce(fs, str(ft, 9))" };
	int kind = below(&g->choices, whole ? 4 : 7);

	if (kind)
		buf_puts(g->out, plain[kind - 1]);
	else
		buf_printf(g->out, "(%s > 0 ? fs : str(ft))", fields[below(&g->choices, NUMBERS)].name);
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
		case 2: buf_puts(g->out, "ip(fc)"); break;
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

static void put_query(struct generator *g)
{
	int lets = below(&g->choices, 3);

	g->lets = 0;
	buf_puts(g->out, "n:v");
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

/* ---- events ---- */

static void put_number(struct generator *g, struct row *row, int f)
{
	uint64_t n = cut(draw_number(&g->choices), fields[f].bits, fields[f].is_signed);

	row->fields[f] = number(n);
	buf_printf(g->out, fields[f].is_signed ? " %s=%" PRId64 : " %s=%" PRIu64, fields[f].name, n);
}

static void put_events(struct generator *g, struct row *rows)
{
	buf_puts(g->out, "event n:v");
	for (int f = 0; f < FIELDS; f++)
		buf_printf(g->out, " %s:%s", fields[f].name, fields[f].type);
	for (int i = 0; i < EVENTS; i++) {
		buf_printf(g->out, "\n%d cpu=%d tid=1 n:v", i + 1, below(&g->choices, 4));
		for (int f = 0; f < FIELDS; f++) {
			rows[i].fields[f] = no_value;
			if (!below(&g->choices, 8))
				continue;
			if (f < NUMBERS) {
				put_number(g, &rows[i], f);
				continue;
			}
			rows[i].fields[f] = (struct value){ .text = str_of(texts[below(&g->choices, TEXTS)]) };
			buf_printf(g->out, " %s=\"%s\"", fields[f].name, rows[i].fields[f].text.p);
		}
	}
	buf_putc(g->out, '\n');
}

#endif
