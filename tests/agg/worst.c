/* The rows that `worst` kept on each CPU, as one table. */
#include "agg/worst.h"
#include "test.h"

#define CPUS 4
#define SLOT_BYTES (sizeof(struct img_slot) + 8)

struct row { uint64_t used; int64_t rank; uint64_t time_ns; uint32_t cpu; int64_t value; };

static struct arena arena;

static void put(char *at, const struct row *row)
{
	struct img_slot s = { .used = row->used, .rank = row->rank, .record = { .time_ns = row->time_ns, .cpu = row->cpu } };

	memcpy(at, &s, sizeof(s));
	memcpy(at + sizeof(s), &row->value, sizeof(row->value));
}

/* One slot of four CPUs, some without a row; rows of equal rank by time, then by CPU. */
TEST(worst_of_all_cpus)
{
	static const struct row rows[2][CPUS] = {
		{ { 1, 5, 30, 0, 100 }, { 0, 99, 1, 1, 101 }, { 1, -7, 10, 2, 102 }, { 1, 5, 20, 3, 103 } },
		{ { 0, 0, 0, 0, 0 }, { 1, 5, 20, 1, 104 }, { 1, 9, 90, 2, 105 }, { 0, 8, 1, 3, 106 } },
	};
	static const struct { bool is_signed; int n; int64_t values[5]; } wanted[] = {
		{ true, 5, { 105, 104, 103, 100, 102 } }, { false, 5, { 102, 105, 104, 103, 100 } }, { true, 2, { 105, 104 } },
	};
	struct column column = { .name = "v", .type = type_int };
	struct img_field field = { .type = type_int, .off = sizeof(struct img_record), .bytes = 8 };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct p_query q = { .sink = SINK_WORST, .worst_n = wanted[i].n, .worst_signed = wanted[i].is_signed,
				     .columns = &column, .n_columns = 1 };
		struct img_table t = { .query = &q, .value_bytes = SLOT_BYTES };
		struct img_rows r = { .query = &q, .bytes = sizeof(struct img_record) + 8, .columns = &field };
		struct worst *w = worst_open(&t, &r);
		struct table *got;

		for (int slot = 0; slot < 2; slot++) {
			char values[CPUS * SLOT_BYTES];

			for (int cpu = 0; cpu < CPUS; cpu++)
				put(values + (size_t)cpu * SLOT_BYTES, &rows[slot][cpu]);
			worst_slot(w, values, CPUS, SLOT_BYTES);
		}
		got = worst_finish(w, &arena);
		REQUIRE(got->rows.n == wanted[i].n);
		for (int k = 0; k < wanted[i].n; k++)
			CHECK_EQ(got->rows.v[k][0].i, wanted[i].values[k]);
		worst_close(w);
		arena_fini(&arena);
	}
}
