/*
 * test: timeout=300
 *
 * A third executor: random queries over random made events, run as programs and compared with
 * what their checked expressions (struct px) give when they are evaluated here, straight from
 * the plan. It shares no arithmetic with src/bpf and src/table/op.c.
 *
 * What fails prints its seed and query: SEED=n repeats this one alone.
 */
#include <inttypes.h>

#include "compile.h"
#include "func/rules.h"
#include "replay/made.h"
#include "replay/replay.h"
#include "run.h"
#include "test.h"

#define QUICK_PROGRAMS 100
#define ALL_PROGRAMS 2500
#define EVENTS 60
#define COLUMNS 3
#define QUERIES_MOST 3
#define DEEP 3

extern const struct func_ops func_min, func_max, func_abs;

/* ---- random numbers: the same from the same seed ---- */

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int below(uint64_t *state, int n)
{
	return (int)(draw(state) % (uint64_t)n);
}

/* ---- values ---- */

struct value {
	bool none;
	uint64_t bits;
};

struct row {
	struct value fields[4];
};

static const struct value no_value = { true, 0 };

static const struct {
	const char *name;
	int bits;
	bool is_signed;
} fields[] = { { "fa", 64, true }, { "fb", 64, false }, { "fc", 32, true }, { "fd", 8, false } };

static struct value number(uint64_t bits)
{
	return (struct value){ false, bits };
}

static uint64_t cut(uint64_t x, int bits, bool is_signed)
{
	uint64_t top = 1ull << (bits - 1), mask = top | (top - 1);

	x &= mask;
	return is_signed && (x & top) ? x | ~mask : x;
}

/* Numbers at borders more often than others. */
static uint64_t draw_number(uint64_t *s)
{
	static const uint64_t borders[] = { 0, 0, 1, 2, UINT64_MAX, INT64_MAX, 1ull << 63,
					    UINT32_MAX, INT32_MAX, 1ull << 31, 1ull << 32, 255 };
	int kind = below(s, 5);

	if (kind == 4)
		return 0;
	if (kind == 0)
		return borders[below(s, 12)];
	if (kind == 1)
		return 1ull << below(s, 64);
	return kind == 2 ? draw(s) : (uint64_t)(below(s, 20) - 6);
}

/* ---- a query as text ---- */

struct generator {
	uint64_t state;
	int lets;
	struct buf *out;
};

static void put_expr(struct generator *g, int deep, bool wants_number);

static void put_literal(struct generator *g)
{
	uint64_t n = draw_number(&g->state) & INT64_MAX;

	buf_printf(g->out, below(&g->state, 3) ? "%" PRIu64 : "(-%" PRIu64 ")", n);
}

static void put_leaf(struct generator *g)
{
	int kind = below(&g->state, 6);

	if (kind < 2)
		buf_puts(g->out, fields[below(&g->state, 4)].name);
	else if (kind < 5 && g->lets)
		buf_printf(g->out, "l%d", below(&g->state, g->lets));
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
	int op = below(&g->state, 18);
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
	static const char *const begins[] = { "(-", "(~", "abs(", "min(", "max(" };
	int kind = below(&g->state, 5);

	buf_puts(g->out, begins[kind]);
	put_expr(g, deep - 1, true);
	if (kind > 2) {
		buf_puts(g->out, ", ");
		put_expr(g, deep - 1, true);
	}
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

static void put_special(struct generator *g, int deep, bool wants_number)
{
	static const char *const casts[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64" };
	int kind = below(&g->state, 3);

	buf_puts(g->out, kind == 0 ? "(!" : kind == 1 ? "((" : "(");
	put_expr(g, deep - 1, kind > 0);
	if (kind == 1)
		buf_puts(g->out, " in (0, 1, 5, 255))");
	if (kind < 2)
		end_condition(g, wants_number);
	else
		buf_printf(g->out, " as %s)", casts[below(&g->state, 8)]);
}

static void put_expr(struct generator *g, int deep, bool wants_number)
{
	int kind = below(&g->state, 8);

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

static void put_query(struct generator *g)
{
	int lets = below(&g->state, 3);

	g->lets = 0;
	buf_puts(g->out, "n:v");
	for (; g->lets < lets; g->lets++) {
		buf_printf(g->out, " | let l%d = ", g->lets);
		if (below(&g->state, 2))	/* what is known where it is used again */
			put_literal(g);
		else
			put_expr(g, below(&g->state, DEEP), true);
	}
	if (!below(&g->state, 2)) {
		buf_puts(g->out, " | where ");
		put_expr(g, DEEP, false);
	}
	for (int i = 0; i < COLUMNS; i++) {
		buf_printf(g->out, "%s c%d = ", i ? "," : " | print", i);
		put_expr(g, DEEP, false);
	}
}

/* ---- events ---- */

static void put_events(struct generator *g, struct row *rows)
{
	buf_puts(g->out, "event n:v fa:s64 fb:u64 fc:s32 fd:u8\n");
	for (int i = 0; i < EVENTS; i++) {
		buf_printf(g->out, "%d tid=1 n:v", i + 1);
		for (int f = 0; f < 4; f++) {
			uint64_t n = cut(draw_number(&g->state), fields[f].bits, fields[f].is_signed);

			rows[i].fields[f] = below(&g->state, 8) ? number(n) : no_value;
			if (!rows[i].fields[f].none)
				buf_printf(g->out, fields[f].is_signed ? " %s=%" PRId64 : " %s=%" PRIu64,
					   fields[f].name, n);
		}
		buf_putc(g->out, '\n');
	}
}

/* ---- the evaluation ---- */

struct eval {
	const struct row *row;
	struct value lets[4];
	const char *unknown;		/* what this executor does not know */
};

static struct value eval(struct eval *v, const struct px *e);

static bool is_true(struct value v)
{
	return !v.none && v.bits;
}

/* Two's complement, by hand: a number is negative by its top bit. */
static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
	uint64_t flip = is_signed ? 1ull << 63 : 0;

	return (a ^ flip) < (b ^ flip);
}

static uint64_t size_of(uint64_t x)
{
	return x >> 63 ? ~x + 1 : x;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool rest)
{
	uint64_t n;

	if (!b)
		return 0;
	if (!is_signed)
		return rest ? a % b : a / b;
	n = rest ? size_of(a) % size_of(b) : size_of(a) / size_of(b);
	return (rest ? a : a ^ b) >> 63 ? ~n + 1 : n;
}

static uint64_t shift_right(uint64_t a, unsigned by, bool is_signed)
{
	for (by &= 63; by; by--)
		a = a >> 1 | (is_signed ? a & 1ull << 63 : 0);
	return a;
}

static uint64_t arithmetic(struct eval *v, int op, uint64_t a, uint64_t b, bool is_signed)
{
	switch (op) {
	case OP_BOR: return a | b;
	case OP_XOR: return a ^ b;
	case OP_BAND: return a & b;
	case OP_SHL: return a << (b % 64);
	case OP_SHR: return shift_right(a, (unsigned)(b % 64), is_signed);
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_DIV: return divide(a, b, is_signed, false);
	case OP_MOD: return divide(a, b, is_signed, true);
	}
	v->unknown = "an operator";
	return 0;
}

static bool compare(int op, uint64_t a, uint64_t b, bool is_signed)
{
	switch (op) {
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	case OP_LT: return is_less(a, b, is_signed);
	case OP_LE: return !is_less(b, a, is_signed);
	case OP_GT: return is_less(b, a, is_signed);
	default: return !is_less(a, b, is_signed);
	}
}

/* Only beside an unsigned value of 64 bits, which has no room for one, there is no sign. */
static bool has_no_room(const struct px *e)
{
	return e->op != PX_NUMBER && !e->type.is_signed && e->type.size == 8;
}

static bool may_be_negative(const struct px *e)
{
	return e->op == PX_NUMBER ? e->number < 0 : e->type.is_signed;
}

static bool are_signed(const struct px *a, const struct px *b)
{
	return (may_be_negative(a) || may_be_negative(b)) && !has_no_room(a) && !has_no_room(b);
}

static struct value eval_binary(struct eval *v, const struct px *e)
{
	struct value a = eval(v, e->kids[0]), b = eval(v, e->kids[1]);
	int class = op_table[e->c_op].class;

	if (e->c_op == OP_AND)
		return number(is_true(a) && is_true(b));
	if (e->c_op == OP_OR)
		return number(is_true(a) || is_true(b));
	if (class == CLASS_COMPARE || class == CLASS_EQUAL)
		return number(!a.none && !b.none &&
			      compare(e->c_op, a.bits, b.bits, are_signed(e->kids[0], e->kids[1])));
	if (a.none || b.none)
		return no_value;
	return number(arithmetic(v, e->c_op, a.bits, b.bits, e->type.is_signed));
}

static struct value eval_unary(struct eval *v, const struct px *e)
{
	struct value a = eval(v, e->kids[0]);

	if (e->c_op == OP_NOT)
		return number(!is_true(a));
	return a.none ? a : number(e->c_op == OP_INV ? UINT64_MAX - a.bits : ~a.bits + 1);
}

static struct value eval_in(struct eval *v, const struct px *e)
{
	struct value a = eval(v, e->kids[0]);
	bool found = false;

	for (int i = 1; i < e->n_kids; i++)
		found = found || eval(v, e->kids[i]).bits == a.bits;
	return number(!a.none && found);
}

static struct value eval_call(struct eval *v, const struct px *e)
{
	struct value a = eval(v, e->kids[0]), b = e->n_kids > 1 ? eval(v, e->kids[1]) : a;
	bool less = is_less(a.bits, b.bits, e->type.is_signed);

	if (a.none || b.none)
		return no_value;
	if (e->func == &func_abs)
		return e->kids[0]->type.is_signed ? number(size_of(a.bits)) : a;
	if (e->func != &func_min && e->func != &func_max)
		v->unknown = e->func->name;
	return less == (e->func == &func_min) ? a : b;
}

static struct value eval_field(struct eval *v, const struct px *e)
{
	for (int f = 0; f < 4; f++)
		if (!strcmp(e->field->name, fields[f].name))
			return v->row->fields[f];
	v->unknown = e->field->name;
	return no_value;
}

static struct value eval(struct eval *v, const struct px *e)
{
	struct value a;

	switch (e->op) {
	case PX_NUMBER: return number((uint64_t)e->number);
	case PX_NONE: return no_value;
	case PX_FIELD: return eval_field(v, e);
	case PX_LET: return v->lets[e->index];
	case PX_UNARY: return eval_unary(v, e);
	case PX_BINARY: return eval_binary(v, e);
	case PX_COND: return eval(v, e->kids[is_true(eval(v, e->kids[0])) ? 1 : 2]);
	case PX_IN: return eval_in(v, e);
	case PX_CALL: return eval_call(v, e);
	case PX_NARROW:
		a = eval(v, e->kids[0]);
		return a.none ? a : number(cut(a.bits, 8 * e->type.size, e->type.is_signed));
	}
	v->unknown = "an expression";
	return no_value;
}

/* Does the row pass? Its lets are made on the way. */
static bool passes(struct eval *v, const struct p_branch *b)
{
	for (int i = 0; i < b->steps.n; i++) {
		const struct p_step *s = &b->steps.v[i];

		if (s->kind == STEP_LET)
			v->lets[s->let] = eval(v, s->expr);
		else if (s->kind != STEP_WHERE)
			v->unknown = "a step";
		else if (!is_true(eval(v, s->expr)))
			return false;
	}
	return true;
}

/* ---- both beside each other ---- */

struct trial {
	uint64_t seed;
	const char *how;
	struct arena *arena;
	struct row rows[EVENTS];
	struct buf query, events;
	int next[QUERIES_MOST];		/* of each query: the event whose row comes next */
	uint64_t cells, wrong;
};

static void tell(struct trial *t, const char *what, int event, int column)
{
	t->wrong++;
	if (t->wrong > 1)		/* one is enough of a program */
		return;
	TEST_FAIL("SEED=%" PRIu64 " %s: %s, event %d, column %d of: %.*s\n%.*s", t->seed, t->how,
		  what, event, column, (int)t->query.n, t->query.p, (int)t->events.n, t->events.p);
}

/* The event that makes the query's next row; its evaluation is in v. */
static int next_row(struct trial *t, const struct p_query *q, struct eval *v)
{
	for (int *i = &t->next[q->index]; *i < EVENTS;) {
		*v = (struct eval){ .row = &t->rows[(*i)++] };
		if (passes(v, q->branches.v[0]))
			return *i;
	}
	return 0;
}

static void on_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct trial *t = self;
	struct eval v = { 0 };
	int at = next_row(t, q, &v);

	if (at != (int)(time_ns / 1000000000)) {
		tell(t, "a row that should not be, or one is missing before it", at, 0);
		return;
	}
	for (int i = 0; i < q->n_columns; i++) {
		struct value want = eval(&v, q->branches.v[0]->columns[i]);
		bool none = cells[i].kind == CELL_NONE;

		t->cells++;
		if (v.unknown)
			tell(t, v.unknown, at, i);
		else if (none != want.none || (!none && (uint64_t)cells[i].i != want.bits))
			tell(t, arena_printf(t->arena, "%" PRId64 "%s where it is %" PRId64 "%s",
					     none ? 0 : cells[i].i, none ? " (none)" : "",
					     (int64_t)want.bits, want.none ? " (none)" : ""), at, i);
	}
}

static void run_one(struct trial *t, struct compile *c, const struct made *m, bool checked)
{
	struct err e = { .arena = c->arena };
	struct made_reader reader = { m, 0 };
	struct record_source source = made_source(&reader);
	struct replay_options how = { .checked = checked };
	struct run_options o = { .plan = c->plan, .image = c->image, .checked = checked,
				 .self = t, .row = on_row };
	struct replay *replay = replay_open(&e, c->plan, c->image, &how, &source);
	struct run *r = replay ? run_open(replay_executor(replay), &o, &e) : NULL;
	struct eval v;
	unsigned happened;

	memset(t->next, 0, sizeof(t->next));
	t->how = checked ? "checked" : "native";
	if (!r || run_begin(r) || run_follow(r, &happened) || run_end(r))
		tell(t, e.causes.n ? e.causes.v[0] : "a run that fails", 0, 0);
	for (int i = 0; i < c->plan->queries.n && !t->wrong; i++)
		if (next_row(t, c->plan->queries.v[i], &v))
			tell(t, "a row is missing at the end", t->next[i], 0);
	run_close(r);
	replay_close(replay);
}

/* One program over its events, in both ways to run it. False: it is none of the language. */
static bool try_seed(struct trial *t)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct generator g = { .state = t->seed, .out = &t->query };
	int queries = 1 + below(&g.state, QUERIES_MOST);
	struct catalog catalog;
	struct made *m;
	bool compiled;

	for (int i = 0; i < queries; i++) {
		buf_puts(&t->query, i ? "; " : "");
		put_query(&g);
	}
	g.out = &t->events;
	put_events(&g, t->rows);
	m = made_read(&a, (struct str){ t->events.p, (int)t->events.n }, &e);
	REQUIRE(m);
	t->arena = &a;
	catalog = made_catalog(m);
	struct compile c = { .arena = &a, .diag.arena = &a, .catalog = &catalog,
			     .text = { "query", { t->query.p, (int)t->query.n } },
			     .options = { .has = { .replay = true }, .uid = -1, .cpus_possible = 4 } };
	compiled = !compile_run(&c, 0) && !c.diag.errors && c.image;
	if (compiled) {
		run_one(t, &c, m, true);
		run_one(t, &c, m, false);
	} else if (getenv("SEED")) {
		struct buf text = { 0 };

		diag_print(&c.diag, &text);
		printf("# %.*s\n", (int)text.n, text.p);
		buf_fini(&text);
	}
	arena_fini(&a);
	return compiled;
}

TEST(rows_are_what_their_expressions_say)
{
	const char *seed = getenv("SEED");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : 1, cells = 0, wrong = 0;
	int n = seed ? 1 : test_step(2) == 1 ? ALL_PROGRAMS : QUICK_PROGRAMS, refused = 0;

	for (int i = 0; i < n && !wrong; i++) {
		struct trial t = { .seed = first + (uint64_t)i };

		refused += !try_seed(&t);
		cells += t.cells;
		wrong += t.wrong;
		buf_fini(&t.query);
		buf_fini(&t.events);
	}
	printf("# %" PRIu64 " cells, %d of %d programs refused\n", cells, refused, n);
	CHECK(seed || wrong || refused < n / 4);
}

/* The values that the checker folds constants with, and that tables take of whole numbers. */
TEST(operators_of_whole_numbers)
{
	struct eval v = { 0 };
	uint64_t state = 1;

	for (int i = 0; i < 100000; i++) {
		int op = below(&state, OPS), class = op_table[op].class;
		uint64_t a = draw_number(&state), b = draw_number(&state), want;
		bool is_signed = below(&state, 2);

		if (op_table[op].arity != 2 || class == CLASS_LOGIC || class == CLASS_MATCH)
			continue;
		want = class == CLASS_COMPARE || class == CLASS_EQUAL ? compare(op, a, b, is_signed)
								      : arithmetic(&v, op, a, b, is_signed);
		CHECK_EQ(op_whole(op, (struct op_numbers){ .a = (int64_t)a, .b = (int64_t)b,
							   .is_signed = is_signed }), want);
	}
	CHECK(!v.unknown);
}
