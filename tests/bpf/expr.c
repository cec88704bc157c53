/*
 * Expressions: made trees are generated, run by the interpreter with every access
 * checked, and compared with C's own arithmetic; globs with str_glob.
 */
#include <limits.h>

#include "replay/replay.h"
#include "test.h"

#define COLUMNS_MOST 8
#define FIELDS 6			/* words 0-3, 3 an address; 4 never there; 5 a string */

static struct arena arena;
static struct cat_field fields[FIELDS];
static struct cat_event event = { .kind = CAT_TRACEPOINT, .system = "t", .name = "e" };

static const struct type type_text = { .kind = TY_STRING, .bytes = 64 };

/* ---- a plan that prints expressions ---- */

struct fixture {
	struct plan plan;
	struct p_event ev;
	struct p_query query;
	struct p_branch branch;
	struct px *columns[COLUMNS_MOST];
	struct diag diag;
	struct plan_options options;
	struct bpf_image *image;
	struct replay *replay;
	struct cell cells[COLUMNS_MOST];
	int rows;
};

static bool on_row(void *self, const struct img_record *rec, uint32_t bytes)
{
	struct fixture *f = self;

	CHECK_EQ(bytes, f->image->rows.v[0].bytes);
	record_cells(&arena, &f->image->rows.v[0], rec, f->cells);
	f->rows++;
	return true;
}

static struct fixture *fixture_new(void)
{
	struct fixture *f = arena_new(&arena, struct fixture);

	for (int i = 0; i < FIELDS; i++)
		fields[i] = (struct cat_field){ .name = "f", .loc = LOC_RECORD, .index = (uint8_t)i,
						.type = i < 2 ? type_int : type_uint };
	fields[3].type.kind = TY_PTR;
	fields[5].type = type_text;
	f->plan.arena = &arena;
	f->diag.arena = &arena;
	f->options.cpus_possible = 1;
	f->query.sink = SINK_PRINT;
	f->query.columns = arena_array(&arena, struct column, COLUMNS_MOST);
	f->query.c_lost = f->query.c_kept_back = f->query.c_dropped = -1;
	f->query.c_cut = f->query.c_absent = f->query.c_div_zero = 0;
	*vec_add(&arena, &f->plan.counters) = (struct p_counter){ LOSS_DIV_ZERO, .what = "x" };
	f->branch.query = &f->query;
	f->branch.columns = f->columns;
	f->ev = (struct p_event){ .attach = ATTACH_RECORD, .cat = &event, .name = "t:e" };
	vec_push(&arena, &f->query.branches, &f->branch);
	vec_push(&arena, &f->plan.queries, &f->query);
	vec_push(&arena, &f->plan.events, &f->ev);
	return f;
}

static void add_column(struct fixture *f, struct px *e)
{
	f->query.columns[f->query.n_columns] = (struct column){ .name = "c", .type = e->type };
	f->columns[f->query.n_columns++] = e;
}

static bool generate(struct fixture *f)
{
	struct p_action *act = vec_add(&arena, &f->ev.actions);

	act->kind = ACT_ROW;
	vec_push(&arena, &act->branches, &f->branch);
	plan_layout(&f->plan);
	f->image = image_build(&arena, &f->diag, &f->plan, &f->options);
	return f->image != NULL;
}

/* What was generated is opened once: the ring of each is large. */
static void start(struct fixture *f)
{
	struct replay_options o = { .checked = true };
	struct record_source none = { .self = NULL };
	struct err e = { .arena = &arena };

	f->replay = replay_open(&e, &f->plan, f->image, &o, &none);
	REQUIRE(f->replay);
	replay_executor(f->replay)->sink = f;
	replay_executor(f->replay)->row = on_row;
}

static void done(struct fixture *f)
{
	replay_close(f->replay);
	arena_fini(&arena);
}

/* Runs over one event; the columns are in f->cells. */
static bool run(struct fixture *f, const int64_t words[4], const char *text)
{
	struct err e = { .arena = &arena };
	struct record rec = { .time_ns = 1000, .event = &event, .valid = 0xf };
	int code;

	if (!f->replay)
		start(f);
	memcpy(rec.words, words, 4 * sizeof(*words));
	if (text) {
		rec.words[5] = (uint64_t)(uintptr_t)text;
		rec.valid |= RECORD_BIT(5);
		rec.strings = RECORD_BIT(5);
	}
	f->rows = 0;
	code = replay_event(f->replay, &rec, &e);
	if (code < 0)
		printf("# %s\n", e.causes.n ? e.causes.v[0] : "fault");
	return code >= 0 && f->rows == 1;
}

/* ---- trees ---- */

static struct px *node(int op, const struct type *t, int n, struct px *a, struct px *b,
		       struct px *c)
{
	struct px *e = arena_new(&arena, struct px);

	e->op = (uint8_t)op;
	e->type = *t;
	e->n_kids = n;
	e->kids = arena_array(&arena, struct px *, 3);
	e->kids[0] = a;
	e->kids[1] = b;
	e->kids[2] = c;
	for (int i = 0; i < n; i++)
		e->may_none |= e->kids[i]->may_none;
	return e;
}

static struct px *field(int i)
{
	struct px *e = node(PX_FIELD, &fields[i].type, 0, NULL, NULL, NULL);

	e->field = &fields[i];
	e->may_none = i >= 4;
	return e;
}

static struct px *number(int64_t v)
{
	struct px *e = node(PX_NUMBER, &type_int, 0, NULL, NULL, NULL);

	e->number = v;
	return e;
}

static struct px *text(const char *s)
{
	struct type t = { .kind = TY_STRING, .bytes = (uint32_t)strlen(s) + 1 };
	struct px *e = node(PX_TEXT, &t, 0, NULL, NULL, NULL);

	e->text = str_of(s);
	return e;
}

static struct px *binary(int op, struct px *a, struct px *b)
{
	bool compare = op == OP_EQ || op == OP_NE || (op >= OP_LT && op <= OP_GE) ||
		       op == OP_AND || op == OP_OR;
	struct px *e = node(PX_BINARY, compare ? &type_bool : &type_int, 2, a, b, NULL);

	e->c_op = (uint8_t)op;
	if (compare)
		e->may_none = false;
	else
		e->type.is_signed = a->type.is_signed && b->type.is_signed;
	return e;
}

static uint64_t seed = 0x1234567;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static int64_t interesting(void)
{
	static const int64_t values[] = { 0, 1, -1, 2, 7, 63, 64, 255, -128, INT32_MAX, INT32_MIN,
		(int64_t)UINT32_MAX, 1ll << 40, INT64_MAX, INT64_MIN, INT64_MIN + 1, 1000000007 };

	return rnd(3) ? values[rnd(sizeof(values) / sizeof(*values))]
		      : (int64_t)((uint64_t)rnd(1u << 30) << rnd(34));
}

static struct px *tree(int depth)
{
	static const uint8_t ops[] = { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_SHL, OP_SHR,
		OP_BAND, OP_BOR, OP_XOR, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_AND, OP_OR };
	struct px *e;

	if (!depth || !rnd(6))
		return rnd(3) ? field((int)rnd(4)) : number(interesting());
	switch (rnd(8)) {
	case 0:
		e = node(PX_COND, &type_int, 3, tree(depth - 1), tree(depth - 1), tree(depth - 1));
		e->type.is_signed = e->kids[1]->type.is_signed && e->kids[2]->type.is_signed;
		return e;
	case 1:
		e = node(PX_NARROW, &type_int, 1, tree(depth - 1), NULL, NULL);
		e->type.size = (uint8_t)(1u << rnd(4));
		e->type.is_signed = rnd(2);
		return e;
	case 2:
		e = node(PX_UNARY, &type_int, 1, tree(depth - 1), NULL, NULL);
		e->c_op = rnd(2) ? OP_NEG : rnd(2) ? OP_INV : OP_NOT;
		e->type.is_signed = e->c_op == OP_NOT || e->kids[0]->type.is_signed;
		return e;
	default:
		return binary(ops[rnd(sizeof(ops))], tree(depth - 1), tree(depth - 1));
	}
}

/* ---- the same in C ---- */

static const int64_t *values_now;

static int64_t eval(const struct px *e);

static bool may_be_negative(const struct px *e)
{
	return e->op == PX_NUMBER ? e->number < 0 : e->type.is_signed;
}

/* An unsigned value of 64 bits has no room for a sign beside it. */
static bool has_room(const struct px *e)
{
	return e->op == PX_NUMBER || e->type.is_signed || e->type.size < 8;
}

static bool both_signed(const struct px *a, const struct px *b)
{
	return (may_be_negative(a) || may_be_negative(b)) && has_room(a) && has_room(b);
}

static int64_t divide(int64_t a, int64_t b, bool is_signed, bool rest)
{
	if (!b)
		return 0;
	if (!is_signed)
		return (int64_t)(rest ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
	if (b == -1)
		return rest ? 0 : (int64_t)(0 - (uint64_t)a);
	return rest ? a % b : a / b;
}

static int64_t eval_binary(const struct px *e)
{
	int64_t a = eval(e->kids[0]), b;
	uint64_t ua = (uint64_t)a, ub;
	bool s = both_signed(e->kids[0], e->kids[1]);

	if (e->c_op == OP_AND)
		return a && eval(e->kids[1]);
	if (e->c_op == OP_OR)
		return a || eval(e->kids[1]);
	b = eval(e->kids[1]);
	ub = (uint64_t)b;
	switch (e->c_op) {
	case OP_ADD: return (int64_t)(ua + ub);
	case OP_SUB: return (int64_t)(ua - ub);
	case OP_MUL: return (int64_t)(ua * ub);
	case OP_DIV: return divide(a, b, e->type.is_signed, false);
	case OP_MOD: return divide(a, b, e->type.is_signed, true);
	case OP_SHL: return (int64_t)(ua << (ub & 63));
	case OP_SHR: return e->type.is_signed ? a >> (ub & 63) : (int64_t)(ua >> (ub & 63));
	case OP_BAND: return a & b;
	case OP_BOR: return a | b;
	case OP_XOR: return a ^ b;
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	case OP_LT: return s ? a < b : ua < ub;
	case OP_LE: return s ? a <= b : ua <= ub;
	case OP_GT: return s ? a > b : ua > ub;
	default: return s ? a >= b : ua >= ub;
	}
}

static int64_t eval(const struct px *e)
{
	int64_t v;

	switch (e->op) {
	case PX_NUMBER:
		return e->number;
	case PX_FIELD:
		return values_now[e->field->index];
	case PX_COND:
		return eval(e->kids[0]) ? eval(e->kids[1]) : eval(e->kids[2]);
	case PX_NARROW:
		v = eval(e->kids[0]);
		switch (e->type.size) {
		case 1: return e->type.is_signed ? (int8_t)v : (uint8_t)v;
		case 2: return e->type.is_signed ? (int16_t)v : (uint16_t)v;
		case 4: return e->type.is_signed ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
		default: return v;
		}
	case PX_UNARY:
		v = eval(e->kids[0]);
		return e->c_op == OP_NEG ? (int64_t)(0 - (uint64_t)v) : e->c_op == OP_INV ? ~v : !v;
	default:
		return eval_binary(e);
	}
}

TEST(expr_random_trees)
{
	for (int round = 0; round < 300; round++) {
		struct fixture *f = fixture_new();

		for (int i = 0; i < 4; i++)
			add_column(f, tree(4));
		REQUIRE(generate(f));
		for (int k = 0; k < 8; k++) {
			int64_t words[4];

			for (int i = 0; i < 4; i++)
				words[i] = interesting();
			REQUIRE(run(f, words, NULL));
			values_now = words;
			for (int i = 0; i < 4; i++)
				CHECK_EQ(f->cells[i].i, eval(f->columns[i]));
		}
		done(f);
	}
}

/* Lists long enough to be halved, with their neighbours. */
TEST(expr_number_lists)
{
	for (int n = 1; n < 100; n += 7) {
		struct fixture *f = fixture_new();
		struct px *in = node(PX_IN, &type_bool, 0, NULL, NULL, NULL);

		in->n_kids = n + 1;
		in->kids = arena_array(&arena, struct px *, n + 1);
		in->kids[0] = field(0);
		for (int i = 1; i <= n; i++)
			in->kids[i] = number(interesting());
		add_column(f, in);
		REQUIRE(generate(f));
		for (int k = 0; k < 60; k++) {
			int64_t words[4] = { 0 };
			bool there = false;

			words[0] = (int64_t)((uint64_t)in->kids[1 + rnd((uint32_t)n)]->number +
					     rnd(3) - 1);
			for (int i = 1; i <= n; i++)
				there |= in->kids[i]->number == words[0];
			REQUIRE(run(f, words, NULL));
			CHECK_EQ(f->cells[0].i, there);
		}
		done(f);
	}
}

/* Names that match a pattern are the same number many times: it is compared once. */
TEST(expr_list_with_the_same_number_again)
{
	int insns[2];

	for (int again = 0; again < 2; again++) {
		struct fixture *f = fixture_new();
		struct px *in = node(PX_IN, &type_bool, 0, NULL, NULL, NULL);
		int n = 100, times = again ? 50 : 1;

		in->kids = arena_array(&arena, struct px *, n * times + 1);
		in->kids[in->n_kids++] = field(0);
		for (int i = 0; i < n * times; i++)
			in->kids[in->n_kids++] = number(i % n * 3);
		add_column(f, in);
		REQUIRE(generate(f));
		insns[again] = f->image->progs.v[0].n_insns;
		for (int64_t i = 0; i < 310; i++) {
			REQUIRE(run(f, (int64_t[4]){ i }, NULL));
			CHECK_EQ(f->cells[0].i, i % 3 == 0 && i < 300);
		}
		done(f);
	}
	CHECK_EQ(insns[1], insns[0]);
}

/* ---- none ---- */

TEST(expr_none)
{
	static const int64_t words[4] = { 1, 2, 3, 4 };
	struct fixture *f = fixture_new();
	struct px *not = node(PX_UNARY, &type_bool, 1, binary(OP_EQ, field(4), number(0)), NULL, NULL);
	struct px *either = node(PX_ELSE, &type_uint, 2, field(4), field(0), NULL);

	not->c_op = OP_NOT;
	either->may_none = false;
	add_column(f, field(4));
	add_column(f, binary(OP_ADD, field(0), field(4)));
	add_column(f, binary(OP_NE, field(4), number(5)));
	add_column(f, not);
	add_column(f, either);
	add_column(f, binary(OP_OR, binary(OP_EQ, field(4), field(4)), number(1)));
	REQUIRE(generate(f));
	REQUIRE(run(f, words, NULL));
	CHECK_EQ(f->cells[0].kind, CELL_NONE);
	CHECK_EQ(f->cells[1].kind, CELL_NONE);
	CHECK_EQ(f->cells[2].i, 0);		/* every comparison with none is false */
	CHECK_EQ(f->cells[3].i, 1);
	CHECK_EQ(f->cells[4].i, 1);
	CHECK_EQ(f->cells[5].i, 1);
	done(f);
}

/* ---- pointers that the verifier knows ---- */

static struct px *behind(int op, const struct type *t, struct px *base)
{
	struct px *e = node(op, t, 1, base, NULL, NULL);

	e->offset = 8;
	e->direct = true;
	return e;
}

/* A checked run refuses to read there. */
TEST(expr_behind_null_is_zero)
{
	static const int64_t words[4] = { 0 };
	struct fixture *f = fixture_new();
	struct px *where = behind(PX_ADDR, &fields[3].type, field(3));

	add_column(f, behind(PX_LOAD, &type_uint, field(3)));
	add_column(f, behind(PX_LOAD, &type_uint, where));
	add_column(f, binary(OP_EQ, where, number(0)));
	REQUIRE(generate(f));
	REQUIRE(run(f, words, NULL));
	CHECK(f->cells[0].i == 0 && f->cells[1].i == 0 && f->cells[2].i == 1);
	done(f);
}

/* ---- strings ---- */

TEST(expr_strings)
{
	static const int64_t words[4] = { 0 };
	static const char *const texts[] = { "", "a", "getppid", "getppi", "getppidx",
		"12345678", "1234567", "123456789", "\x01", "a longer one that needs several words" };
	static const char *const constants[] = { "", "getppid", "12345678", "1234567",
		"a longer one that needs several words" };

	for (size_t c = 0; c < sizeof(constants) / sizeof(*constants); c++) {
		struct fixture *f = fixture_new();
		struct px *in = node(PX_IN, &type_bool, 3, field(5), text("none of them"),
				     text(constants[c]));
		struct px *first = node(PX_IN, &type_bool, 3, field(5), text(constants[c]), text("none"));
		struct px *after_none = node(PX_IN, &type_bool, 3, field(5), node(PX_NONE, &type_text, 0, NULL, NULL, NULL),
					     text(constants[c]));

		in->may_none = first->may_none = after_none->may_none = false;
		add_column(f, binary(OP_EQ, field(5), text(constants[c])));
		add_column(f, binary(OP_NE, text(constants[c]), field(5)));
		add_column(f, in);
		add_column(f, binary(OP_EQ, field(5), field(5)));
		add_column(f, first);
		add_column(f, after_none);
		REQUIRE(generate(f));
		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
			bool same = !strcmp(texts[i], constants[c]);

			REQUIRE(run(f, words, texts[i]));
			CHECK_EQ(f->cells[0].i, same);
			CHECK_EQ(f->cells[1].i, !same);
			CHECK_EQ(f->cells[2].i, same);
			CHECK_EQ(f->cells[3].i, 1);
			CHECK_EQ(f->cells[4].i, same);
			CHECK_EQ(f->cells[5].i, same);
		}
		REQUIRE(run(f, words, NULL));	/* none */
		for (int i = 0; i < 6; i++)
			CHECK_EQ(f->cells[i].i, 0);
		done(f);
	}
}

static const char *random_text(const char *letters, int most)
{
	int n = (int)rnd((uint32_t)most + 1);
	char *s = arena_alloc(&arena, (size_t)n + 1);

	for (int i = 0; i < n; i++)
		s[i] = letters[rnd((uint32_t)strlen(letters))];
	return s;
}

static const char *random_glob(void)
{
	static const char *const pieces[] = { "a", "b", "c", "*", "?", "[", "]", "-", "!", "\\", "[a-b]", "[b-ca", "[!a-b]" };
	const char *glob = "";

	for (int i = (int)rnd(7); i > 0; i--)
		glob = arena_printf(&arena, "%s%s", glob, pieces[rnd(sizeof(pieces) / sizeof(*pieces))]);
	return glob;
}

TEST(expr_globs)
{
	static const int64_t words[4] = { 0 };

	for (int round = 0; round < 300; round++) {
		struct fixture *f = fixture_new();
		struct px *match[4];

		for (int i = 0; i < 4; i++) {
			match[i] = node(PX_MATCH, &type_bool, 1, field(5), NULL, NULL);
			match[i]->text = str_of(random_glob());
			add_column(f, match[i]);
		}
		REQUIRE(generate(f));
		for (int k = 0; k < 10; k++) {
			const char *s = random_text("aaabbc*[]", 8);

			REQUIRE(run(f, words, s));
			for (int i = 0; i < 4; i++)
				if (f->cells[i].i != str_glob(match[i]->text, str_of(s)))
					TEST_FAIL("'%s' ~ '%.*s' is %lld", s,
						  STR_ARG(match[i]->text),
						  (long long)f->cells[i].i);
		}
		done(f);
	}
}

/* ---- limits are mistakes of the query, not faults ---- */

TEST(expr_too_deep_for_the_frame)
{
	struct fixture *f = fixture_new();
	struct px *e = field(0);

	for (int i = 0; i < 100; i++)
		e = binary(OP_ADD, field(1), e);
	add_column(f, e);
	CHECK(!generate(f));
	REQUIRE(f->diag.items.n > 0);
	CHECK_STR(f->diag.items.v[0].tag, "limit-reached");
	arena_fini(&arena);
}

TEST(expr_glob_too_long)
{
	struct fixture *f = fixture_new();
	struct px *e = node(PX_MATCH, &type_bool, 1, field(5), NULL, NULL);

	e->text = str_of("0123456789012345678901234567890123456789012345678901234567890123");
	add_column(f, e);
	CHECK(!generate(f));
	REQUIRE(f->diag.items.n > 0);
	CHECK_STR(f->diag.items.v[0].tag, "glob-too-long");
	arena_fini(&arena);
}

/* What an expression takes of the frame and of scratch is free for the next. */
TEST(expr_gives_back_what_it_took)
{
	static const int64_t words[4] = { 3, 5, 7, 11 };
	struct fixture *f = fixture_new();
	struct px *sum = number(0), *either = number(0), *named = number(0);

	for (int i = 0; i < 100; i++) {
		sum = binary(OP_ADD, sum, binary(OP_MUL, field(0), field(1)));
		either = binary(OP_OR, either, binary(OP_EQ, field(2), binary(OP_ADD, field(3), number(i - 50))));
		named = binary(OP_OR, named, binary(OP_EQ, field(5), text(random_text("abcdefgh", 40))));
	}
	add_column(f, sum);
	add_column(f, either);
	add_column(f, binary(OP_OR, named, binary(OP_EQ, field(5), text("here"))));
	REQUIRE(generate(f));
	REQUIRE(run(f, words, "here"));
	CHECK_EQ(f->cells[0].i, 1500);
	CHECK_EQ(f->cells[1].i, 1);
	CHECK_EQ(f->cells[2].i, 1);
	done(f);
}
