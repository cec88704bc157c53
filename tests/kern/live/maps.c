/*
 * Reading tables: rows put into them from here, as programs would, come out merged
 * and once. Needs privilege.
 *
 * test: serial
 */
#include <linux/bpf.h>
#include <time.h>

#include "test.h"

#include "agg/read.h"
#include "kern/live/impl.h"
#include "kern/live/live.h"
#include "kern/sysbpf.h"
#include "session/compile.h"

#define KEYS 20000

/* sum and p50 of a number by number, in two hash tables with intervals. */
struct hashed {
	struct arena a;
	struct err err;
	struct plan plan;
	struct bpf_image image;
	struct p_query query;
	struct column key;
	struct p_agg aggs[2];
	struct img_field field;
	struct img_buckets set;
	struct live *s;
	bool per_cpu;
	int n_values;
};

/* hits, sum of two words, bounds of p50 */
#define VALUE_WORDS 5
#define VALUE_BYTES (8 * VALUE_WORDS)

static int add_map(struct hashed *h, uint32_t type, uint32_t key_bytes, uint32_t value_bytes,
		   uint32_t entries, uint32_t flags)
{
	vec_push(&h->a, &h->image.maps, ((struct img_map){ .name = "m", .type = type,
			.key_bytes = key_bytes, .value_bytes = value_bytes,
			.max_entries = entries, .flags = flags }));
	return h->image.maps.n - 1;
}

static void hashed_plan(struct hashed *h)
{
	h->key = (struct column){ .name = "k", .type = type_int };
	h->field = (struct img_field){ type_int, 0, 8, -1 };
	for (int i = 0; i < 2; i++) {
		h->aggs[i].ops = agg_find(&language, str_of(i ? "p50" : "sum"), &h->aggs[i].number[0]);
		h->aggs[i].n_args = 1;
		h->aggs[i].arg[0] = type_int;
		h->aggs[i].state_off = i ? 24 : 8;
		h->aggs[i].buckets = i ? 0 : -1;
	}
	h->query = (struct p_query){ .sink = SINK_AGGS, .n_keys = 1, .keys = &h->key,
				     .n_aggs = 2, .aggs = h->aggs, .n_bucket_sets = 1,
				     .every_ns = 3600000000000 };
	vec_push(&h->a, &h->plan.queries, &h->query);
}

static void hashed_open(struct hashed *h, bool per_cpu)
{
	uint32_t hash = per_cpu ? BPF_MAP_TYPE_PERCPU_HASH : BPF_MAP_TYPE_HASH;
	uint32_t array = per_cpu ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_ARRAY;
	struct live_options o = { .wake_fd = -1 };
	struct img_table *t;
	struct executor *x;

	memset(h, 0, sizeof(*h));
	h->err.arena = &h->a;
	h->per_cpu = per_cpu;
	h->image.ring = h->image.counters = h->image.followed = -1;
	h->image.stacks = h->image.processes = h->image.process_ring = -1;
	h->image.unwind_processes = h->image.unwind_pieces = -1;
	hashed_plan(h);
	t = vec_add(&h->a, &h->image.tables);
	*t = (struct img_table){ .query = &h->query, .per_cpu = per_cpu, .doubled = true,
				 .key_bytes = 8, .value_bytes = VALUE_BYTES, .keys = &h->field,
				 .n_sets = 1, .sets = &h->set };
	for (int i = 0; i < 2; i++) {
		t->rows[i] = add_map(h, hash, 8, VALUE_BYTES, KEYS, BPF_F_NO_PREALLOC);
		h->set.maps[i] = add_map(h, hash, 16, 8, KEYS, BPF_F_NO_PREALLOC);
	}
	t->other = add_map(h, array, 4, VALUE_BYTES, 2, 0);
	h->image.globals = add_map(h, BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_MMAPABLE);
	h->image.n_global_words = 1;
	h->s = live_open(&h->image, &h->plan, &o, &h->err);
	if (!h->s && h->err.unable) {
		arena_fini(&h->a);
		SKIP("BPF is not permitted here");
	}
	REQUIRE(h->s);
	h->n_values = per_cpu ? h->s->n_cpus : 1;
	x = live_executor(h->s);
	CHECK_EQ(x->ops->begin(x, &h->err), 0);
}

/* A row as programs on each CPU would leave it: hits 1, sum key + CPU. */
static void put(struct hashed *h, int map, uint64_t key)
{
	uint64_t v[VALUE_WORDS * 1024] = { 0 };

	for (int i = 0; i < h->n_values; i++) {
		v[VALUE_WORDS * i] = 1;
		v[VALUE_WORDS * i + 1] = key + (uint64_t)i;
	}
	CHECK_EQ(sysbpf_map_update(h->s->map_fds[map], &key, v), 0);
}

static void put_bucket(struct hashed *h, uint64_t key, uint64_t bucket)
{
	uint64_t v[1024], k[2] = { key, bucket };

	for (int i = 0; i < h->n_values; i++)
		v[i] = 2;
	CHECK_EQ(sysbpf_map_update(h->s->map_fds[h->set.maps[h->s->x.globals[0]]], k, v), 0);
}

static struct table *next_interval(struct hashed *h)
{
	struct executor *x = live_executor(h->s);
	struct reading of = { .image = &h->image, .t = &h->image.tables.v[0], .half = (int)x->globals[0],
			      .clear = true, .seconds = 1 };
	struct table *t = NULL;

	x->globals[0] = !of.half;
	x->ops->quiesce(x);
	CHECK_EQ(read_table(&(struct map_source){ x, x->ops->read }, &of, &h->a, &t), 0);
	return t;
}

/* What an interval with the keys 0 .. n - 1 must show. */
static void check_interval(struct hashed *h, const struct table *t, int n)
{
	int64_t cpus = (int64_t)h->n_values * (h->n_values - 1) / 2;
	int wrong = 0;

	REQUIRE(t && t->rows.n == n + 1);
	for (int k = 0; k < n; k++) {
		wrong += t->rows.v[k][0].i != k;
		wrong += t->rows.v[k][1].i != (int64_t)k * h->n_values + cpus;
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(t->rows.v[5][2].i, 3);	/* buckets 4 and 11, as many in each */
	CHECK_EQ(t->rows.v[6][2].kind, CELL_NONE);
	CHECK(t->other);
	CHECK_EQ(t->rows.v[n][1].i, 77);
}

static void read_intervals(bool per_cpu, bool no_batch)
{
	static const int keys[] = { KEYS, 10, 1000, KEYS, 0 };
	struct hashed h;

	hashed_open(&h, per_cpu);
	h.s->no_batch = no_batch;
	for (int i = 0; i < 5; i++) {
		uint64_t other[VALUE_WORDS * 1024] = { 1, 77 };
		uint32_t half = (uint32_t)h.s->x.globals[0];
		struct table *t;

		CHECK_EQ(half, i % 2);
		for (uint64_t k = 0; k < (uint64_t)keys[i]; k++)
			put(&h, h.image.tables.v[0].rows[half], k);
		if (keys[i]) {
			put_bucket(&h, 5, 11);
			put_bucket(&h, 5, 4);
			sysbpf_map_update(h.s->map_fds[h.image.tables.v[0].other], &half, other);
		}
		t = next_interval(&h);
		REQUIRE(t);
		if (keys[i])
			check_interval(&h, t, keys[i]);
		else
			CHECK_EQ(t->rows.n, 0);
	}
	live_close(h.s);
	arena_fini(&h.a);
}

TEST(per_cpu_hash)
{
	read_intervals(true, false);
}

TEST(shared_hash)
{
	read_intervals(false, false);
}

TEST(a_row_at_a_time)
{
	read_intervals(true, true);
	read_intervals(false, true);
}
