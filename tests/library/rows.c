/*
 * A program of libculprit.a that is not culprit: it runs a query over events that are written as text
 * (replay/made.h) and prints what a sink of its own is given.
 *
 *	rows EVENTS QUERY
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "session/made.h"
#include "session/session.h"

struct sink {
	int rows;
};

static void print(const struct column *columns, int n, const struct cell *cells)
{
	for (int i = 0; i < n; i++)
		if (cells[i].kind == CELL_INT)
			printf("%s=%" PRId64 " ", columns[i].name, cells[i].i);
		else if (cells[i].kind == CELL_BYTES)
			printf("%s=%.*s ", columns[i].name, cells[i].bytes.n, (const char *)cells[i].bytes.p);
	puts("");
}

static void take_row(struct sink *s, const struct sink_query *q, uint64_t time_ns, const struct cell *cells)
{
	printf("%" PRIu64 " ", time_ns);
	print(q->columns, q->n_columns, cells);
	s->rows++;
}

static void take_table(struct sink *s, const struct sink_query *q, const struct table *t)
{
	(void)q;
	for (int i = 0; i < t->rows.n; i++)
		print(t->columns, t->n_columns, t->rows.v[i]);
	s->rows += t->rows.n;
}

static int run(struct session *s)
{
	static const struct sink_ops ops = { .row = take_row, .table = take_table };
	struct sink sink = { 0 };
	unsigned happened;

	if (session_compile(s, 0)) {
		printf("wrong: %s\n", s->compile.diag.items.v[0].message);
		return 2;
	}
	if (session_load(s) || session_begin(s, &ops, &sink) || session_follow(s, &happened) || session_end(s)) {
		printf("failed: %s\n", s->err->causes.v[0]);
		return 1;
	}
	printf("%d rows\n", sink.rows);
	for (int i = 0; i < s->n_losses; i++)
		if (s->losses[i].count)
			printf("lost: %" PRIu64 " %s\n", s->losses[i].count, s->losses[i].what);
	return 0;
}

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct made *made = argc == 3 ? made_read(&a, str_of(argv[1]), &e) : NULL;
	struct spec spec = { .options = { .uid = -1 }, .stop_fd = -1 };
	struct made_target target;
	struct session s;
	int status;

	if (!made)
		return 1;
	spec.text = (struct source_text){ "query", str_of(argv[2]) };
	made_target_init(&target, made);
	target.target.ops->prepare(&target.target, &spec, &e);
	session_init(&s, &spec, &target.target, &e);
	status = run(&s);
	session_fini(&s);
	arena_fini(&a);
	return status;
}
