/*
 * Images: which tables a plan gets and where things are in them. The plans are made by
 * hand; what the programs do is tests/exec's and tests/bpf/expr.c's.
 */
#include "plan/plan.h"
#include "bpf/image.h"
#include "session/compile.h"
#include "test.h"

static struct arena arena;
static const struct cat_event event = { .kind = CAT_TRACEPOINT, .system = "t", .name = "e" };
static const struct cat_field word_field = { .name = "w", .loc = LOC_RECORD,
					     .type = { .kind = TY_INT, .size = 8 } };
static const struct type type_text = { .kind = TY_STRING, .bytes = 60 };

struct fixture {
	struct plan plan;
	struct p_event ev;
	struct p_query query;
	struct p_branch branch;
	struct p_period period;
	struct diag diag;
	struct plan_options options;
	struct column keys[4];
	struct px *key_px[4];
	struct p_agg aggs[4];
	struct px **agg_args[4];
};

static struct px *field(const struct type *t, bool may_none)
{
	struct px *e = arena_new(&arena, struct px);

	e->op = PX_FIELD;
	e->type = *t;
	e->field = &word_field;
	e->may_none = may_none;
	return e;
}

static struct fixture *fixture_new(void)
{
	struct fixture *f = arena_new(&arena, struct fixture);

	f->plan.arena = f->diag.arena = &arena;
	f->plan.max_open = 100;
	f->options.cpus_possible = 2;
	f->query.sink = SINK_AGGS;
	f->query.table_rows = 1000;
	f->query.c_dropped = f->query.c_cut = f->query.c_absent = f->query.c_div_zero = 0;
	f->query.keys = f->keys;
	f->query.aggs = f->aggs;
	vec_add(&arena, &f->plan.counters)->id = LOSS_DROPPED;
	f->branch.query = &f->query;
	f->branch.keys = f->key_px;
	f->branch.agg_args = f->agg_args;
	f->ev = (struct p_event){ .attach = ATTACH_RECORD, .cat = &event, .name = "t:e" };
	vec_push(&arena, &f->query.branches, &f->branch);
	vec_push(&arena, &f->plan.queries, &f->query);
	vec_push(&arena, &f->plan.events, &f->ev);
	return f;
}

static void add_key(struct fixture *f, const struct type *t, bool may_none)
{
	f->keys[f->query.n_keys] = (struct column){ .name = "k", .type = *t };
	f->key_px[f->query.n_keys++] = field(t, may_none);
}

static void add_agg(struct fixture *f, const char *name)
{
	int i = f->query.n_aggs++;
	struct p_agg *a = &f->aggs[i];

	a->ops = agg_find(&language, str_of(name), &a->number[0]);
	a->n_args = a->ops->min_args;
	a->arg[0] = type_int;
	f->agg_args[i] = arena_array(&arena, struct px *, 4);
	f->agg_args[i][0] = field(&type_int, false);
}

static struct bpf_image *build(struct fixture *f)
{
	struct p_action *act = vec_add(&arena, &f->ev.actions);

	act->kind = ACT_ROW;
	vec_push(&arena, &act->branches, &f->branch);
	plan_layout(&f->plan);
	return image_build(&arena, &f->diag, &f->plan, &f->options);
}

static const struct img_map *map_named(const struct bpf_image *image, const char *name)
{
	for (int i = 0; i < image->maps.n; i++)
		if (!strcmp(image->maps.v[i].name, name))
			return &image->maps.v[i];
	return NULL;
}

/* ---- aggregations ---- */

TEST(image_no_keys)
{
	struct fixture *f = fixture_new();
	struct bpf_image *image;
	const struct img_table *t;

	add_agg(f, "sum");
	add_agg(f, "hist");
	image = build(f);
	REQUIRE(image);
	t = &image->tables.v[0];
	CHECK_EQ(image->maps.v[t->rows[0]].type, BPF_MAP_TYPE_PERCPU_ARRAY);
	CHECK_EQ(image->maps.v[t->rows[0]].max_entries, 1);
	CHECK_EQ(t->other, -1);
	CHECK_EQ(t->hits_off, 16);		/* behind the sum: no aggregation counts all */
	CHECK_EQ(t->sets[0].maps[0], -1);	/* buckets inside the row */
	CHECK_EQ(t->sets[0].off, 24);
	CHECK_EQ(t->value_bytes, 24 + 8 * t->sets[0].n_dense);
	CHECK_EQ(image->globals, -1);
	arena_fini(&arena);
}

TEST(image_dense_key_in_intervals)
{
	struct type t = type_int;
	struct fixture *f = fixture_new();
	struct bpf_image *image;

	t.dense = 500;
	add_key(f, &t, false);
	add_agg(f, "count");
	f->query.dense = 500;
	f->query.every_ns = 1000000000;
	image = build(f);
	REQUIRE(image);
	CHECK_EQ(image->tables.v[0].dense, 500);
	CHECK(image->tables.v[0].doubled);
	CHECK_EQ(map_named(image, "rows")->max_entries, 1000);
	CHECK_EQ(map_named(image, "rows")->type, BPF_MAP_TYPE_PERCPU_ARRAY);
	CHECK_EQ(image->tables.v[0].hits_off, 0);	/* the count itself */
	CHECK_EQ(image->tables.v[0].value_bytes, 8);
	CHECK_EQ(image->n_global_words, 1);
	CHECK(map_named(image, "globals")->flags & BPF_F_MMAPABLE);
	arena_fini(&arena);
}

TEST(image_dense_key_that_may_be_none)
{
	struct fixture *f = fixture_new();
	struct bpf_image *image;

	add_key(f, &type_int, true);
	add_agg(f, "count");
	f->query.dense = 500;
	image = build(f);
	REQUIRE(image);
	CHECK_EQ(image->tables.v[0].dense, 0);
	CHECK_EQ(image->tables.v[0].keys[0].none_bit, 0);
	CHECK_EQ(image->tables.v[0].none_off, 8);
	CHECK_EQ(image->tables.v[0].key_bytes, 16);
	arena_fini(&arena);
}

TEST(image_keys_and_buckets)
{
	struct fixture *f = fixture_new();
	struct bpf_image *image;
	const struct img_table *t;

	add_key(f, &type_int, false);
	add_key(f, &type_text, false);
	add_agg(f, "p50");
	add_agg(f, "p99");
	image = build(f);
	REQUIRE(image);
	t = &image->tables.v[0];
	CHECK_EQ(t->key_bytes, 8 + 64);		/* strings in whole words */
	CHECK_EQ(t->keys[1].off, 8);
	CHECK_EQ(t->keys[1].bytes, 64);
	CHECK_EQ(t->keys[1].none_bit, -1);
	CHECK(!t->per_cpu);
	CHECK(t->other >= 0);
	CHECK_EQ(map_named(image, "rows")->max_entries, 1000);
	CHECK(!map_named(image, "buckets"));	/* 1000 rows have room for them */
	arena_fini(&arena);
}

TEST(image_buckets_of_many_rows)
{
	struct fixture *f = fixture_new();
	struct bpf_image *image;

	add_key(f, &type_int, false);
	add_agg(f, "hist");
	f->query.table_rows = 1000000;		/* each with 66 words: 528 MB */
	image = build(f);
	REQUIRE(image && map_named(image, "buckets"));
	CHECK_EQ(map_named(image, "buckets")->key_bytes, 8 + 8);
	arena_fini(&arena);
}

TEST(image_percentiles_share_buckets)
{
	struct fixture *f = fixture_new();
	struct px *e;

	add_agg(f, "p50");
	add_agg(f, "hist");
	add_agg(f, "p99");
	e = f->agg_args[0][0];
	f->agg_args[2][0] = e;
	REQUIRE(build(f));
	CHECK_EQ(f->query.n_bucket_sets, 2);
	CHECK(f->aggs[2].shares_buckets);
	CHECK_EQ(f->aggs[2].shares_with, 0);
	CHECK_EQ(f->aggs[2].buckets, f->aggs[0].buckets);
	CHECK(!f->aggs[1].shares_buckets);
	arena_fini(&arena);
}

TEST(image_large_tables_are_shared)
{
	struct fixture *f = fixture_new();
	struct bpf_image *image;

	add_key(f, &type_int, false);
	add_agg(f, "count");
	f->query.table_rows = 5000000;		/* times 2 CPUs times 8 bytes: 80 MB */
	image = build(f);
	REQUIRE(image);
	CHECK(!image->tables.v[0].per_cpu);
	CHECK_EQ(map_named(image, "rows")->type, BPF_MAP_TYPE_HASH);
	CHECK_EQ(map_named(image, "other")->type, BPF_MAP_TYPE_ARRAY);
	arena_fini(&arena);
}

TEST(image_stacks_by_cpus_or_as_asked)
{
	static const struct { uint32_t cpus, table_rows, stacks; } rows[] = {
		{ 2, 0, 2048 }, { 16, 0, 9216 }, { 512, 0, 16384 }, { 2, 100, 51 },
		{ 2, 4000000, 1048576 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture *f = fixture_new();
		struct bpf_image *image;

		f->plan.stacks = true;
		f->options.cpus_possible = rows[i].cpus;
		f->options.table_rows = rows[i].table_rows;
		image = build(f);
		REQUIRE(image);
		CHECK_EQ(map_named(image, "stacks")->max_entries, rows[i].stacks);
		arena_fini(&arena);
	}
}

TEST(image_key_too_long)
{
	static const struct { uint32_t bytes; bool fits; } rows[] = { { 504, true }, { 505, false }, { 600, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct type t = { .kind = TY_STRING, .bytes = rows[i].bytes };
		struct fixture *f = fixture_new();

		add_key(f, &t, false);
		add_agg(f, "count");
		CHECK_EQ(build(f) != NULL, rows[i].fits);
		CHECK_EQ(f->diag.items.n, !rows[i].fits);
		if (!rows[i].fits) {
			CHECK_STR(f->diag.items.v[0].tag, "limit-reached");
			CHECK(strstr(f->diag.items.v[0].message, "at most 504 are possible"));
		}
		arena_fini(&arena);
	}
}

/* A value of a per-CPU table has room for 32768 bytes: the hits of a row are 8 of them. */
TEST(image_value_too_long)
{
	static const struct { uint32_t bytes; bool fits; } rows[] = { { 32760, true }, { 32761, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture *f = fixture_new();

		add_agg(f, "max");
		plan_layout(&f->plan);
		f->aggs[0].state_bytes = rows[i].bytes;
		CHECK_EQ(image_build(&arena, &f->diag, &f->plan, &f->options) != NULL, rows[i].fits);
		CHECK_EQ(f->diag.items.n, !rows[i].fits);
		if (!rows[i].fits)
			CHECK(strstr(f->diag.items.v[0].message, "at most 32768 are possible"));
		arena_fini(&arena);
	}
}

/* ---- the largest rows ---- */

static struct fixture *worst_new(const struct type *column)
{
	struct fixture *f = fixture_new();

	f->query.sink = SINK_WORST;
	f->query.worst_n = 10;
	f->query.columns = f->keys;
	f->query.n_columns = 1;
	f->keys[0] = (struct column){ .name = "c", .type = *column };
	f->key_px[0] = field(column, false);
	f->branch.columns = f->key_px;
	f->branch.rank = field(&type_int, false);
	return f;
}

TEST(image_worst)
{
	static const struct {
		bool intervals, exclusive, open;
		uint32_t slots, heads;		/* of 10 rows */
	} rows[] = {
		{ false, true, false, 10, 1 }, { true, true, false, 20, 2 },
		{ false, false, false, 40, 4 }, { true, false, false, 80, 8 }, { true, false, true, 40, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture *f = worst_new(&type_int);
		struct bpf_image *image;
		const struct img_table *t;

		f->query.every_ns = rows[i].intervals ? 1000000000 : 0;
		f->query.exclusive = rows[i].exclusive;
		f->query.open = rows[i].open;
		image = build(f);
		REQUIRE(image);
		t = &image->tables.v[0];
		CHECK_EQ(t->rows[0], t->rows[1]);
		CHECK_EQ(map_named(image, "worst")->max_entries, rows[i].slots);
		CHECK_EQ(map_named(image, "smallest")->max_entries, rows[i].heads);
		CHECK_EQ(map_named(image, "smallest")->value_bytes, 32 + 8 * 10);
		CHECK_EQ(map_named(image, "smallest")->in_process, rows[i].open);
		arena_fini(&arena);
	}
}

/* A slot's head and a record's are 40 of the 32768 bytes. */
TEST(image_worst_too_long)
{
	static const struct { uint32_t bytes; bool fits; } rows[] = { { 32728, true }, { 32729, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct type text = { .kind = TY_STRING, .bytes = rows[i].bytes };
		struct fixture *f = worst_new(&text);

		CHECK_EQ(build(f) != NULL, rows[i].fits);
		CHECK_EQ(f->diag.items.n, !rows[i].fits);
		if (!rows[i].fits)
			CHECK(strstr(f->diag.items.v[0].message, "at most 32768 are possible"));
		arena_fini(&arena);
	}
}

/* ---- periods ---- */

static void add_period(struct fixture *f, int store)
{
	struct p_period *p = &f->period;
	struct p_action *begin = vec_add(&arena, &f->ev.actions);

	p->name = "p";
	p->store = (uint8_t)store;
	p->n_keys = store == STORE_HASH;
	p->key_types = arena_array(&arena, struct type, 1);
	p->key_types[0] = type_int;
	p->needs_time = p->slot_mask = true;
	p->c_dropped = p->c_unmatched = p->c_restarted = 0;
	*vec_add(&arena, &p->slots) = (struct p_slot){ .type = type_text };
	*vec_add(&arena, &p->slots) = (struct p_slot){ .type = type_int, .may_none = true };
	vec_push(&arena, &f->plan.periods, p);
	begin->kind = ACT_BEGIN;
	begin->period = p;
	begin->keys = arena_array(&arena, struct px *, 1);
	begin->keys[0] = begin->task = field(&type_int, false);
	begin->slots = arena_array(&arena, struct px *, 2);
	begin->slots[0] = field(&type_text, false);
}

TEST(image_period_layout)
{
	static const struct {
		int store;
		uint32_t type, max_entries;
	} rows[] = {
		{ STORE_TASK, BPF_MAP_TYPE_TASK_STORAGE, 0 },
		{ STORE_HASH, BPF_MAP_TYPE_HASH, 100 },
		{ STORE_CPU, BPF_MAP_TYPE_PERCPU_ARRAY, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture *f = fixture_new();
		struct bpf_image *image;

		add_agg(f, "count");
		add_period(f, rows[i].store);
		image = build(f);
		REQUIRE(image);
		CHECK_EQ(f->period.mask_off, 8);
		CHECK_EQ(f->period.slots.v[0].off, 16);
		CHECK_EQ(f->period.slots.v[1].off, 16 + 64);
		CHECK_EQ(f->period.record_bytes, 16 + 64 + 8);
		CHECK_EQ(map_named(image, "begin")->type, rows[i].type);
		CHECK_EQ(map_named(image, "begin")->max_entries, rows[i].max_entries);
		CHECK_EQ(map_named(image, "begin")->value_bytes, 88);
		arena_fini(&arena);
	}
}

/* ---- programs ---- */

static int calls_in(const struct bpf_image *image, int helper)
{
	const struct img_prog *p = &image->progs.v[0];
	int n = 0;

	for (int i = 0; i < p->n_insns; i++)
		n += p->insns[i].code == (BPF_JMP | BPF_CALL) && p->insns[i].imm == helper;
	return n;
}

/* What no stage needs is not emitted. */
TEST(image_only_what_is_needed)
{
	struct fixture *f = fixture_new();
	struct bpf_image *image;

	add_agg(f, "count");
	image = build(f);
	REQUIRE(image);
	CHECK_EQ(calls_in(image, BPF_FUNC_ktime_get_ns), 0);
	CHECK_EQ(calls_in(image, BPF_FUNC_map_lookup_elem), 1);
	CHECK(!map_named(image, "scratch"));
	CHECK(image->progs.v[0].n_insns < 20);
	arena_fini(&arena);
}

/* Long texts take scratch, and a guard that fails before it was taken leaves
 * without giving it back. */
TEST(image_scratch_after_the_guard)
{
	struct fixture *f = fixture_new();
	struct type t = { .kind = TY_STRING, .bytes = 480 };
	struct bpf_image *image;
	const struct img_prog *p;
	int taken = -1;

	add_key(f, &t, false);
	add_agg(f, "count");
	vec_add(&arena, &f->ev.actions)->kind = ACT_ROW;
	f->ev.actions.v[0].guard = field(&type_int, false);
	vec_push(&arena, &f->ev.actions.v[0].branches, &f->branch);
	plan_layout(&f->plan);
	image = image_build(&arena, &f->diag, &f->plan, &f->options);
	REQUIRE(image);
	REQUIRE(map_named(image, "scratch"));
	p = &image->progs.v[0];
	for (int i = 0; i < p->n_insns; i++) {
		const struct bpf_insn *in = &p->insns[i];

		if (in->code == (BPF_ALU64 | BPF_MOV | BPF_X) && in->dst_reg == R9 && taken < 0)
			taken = i;
		/* jumps from before to the release, which stores through R9 */
		if (taken < 0 && BPF_CLASS(in->code) == BPF_JMP && BPF_OP(in->code) != BPF_CALL) {
			const struct bpf_insn *to = in + 1 + in->off;

			CHECK(!(BPF_CLASS(to->code) == BPF_ST && to->dst_reg == R9));
		}
	}
	CHECK(taken > 0);
	arena_fini(&arena);
}
