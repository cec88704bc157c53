/*
 * test: plain timeout=900
 *
 * A third executor: random queries over random made events, run as programs and compared with
 * what their checked expressions (struct px) give when they are evaluated here, straight from
 * the plan, with the peephole and without, in both modes of the interpreter.
 *
 * What fails prints its seed and query: SEED=n repeats this one alone. FOR=seconds goes on for so
 * long, from SEED or 1.
 */
#include <time.h>

#include "oracle/made.h"
#include "test.h"

#define QUICK_PROGRAMS 80
#define ALL_PROGRAMS 4000

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 0) : otherwise;
}

/* ---- both beside each other ---- */

/* Which programs are tried, and what came of them. */
struct trials {
	uint64_t first, n;
	time_t end;			/* not 0: as many as there is time for */
	bool alone;			/* one, of which all is said */
	uint64_t tried, cells, refused;
	bool wrong;
};

static struct trials trials_asked(void)
{
	uint64_t seconds = number_of("FOR", 0);
	struct trials s = { .first = number_of("SEED", 1), .alone = getenv("SEED") && !seconds };

	s.n = s.alone ? 1 : test_step(2) == 1 ? ALL_PROGRAMS : QUICK_PROGRAMS;
	s.end = seconds ? time(NULL) + (time_t)seconds : 0;
	return s;
}

static void try_next(struct trials *s)
{
	struct trial t = { 0 };
	uint64_t at = s->first + s->tried++;

	s->refused += !trial_run(&t, (struct chooser){ .state = at }, (struct chooser){ .state = ~at });
	s->cells += t.cells;
	s->wrong = t.wrong.n;
	if (s->wrong)
		TEST_FAIL("SEED=%" PRIu64 " %.*s", at, (int)t.wrong.n, t.wrong.p);
	if (s->alone)
		printf("# %.*s\n%.*s\n", (int)t.query.n, t.query.p, (int)t.mistakes.n, t.mistakes.p);
	trial_fini(&t);
}

TEST(rows_are_what_their_expressions_say)
{
	struct trials s = trials_asked();

	while (!s.wrong && (s.end ? time(NULL) < s.end : s.tried < s.n))
		try_next(&s);
	printf("# %" PRIu64 " cells, %" PRIu64 " of %" PRIu64 " programs refused\n", s.cells, s.refused, s.tried);
	CHECK(s.alone || s.wrong || 4 * s.refused <= s.tried);
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
