/* Aggregations without programs: names, types, merging, results, gathering rows. */
#include <math.h>

#include "test.h"

#include "agg/gather.h"
#include "bpf/image.h"
#include "plan/agg.h"
#include "session/compile.h"

static struct p_agg agg_of(const char *name, struct type arg)
{
	struct p_agg a = { .n_args = 1, .arg = { arg }, .buckets = -1 };

	a.ops = agg_find(&language, str_of(name), &a.number[0]);
	return a;
}

/* Three states of one key merged, then finished: the states of 1, 2 and 3 words that
 * follow each other. */
static struct cell merged(const struct p_agg *a, const uint64_t *states, int n, double seconds)
{
	int words = (int)a->ops->state_bytes(a) / 8;
	uint64_t into[64] = { 0 };
	struct arena arena = { 0 };
	struct cell c;

	for (int i = 0; i < n; i++)
		a->ops->merge(a, into, states + i * words);
	c = a->ops->finish(&arena, a, into, NULL, 0, seconds);
	arena_fini(&arena);
	return c;
}

TEST(names)
{
	double percent = 0;

	CHECK(agg_find(&language, str_of("count"), NULL) && agg_find(&language, str_of("stddev"), NULL));
	CHECK_STR(agg_find(&language, str_of("p99.9"), &percent)->name, "p");
	CHECK(percent == 99.9);
	CHECK(agg_find(&language, str_of("p5"), &percent) && percent == 5);
	CHECK(agg_find(&language, str_of("p100"), &percent));
	CHECK(!agg_find(&language, str_of("p"), &percent));
	CHECK(!agg_find(&language, str_of("p0"), &percent));
	CHECK(!agg_find(&language, str_of("p101"), &percent));
	CHECK(!agg_find(&language, str_of("p9.9.9"), &percent));
	CHECK(!agg_find(&language, str_of("p9."), &percent));
	CHECK(!agg_find(&language, str_of("p.9"), &percent));
	CHECK(!agg_find(&language, str_of("p1e1"), &percent));
	CHECK(!agg_find(&language, str_of("pid"), &percent));
	CHECK(!agg_find(&language, str_of("p1234567890123456789012345"), &percent));
	CHECK(!agg_find(&language, str_of(""), &percent));
}

TEST(rows_of_the_registry)
{
	for (int i = 0; language.aggs[i]; i++) {
		const struct agg_ops *o = language.aggs[i];

		CHECK(o->name && o->help && o->check && o->state_bytes && o->finish);
		CHECK(!o->emit || o->merge);
		CHECK(!o->emit_bucket == !o->n_dense);
		CHECK(o->emit || o->emit_bucket);
		CHECK(o->min_args <= o->max_args && o->max_args <= 4);
		for (int k = 0; k < i; k++)
			CHECK(strcmp(o->name, language.aggs[k]->name));
	}
}

static bool checked(const char *name, struct type arg, struct type *result)
{
	struct arena arena = { 0 };
	struct diag d = { .arena = &arena };
	struct p_agg a = agg_of(name, arg);
	struct px e = { .op = PX_FIELD, .type = arg }, *args[1] = { &e };
	bool ok = a.ops->check(&d, &a, args, (struct loc){ 0 });

	CHECK_EQ(ok, !d.errors);
	*result = a.column.type;
	arena_fini(&arena);
	return ok;
}

static bool is_counter(const char *name, struct type arg)
{
	struct arena arena = { 0 };
	struct diag d = { .arena = &arena };
	struct p_agg a = agg_of(name, arg);
	struct px e = { .op = PX_FIELD, .type = arg }, *args[1] = { &e };

	CHECK(a.ops->check(&d, &a, args, (struct loc){ 0 }));
	arena_fini(&arena);
	return a.column.is_counter;
}

/* What is never less as a run goes on. */
TEST(counters)
{
	CHECK(is_counter("count", type_int));
	CHECK(is_counter("sum", type_uint) && is_counter("sum", type_duration) && is_counter("sum", type_size));
	CHECK(!is_counter("sum", type_int));
	CHECK(!is_counter("max", type_uint) && !is_counter("avg", type_duration) && !is_counter("rate", type_int));
}

TEST(types)
{
	struct type size = { .kind = TY_SIZE, .size = 8 }, text = { .kind = TY_STRING, .bytes = 16 };
	struct type pointer = { .kind = TY_PTR, .size = 8 }, t;

	CHECK(checked("sum", type_duration, &t) && t.kind == TY_DURATION);
	CHECK(checked("avg", type_duration, &t) && t.kind == TY_DURATION);
	CHECK(checked("avg", type_int, &t) && t.kind == TY_REAL);
	CHECK(checked("p99", size, &t) && t.kind == TY_SIZE);
	CHECK(checked("hist", type_duration, &t) && t.kind == TY_HIST && t.of == TY_DURATION);
	CHECK(checked("max", type_time, &t) && t.kind == TY_TIME);
	CHECK(!checked("sum", type_time, &t));
	CHECK(!checked("sum", pointer, &t));
	CHECK(!checked("hist", text, &t));
	CHECK(checked("last", text, &t) && t.kind == TY_STRING && t.bytes == 16);
	CHECK(checked("distinct", text, &t) && t.kind == TY_INT);
	CHECK(checked("sum", type_bool, &t) && t.kind == TY_INT);
}

static bool lhist_checked(struct type arg, int64_t lo, int64_t hi, int64_t step, struct type of)
{
	struct arena arena = { 0 };
	struct diag d = { .arena = &arena };
	struct p_agg a = agg_of("lhist", arg);
	struct px e = { .op = PX_FIELD, .type = arg };
	struct px n[3] = { { .op = PX_NUMBER, .number = lo, .type = of },
			   { .op = PX_NUMBER, .number = hi, .type = of },
			   { .op = PX_NUMBER, .number = step, .type = of } };
	struct px *args[4] = { &e, &n[0], &n[1], &n[2] };
	bool ok = a.ops->check(&d, &a, args, (struct loc){ 0 });

	CHECK_EQ(ok, !d.errors);
	arena_fini(&arena);
	return ok;
}

TEST(lhist_bounds)
{
	CHECK(lhist_checked(type_int, -10, 10, 5, type_int));
	CHECK(lhist_checked(type_duration, 0, 1000, 100, type_duration));
	CHECK(lhist_checked(type_duration, 0, 1000, 100, type_int));
	CHECK(!lhist_checked(type_int, 0, 1000, 100, type_duration));
	CHECK(!lhist_checked(type_int, 10, 10, 1, type_int));
	CHECK(!lhist_checked(type_int, 0, 10, 0, type_int));
	CHECK(!lhist_checked(type_int, 0, 1 << 20, 1, type_int));
	CHECK(!lhist_checked(type_uint, -1, 10, 1, type_int));
	CHECK(!lhist_checked(type_int, INT64_MIN, INT64_MAX, 1, type_int));
}

TEST(merging)
{
	struct p_agg count = agg_of("count", type_int), rate = agg_of("rate", type_int);
	struct p_agg sum = agg_of("sum", type_int), avg = agg_of("avg", type_int);
	struct p_agg last = agg_of("last", type_int), any = agg_of("any", type_int);
	struct p_agg usum = agg_of("sum", type_uint);
	uint64_t last_states[] = { 1, 50, 7, 1, 90, 8, 0, 0, 0 };	/* seen, time, value */

	CHECK_EQ(merged(&count, (uint64_t[]){ 1, 2, 3 }, 3, 1).i, 6);
	CHECK(merged(&rate, (uint64_t[]){ 1, 2, 3 }, 3, 2).r == 3);
	CHECK_EQ(merged(&rate, (uint64_t[]){ 1, 2, 3 }, 3, 0).kind, CELL_NONE);
	CHECK_EQ(merged(&sum, (uint64_t[]){ 5, 0, (uint64_t)-8, ~0ull }, 2, 1).i, -3);
	CHECK(merged(&sum, (uint64_t[]){ INT64_MAX, 0, INT64_MAX, 0 }, 2, 1).r == 0x1p64);
	CHECK(merged(&sum, (uint64_t[]){ 1ull << 63, ~0ull, 1ull << 63, ~0ull }, 2, 1).r == -0x1p64);
	CHECK_EQ(merged(&usum, (uint64_t[]){ INT64_MAX, 0, INT64_MAX, 0 }, 2, 1).i, -2);
	CHECK(merged(&usum, (uint64_t[]){ ~0ull, 0, 1, 0 }, 2, 1).r == 0x1p64);
	CHECK(merged(&avg, (uint64_t[]){ (uint64_t)-10, ~0ull, 2, 5, 0, 2 }, 2, 1).r == -1.25);
	CHECK(merged(&avg, (uint64_t[]){ INT64_MAX, 0, 1, INT64_MAX, 0, 1 }, 2, 1).r == 0x1p63);
	CHECK_EQ(merged(&avg, (uint64_t[]){ 0, 0, 0 }, 1, 1).kind, CELL_NONE);
	CHECK_EQ(merged(&last, last_states, 3, 1).i, 8);
	CHECK_EQ(merged(&last, last_states + 6, 1, 1).kind, CELL_NONE);
	CHECK_EQ(merged(&any, last_states, 3, 1).i, 7);
	CHECK_EQ(merged(&any, last_states + 6, 1, 1).kind, CELL_NONE);
}

TEST(extremes)
{
	struct p_agg min = agg_of("min", type_int), max = agg_of("max", type_int);
	struct p_agg umax = agg_of("max", type_uint);
	const uint64_t sign = 1ull << 63;
	uint64_t mins[] = { ~(sign ^ 5), 1, ~(sign ^ (uint64_t)-7), 1, 0, 0 };
	uint64_t maxs[] = { sign ^ 5, 1, sign ^ (uint64_t)-7, 1, 0, 0 };

	CHECK_EQ(merged(&min, mins, 3, 1).i, -7);
	CHECK_EQ(merged(&max, maxs, 3, 1).i, 5);
	CHECK_EQ(merged(&max, maxs + 2, 2, 1).i, -7);
	CHECK_EQ(merged(&min, mins + 4, 1, 1).kind, CELL_NONE);
	CHECK_EQ(merged(&max, maxs + 4, 1, 1).kind, CELL_NONE);
	CHECK_EQ(merged(&umax, (uint64_t[]){ ~0ull, 1 }, 1, 1).i, -1);
}

/* The state after these values, as the program makes it. */
static void stddev_add(uint64_t *s, int64_t v)
{
	unsigned __int128 square = (__int128)v * v;
	unsigned __int128 squares = ((unsigned __int128)s[4] << 64 | s[3]) + square;
	unsigned __int128 sum = ((unsigned __int128)s[2] << 64 | s[1]) + (unsigned __int128)v;

	s[0]++;
	s[1] = (uint64_t)sum;
	s[2] = (uint64_t)(sum >> 64);
	s[3] = (uint64_t)squares;
	s[4] = (uint64_t)(squares >> 64);
	s[5] += squares < square;
}

TEST(stddev)
{
	struct p_agg a = agg_of("stddev", type_duration);
	uint64_t s[12] = { 0 };
	double r;

	for (int i = 0; i < 40; i++)	/* 1 s and 3 s: past 64 bits */
		stddev_add(s + 6 * (i % 2), i % 4 < 2 ? 1000000000 : 3000000000);
	r = merged(&a, s, 2, 1).r;
	CHECK(fabs(r - 1e9) < 1);
	memset(s, 0, sizeof(s));
	for (int i = 0; i < 1000; i++)	/* small around a large mean */
		stddev_add(s, 1000000000000ll + (i % 2 ? 3 : -3));
	CHECK(fabs(merged(&a, s, 1, 1).r - 3) < 1e-9);
	memset(s, 0, sizeof(s));
	stddev_add(s, -5);
	stddev_add(s, -6);
	CHECK(fabs(merged(&a, s, 1, 1).r - 0.5) < 1e-12);
	CHECK_EQ(merged(&a, s + 6, 1, 1).kind, CELL_NONE);
	memset(s, 0, sizeof(s));
	for (int i = 0; i < 10; i++)	/* squares past 128 bits */
		stddev_add(s + 6 * (i % 2), INT64_MIN);
	CHECK(merged(&a, s, 2, 1).r == 0);
	for (int i = 0; i < 10; i++)
		stddev_add(s, INT64_MAX);
	CHECK(fabs(merged(&a, s, 2, 1).r - 0x1p63) < 0x1p14);
}

static struct cell bucketed(struct arena *arena, const struct p_agg *a,
			    const struct bucket_count *b, int n)
{
	static const uint64_t nothing[2];

	return a->ops->finish(arena, a, nothing, b, n, 1);
}

TEST(histograms)
{
	struct arena arena = { 0 };
	struct p_agg hist = agg_of("hist", type_int), lhist = agg_of("lhist", type_int);
	struct bucket_count b[] = { { 0, 1 }, { 2, 2 }, { 5, 3 } }, top[] = { { 64, 8 }, { 65, 9 } };
	const struct hist *h = bucketed(&arena, &hist, b, 3).hist;

	/* negative, [0, 1], [2, 3], [4, 7], [8, 15] */
	CHECK_EQ(h->n, 5);
	CHECK_EQ(h->rows[0].hi, -1);
	CHECK_EQ(h->rows[0].count, 1);
	CHECK_EQ(h->rows[1].lo, 0);
	CHECK_EQ(h->rows[1].hi, 1);
	CHECK_EQ(h->rows[1].count, 2);
	CHECK_EQ(h->rows[2].count, 0);
	CHECK_EQ(h->rows[4].lo, 8);
	CHECK_EQ(h->rows[4].hi, 15);
	CHECK_EQ(h->rows[4].count, 3);
	h = bucketed(&arena, &hist, top, 2).hist;
	CHECK(h->rows[0].lo == 1ll << 62 && h->rows[0].hi == INT64_MAX && h->rows[0].count == 8);
	CHECK(h->rows[1].lo == 1ull << 63 && h->rows[1].hi == UINT64_MAX && h->rows[1].count == 9);
	CHECK_EQ(bucketed(&arena, &hist, NULL, 0).kind, CELL_NONE);

	lhist.number[0] = -10, lhist.number[1] = 15, lhist.number[2] = 10;
	h = bucketed(&arena, &lhist, (struct bucket_count[]){ { 0, 1 }, { 3, 2 }, { 4, 3 } }, 3).hist;
	CHECK_EQ(h->n, 5);
	CHECK_EQ(h->rows[0].hi, -11);
	CHECK_EQ(h->rows[1].lo, -10);
	CHECK_EQ(h->rows[3].lo, 10);
	CHECK_EQ(h->rows[3].hi, 14);
	CHECK_EQ(h->rows[4].lo, 15);
	CHECK(h->rows[4].hi == HIST_ABOVE);
	CHECK_EQ(h->rows[4].count, 3);
	CHECK_EQ(lhist.ops->n_dense(&lhist), 5);
	arena_fini(&arena);
}

/* The bucket of a value, as the program makes it. */
static uint64_t percentile_bucket(uint64_t v)
{
	int shift = v < 16 ? 0 : 63 - __builtin_clzll(v) - 4;

	return v < 16 ? v + 1 : (uint64_t)shift * 16 + (v >> shift) + 1;
}

TEST(percentiles)
{
	struct arena arena = { 0 };
	struct p_agg p = agg_of("p99.9", type_uint);
	struct bucket_count b[1000];
	uint32_t n = p.ops->n_dense(&p);

	CHECK_EQ(n, 977);
	CHECK_EQ(percentile_bucket(~0ull), n - 1);
	for (int bits = 0; bits < 64; bits++) {
		uint64_t v = (1ull << bits) + (1ull << bits) / 3;
		struct bucket_count one = { percentile_bucket(v), 1 };
		uint64_t got = (uint64_t)bucketed(&arena, &p, &one, 1).i;
		uint64_t off = got > v ? got - v : v - got;

		CHECK(off <= v / 16);
	}
	/* values 1 .. 10, a hundred each */
	for (uint64_t i = 0; i < 10; i++)
		b[i] = (struct bucket_count){ percentile_bucket(i + 1), 100 };
	CHECK_EQ(bucketed(&arena, &p, b, 10).i, 10);
	p.number[0] = 50;
	CHECK_EQ(bucketed(&arena, &p, b, 10).i, 5);
	p.number[0] = 50.1;
	CHECK_EQ(bucketed(&arena, &p, b, 10).i, 6);
	p.number[0] = 0.001;
	CHECK_EQ(bucketed(&arena, &p, b, 10).i, 1);
	p.number[0] = 100;
	CHECK_EQ(bucketed(&arena, &p, b, 10).i, 10);
	b[0].bucket = 0;		/* negative */
	p.number[0] = 5;
	CHECK_EQ(bucketed(&arena, &p, b, 10).kind, CELL_NONE);
	CHECK_EQ(bucketed(&arena, &p, b, 0).kind, CELL_NONE);
	arena_fini(&arena);
}

/* ---- rows ---- */

/* count, p50 by (text, number): key text[8], number, none bits; value count, 2 words of p50. */
#define CPUS(a, b) (uint64_t[]){ a, 0, 0, b, 0, 0 }, 2, 24
struct rows {
	struct p_query query;
	struct column keys[2];
	struct p_agg aggs[2];
	struct img_field fields[2];
	struct img_buckets set;
	struct img_table table;
};

struct row_key {
	char text[8];
	uint64_t number, none;
};

static void rows_init(struct rows *r)
{
	struct type text = { .kind = TY_STRING, .bytes = 8 };

	memset(r, 0, sizeof(*r));
	r->keys[0] = (struct column){ .name = "text", .type = text };
	r->keys[1] = (struct column){ .name = "number", .type = type_int };
	r->aggs[0] = agg_of("count", type_int);
	r->aggs[1] = agg_of("p50", type_int);
	r->aggs[1].buckets = 0;
	r->aggs[1].state_off = 8;
	r->query = (struct p_query){ .n_keys = 2, .keys = r->keys, .n_aggs = 2, .aggs = r->aggs,
				     .n_bucket_sets = 1 };
	r->fields[0] = (struct img_field){ text, 0, 8, -1 };
	r->fields[1] = (struct img_field){ type_int, 8, 8, 1 };
	r->set = (struct img_buckets){ .maps = { 1, -1 } };
	r->table = (struct img_table){ .query = &r->query, .per_cpu = true, .other = 2,
				       .key_bytes = sizeof(struct row_key), .value_bytes = 24,
				       .keys = r->fields, .none_off = 16, .n_sets = 1,
				       .sets = &r->set };
}

TEST(gather_merges_and_sorts)
{
	struct arena a = { 0 };
	struct rows r;
	struct gather *g;
	struct table *t;
	struct { struct row_key key; uint64_t bucket; } b = { { "b", 1, 0 }, 8 };

	rows_init(&r);
	g = gather_open(&r.table);
	gather_row(g, &(struct row_key){ "b", 2, 0 }, CPUS(1, 0));
	gather_row(g, &b.key, CPUS(2, 3));
	gather_row(g, &(struct row_key){ "a", 0, 2 }, CPUS(4, 0));
	gather_row(g, &(struct row_key){ "c", 0, 0 }, CPUS(0, 0));
	gather_row(g, &(struct row_key){ "a", (uint64_t)-1, 0 }, CPUS(0, 1));
	gather_other(g, CPUS(0, 9));
	gather_bucket(g, 0, &b, (uint64_t[]){ 1, 1 }, 2);
	b.bucket = 3;
	gather_bucket(g, 0, &b, (uint64_t[]){ 0, 1 }, 2);
	b.key.text[0] = 'z';		/* found the rows full */
	b.bucket = 12;
	gather_bucket(g, 0, &b, (uint64_t[]){ 5, 1 }, 2);
	t = gather_finish(g, &a, 1);
	gather_close(g);
	CHECK_EQ(t->n_columns, 4);
	REQUIRE(t->rows.n == 5);
	CHECK(t->other);
	/* a none, a -1, b 1, b 2, (other) */
	CHECK_EQ(t->rows.v[0][0].bytes.n, 1);
	CHECK(t->rows.v[0][0].bytes.p[0] == 'a');
	CHECK_EQ(t->rows.v[0][1].kind, CELL_NONE);
	CHECK_EQ(t->rows.v[0][2].i, 4);
	CHECK_EQ(t->rows.v[1][1].i, -1);
	CHECK_EQ(t->rows.v[2][1].i, 1);
	CHECK_EQ(t->rows.v[2][2].i, 5);
	CHECK_EQ(t->rows.v[2][3].i, 7);
	CHECK_EQ(t->rows.v[3][3].kind, CELL_NONE);
	CHECK_EQ(t->rows.v[4][0].kind, CELL_NONE);
	CHECK_EQ(t->rows.v[4][2].i, 9);
	CHECK_EQ(t->rows.v[4][3].i, 11);
	arena_fini(&a);
}

TEST(gather_without_keys_has_one_row)
{
	struct arena a = { 0 };
	struct rows r;
	struct gather *g;
	struct table *t;

	rows_init(&r);
	r.query.n_keys = 0;
	r.table.key_bytes = 0;
	for (int full = 0; full < 2; full++) {
		g = gather_open(&r.table);
		if (full) {
			gather_row(g, NULL, CPUS(1, 2));
			gather_bucket(g, 0, (uint64_t[]){ 6 }, (uint64_t[]){ 3, 0 }, 2);
		}
		t = gather_finish(g, &a, 1);
		gather_close(g);
		REQUIRE(t->rows.n == 1);
		CHECK(!t->other);
		CHECK_EQ(t->rows.v[0][0].i, full ? 3 : 0);
		CHECK_EQ(t->rows.v[0][1].kind, full ? CELL_INT : CELL_NONE);
	}
	arena_fini(&a);
}

/* A stored text of 16 bytes at most behind its head. */
static const char *headed(struct arena *a, int kind, struct img_head head, const char *bytes)
{
	struct type t = { .kind = (uint8_t)kind, .bytes = TEXT_HEAD_BYTES + 16 };
	char stored[TEXT_HEAD_BYTES + 16] = { 0 };

	memcpy(stored, &head, sizeof(head));
	memcpy(stored + sizeof(head), bytes, head.bytes < 16 ? head.bytes : 16);
	return field_cell(a, &t, stored, sizeof(stored)).bytes.p;
}

#define ARGS(bytes) headed(&a, TY_ARGS, (struct img_head){ sizeof(bytes) - 1, 0, 0, 0 }, bytes)
#define PATH_OF(kind, bytes) \
	headed(&a, TY_PATH, (struct img_head){ sizeof(bytes) - 1, 0, PATH_##kind, 0 }, bytes)

TEST(stored_arguments_become_text)
{
	struct arena a = { 0 };

	CHECK_STR(ARGS("ls\0-l\0"), "ls -l");
	CHECK_STR(ARGS("ls\0\0-l\0"), "ls  -l");
	CHECK_STR(ARGS("ls\0\0"), "ls ");
	CHECK_STR(ARGS("title"), "title");
	CHECK_STR(ARGS(""), "");
	CHECK_STR(ARGS("0123456789abcdef"), "0123456789abcdef");
	CHECK_STR(ARGS("0123456789abcdef\0"), "0123456789abcdef...");
	CHECK_STR(headed(&a, TY_ARGS, (struct img_head){ 3, MISSING_ABSENT, 0, 0 }, "ls"), "ls ...");
	arena_fini(&a);
}

TEST(stored_paths_become_text)
{
	struct arena a = { 0 };

	CHECK_STR(PATH_OF(TREE, "x/lib/usr/"), "/usr/lib/x");
	CHECK_STR(PATH_OF(TREE, "x/"), "/x");
	CHECK_STR(PATH_OF(TREE, ""), "/");
	CHECK_STR(PATH_OF(TREE, "0123456/9abcdef/"), "/9abcdef/0123456");
	CHECK_STR(PATH_OF(TREE, "0123456/9abcdef/x/"), ".../9abcdef/0123456");
	CHECK_STR(PATH_OF(TREE, "0123456/9abcdefx/"), ".../0123456");
	CHECK_STR(PATH_OF(TREE, "0123456789abcdef/"), ".../0123456789abcdef");
	CHECK_STR(headed(&a, TY_PATH, (struct img_head){ 2, MISSING_CUT, 0, 0 }, "x/"), ".../x");
	CHECK_STR(PATH_OF(DELETED, "x/tmp/"), "/tmp/x (deleted)");
	CHECK_STR(PATH_OF(PIPE, "\1\2\0\0\0\0\0\0"), "pipe:[513]");
	CHECK_STR(PATH_OF(SOCKET, "\377\377\377\377\377\377\377\377"), "socket:[18446744073709551615]");
	CHECK_STR(PATH_OF(NAMESPACE, "\1\0\0\0\0\0\0\0mnt\0"), "mnt:[1]");
	CHECK_STR(PATH_OF(ANON, "inotify\0"), "anon_inode:inotify");
	CHECK_STR(PATH_OF(NAMED, "memfd:a\0"), "/memfd:a (deleted)");
	arena_fini(&a);
}

TEST(stored_values_become_cells)
{
	struct arena a = { 0 };
	struct type text = { .kind = TY_STRING, .bytes = 8 };
	struct type ip = { .kind = TY_IP, .bytes = 16 };

	CHECK_EQ(field_cell(&a, &type_int, &(int64_t){ -5 }, 8).i, -5);
	CHECK_EQ(field_cell(&a, &text, "abc\0def", 8).bytes.n, 3);
	CHECK_EQ(field_cell(&a, &text, "abcdefgh", 8).bytes.n, 8);
	CHECK_EQ(field_cell(&a, &ip, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16).bytes.n, 16);
	arena_fini(&a);
}
