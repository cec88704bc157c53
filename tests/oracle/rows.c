/*
 * test: timeout=300
 *
 * A third executor: random queries over random made events, run as programs and compared with
 * what their checked expressions (struct px) give when they are evaluated here, straight from
 * the plan, with the peephole and without, in both modes of the interpreter.
 *
 * What fails prints its seed and query: SEED=n repeats this one alone.
 */
#include "oracle/trial.h"
#include "test.h"

#define QUICK_PROGRAMS 100
#define ALL_PROGRAMS 2000

/* ---- both beside each other ---- */

TEST(rows_are_what_their_expressions_say)
{
	const char *seed = getenv("SEED");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : 1, cells = 0;
	int n = seed ? 1 : test_step(2) == 1 ? ALL_PROGRAMS : QUICK_PROGRAMS, refused = 0;
	bool wrong = false;

	for (int i = 0; i < n && !wrong; i++) {
		struct trial t = { 0 };
		uint64_t at = first + (uint64_t)i;

		refused += !trial_run(&t, (struct chooser){ .state = at }, (struct chooser){ .state = ~at });
		cells += t.cells;
		wrong = t.wrong.n;
		if (wrong)
			TEST_FAIL("SEED=%" PRIu64 " %.*s", at, (int)t.wrong.n, t.wrong.p);
		if (seed)
			printf("# %.*s\n", (int)t.mistakes.n, t.mistakes.p);
		trial_fini(&t);
	}
	printf("# %" PRIu64 " cells, %d of %d programs refused\n", cells, refused, n);
	CHECK(seed || wrong || refused < n / 4);
}

/* The values that the checker folds constants with, and that tables take of whole numbers. */
TEST(operators_of_whole_numbers)
{
	struct eval v = { 0 };
	struct chooser c = { .state = 1 };

	for (int i = 0; i < 100000; i++) {
		int op = below(&c, OPS), class = op_table[op].class;
		uint64_t a = draw_number(&c), b = draw_number(&c), want;
		bool is_signed = below(&c, 2);

		if (op_table[op].arity != 2 || class == CLASS_LOGIC || class == CLASS_MATCH)
			continue;
		want = class == CLASS_COMPARE || class == CLASS_EQUAL ? compare(op, a, b, is_signed)
								      : arithmetic(&v, op, a, b, is_signed);
		CHECK_EQ(op_whole(op, (struct op_numbers){ .a = (int64_t)a, .b = (int64_t)b,
							   .is_signed = is_signed }), want);
	}
	CHECK(!v.unknown);
}
