/*
 * test: timeout=300
 *
 * What must not change an answer (tests/oracle/base.h), on the running kernel: random queries of
 * a load that makes the same calls each time.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "oracle/same.h"
#include "test.h"

#define QUICK 1
#define ALL 30
#define FIRST 3			/* sees an option that is tested at the end and should be at the begin */
#define LOAD "-- \"$B/tests/work/same\" 300 >/dev/null 2>&1"

/* A row's values, as CSV; false: it is none of the query's. */
static bool put_row(struct buf *to, const char *json, int query)
{
	const char *number = strstr(json, "\"query\":");
	int of = number ? atoi(number + strlen("\"query\":")) : 0;

	if (of != query || strstr(json, "{\"schema\"") || strstr(json, "{\"losses\""))
		return false;
	for (const char *p = json; (p = strstr(p, "\":")); ) {
		const char *name = p, *value = p + 2;
		size_t n = *value == '"' ? strcspn(value + 1, "\"") : strcspn(value, ",}\n");

		while (name > json && name[-1] != '"')
			name--;
		p = value + n;
		if (!strncmp(name, "query\"", 6) || !strncmp(name, "interval\"", 9))
			continue;
		if (to->n)
			buf_putc(to, ',');
		if (strncmp(value, "null", 4))
			buf_add(to, value + (*value == '"'), n);
	}
	return to->n > 0;
}

static void take_row(struct arena *a, struct answer *to, const char *json, int query)
{
	struct buf row = { 0 };

	if (put_row(&row, json, query))
		vec_push(a, &to->lines, arena_strndup(a, row.p, row.n));
	buf_fini(&row);
}

static struct answer ask_live(struct arena *a, const struct ask *ask)
{
	const char *option = ask->comm ? arena_printf(a, "--comm '%s'", ask->comm) : ask->n_cpus ? "--cpu 0" : "";
	const char *out = arena_printf(a, "%s/rows.json", getenv("TMP")), *command;
	struct answer answer = { .mistake = NULL };
	char line[4096];
	FILE *rows;

	command = arena_printf(a, "\"$CULPRIT\" run -o '%s' %s '%s' " LOAD, out, option, ask->program);
	if (system(command))
		return (struct answer){ .mistake = "refused" };
	rows = fopen(out, "r");
	while (rows && fgets(line, sizeof(line), rows)) {
		take_row(a, &answer, line, ask->query);
		if (ask->both)
			take_row(a, &answer, line, ask->query + 1);
	}
	if (rows)
		fclose(rows);
	answer_sort(&answer);
	return answer;
}

/* What the load does before its own first line is on the first CPU, too. */
static bool stay_on_first_cpu(void)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	return !sched_setaffinity(0, sizeof(first), &first);
}

TEST(live_same)
{
	const char *seed = getenv("SEED");
	uint64_t first = seed ? strtoull(seed, NULL, 0) : FIRST;
	struct same s = { 0 };

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK) || !getenv("CULPRIT") || !getenv("B"))
		SKIP("no BPF here");
	if (!stay_on_first_cpu() || system("\"$CULPRIT\" run 'syscall:getppid | count' " LOAD))
		SKIP("no tracing here");
	for (int i = 0; i < (seed ? 1 : test_step(2) == 1 ? ALL : QUICK) && !s.wrong.n; i++) {
		struct arena a = { 0 };

		s.arena = &a;
		same_try(&s, &(struct world){ .live = ask_live, .whole = true },
			 &(struct chooser){ .state = first + (uint64_t)i });
		if (s.wrong.n)
			TEST_FAIL("SEED=%" PRIu64 " %.*s", first + (uint64_t)i, (int)s.wrong.n, s.wrong.p);
		arena_fini(&a);
	}
	printf("# %" PRIu64 " queries, %" PRIu64 " comparisons of %" PRIu64 " lines, %" PRIu64 " programs refused\n",
	       s.queries, s.comparisons, s.lines, s.refused);
	CHECK(seed || s.wrong.n || s.comparisons > s.queries);
	buf_fini(&s.wrong);
}
