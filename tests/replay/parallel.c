/*
 * A trace's streams side by side: the tables, what was lost and what was said of the trace are
 * those of all events in order of time, whatever the number of threads. test: plain early
 */
#include "test.h"

#include <unistd.h>

#include "base/buf.h"
#include "lang/diag_tags.h"
#include "replay/parallel.h"
#include "replay/wants.h"
#include "session/compile.h"
#include "session/result.h"
#include "session/run.h"
#include "view/view.h"

#define TEXT_MOST 512

static const char *const programs[] = {
	"* | count, hist(cpu), p50(cpu), distinct(event), stddev(cpu), sum(cpu) by event",
	"* | hist(cpu), avg(cpu), stddev(cpu), min(time), max(time), distinct(event), p99(cpu); "
		"* | where cpu > 0 | count, rate, lhist(cpu, 0, 8, 1) by cpu | sort count | top 3",
	"* | count, distinct(event) by tid, pid, comm",
	"* | count by uid",
};
#define PROGRAMS (int)(sizeof(programs) / sizeof(*programs))
#define BY_THREAD 2			/* of them: by whose events they are */

struct answer {
	struct buf text;
	bool may;			/* the streams can be read side by side */
};

static void add_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *t,
		       int n)
{
	result_tables(self, a, q, t, n);
}

struct reader {
	struct recorded *events;
	int n;				/* threads; 0: all events in order of time */
	const struct replay_parallel_wait *wait;
};

static const struct record *next_record(void *self)
{
	return recorded_next(((struct reader *)self)->events);
}

static int run_parallel(void *self, struct replay *replay, struct err *e)
{
	struct reader *r = self;

	return replay_parallel_run(replay, r->events, r->n, r->wait, e);
}

static void replay_all(struct compile *c, struct reader *reader, struct result *result,
		       struct buf *text)
{
	struct record_source source = { reader, reader->n ? run_parallel : NULL, next_record };
	struct err e = { .arena = c->arena };
	struct replay *replay = replay_open(&e, c->plan, c->image,
					    &(struct replay_options){ .checked = true }, &source);
	struct run_options o = { .plan = c->plan, .image = c->image, .checked = true,
				 .self = result, .tables = add_tables };
	struct run *r;
	struct loss *losses;
	unsigned happened;
	int n;

	REQUIRE(replay != NULL);
	r = run_open(replay_executor(replay), &o, &e);
	REQUIRE(r && !run_begin(r) && !run_follow(r, &happened) && !run_end(r));
	n = run_losses(r, c->arena, &losses);
	for (int i = 0; i < n; i++)
		buf_printf(text, "%s %llu\n", loss_name(losses[i].id),
			   (unsigned long long)losses[i].count);
	run_close(r);
	replay_close(replay);
}

static struct answer ask(const char *path, const char *program, const struct ctf_options *range,
			 int n, const struct replay_parallel_wait *wait)
{
	struct arena arena = { 0 };
	struct err e = { .arena = &arena };
	struct answer a = { .may = false };
	struct compile c = {
		.arena = &arena, .diag.arena = &arena, .text = { "query", str_of(program) },
		.options = { .has = { .tp_btf = true, .task_storage = true, .replay = true },
			     .uid = -1, .table_rows = 10240, .max_open = 10240,
			     .cpus_possible = 4 } };
	struct result result;
	struct catalog catalog;
	size_t bytes = 0;
	char *json = NULL;
	struct view_options view = { .out = open_memstream(&json, &bytes) };
	struct recorded_wants *wants;
	struct sink *writer;
	struct recorded *events;
	struct ctf *trace;

	trace = ctf_open(&e, path);
	REQUIRE(trace != NULL);
	events = recorded_open(trace);
	catalog = recorded_catalog(events);
	c.catalog = &catalog;
	if (compile_run(&c, 0)) {	/* the trace lacks what it asks for */
		REQUIRE(!strcmp(c.diag.items.v[0].tag, DIAG_UNABLE));
		fputs(c.diag.items.v[0].message, view.out);
		goto out;
	}
	writer = view_json.open(&view);
	result_open(&result, c.plan, &view_json.sink, writer, NULL);
	wants = replay_wants(&arena, c.image);
	wants->any_order = n && replay_parallel_may(c.plan, c.image);
	a.may = recorded_begin(events, wants, range);
	replay_all(&c, &(struct reader){ events, a.may ? n : 0, wait }, &result, &a.text);
	result_close(&result);
	view_json.close(writer);
	for (int i = 0; i < trace->n_notes; i++)
		buf_printf(&a.text, "%s\n", trace->notes[i]);
out:
	fclose(view.out);
	buf_puts(&a.text, json);
	free(json);
	recorded_close(events);
	ctf_close(trace);
	arena_fini(&arena);
	return a;
}

/* How many of the programs, each step-th, were answered side by side. */
static int compare_each(const char *path, const struct ctf_options *range, int step)
{
	static const int threads[] = { 5, 2 };
	int n = 0;

	for (int p = 0; p < PROGRAMS; p += step) {
		struct answer one = ask(path, programs[p], range, 0, NULL);

		for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i += (size_t)test_step(2)) {
			struct answer other = ask(path, programs[p], range, threads[i], NULL);

			if (strcmp(one.text.p, other.text.p))
				TEST_FAIL("%s: %s: %d threads: %.300s\nand not %.300s", path,
					  programs[p], threads[i], other.text.p, one.text.p);
			n += !i && other.may;
			buf_fini(&other.text);
		}
		buf_fini(&one.text);
	}
	return n;
}

static int compare(const char *path, const struct ctf_options *range)
{
	return compare_each(path, range, 1);
}

/* Where it is about what the streams hold, not about what is asked. */
static int compare_some(const char *path, const struct ctf_options *range)
{
	return compare_each(path, range, test_step(PROGRAMS));
}

static void shell(const char *format, const char *a, const char *b)
{
	char command[TEXT_MOST];

	REQUIRE(snprintf(command, sizeof(command), format, a, b) < TEXT_MOST);
	REQUIRE(!system(command));
}

/* The folder of a recorded trace, unpacked. */
static const char *unpack(const char *name)
{
	static char path[TEXT_MOST];
	const char *traces = getenv("TRACES") ? getenv("TRACES") : "../shared/traces";
	char archive[TEXT_MOST];

	REQUIRE(snprintf(archive, sizeof(archive), "%s/%s.tar.xz", traces, name) < TEXT_MOST);
	REQUIRE(snprintf(path, sizeof(path), "%s/%s", getenv("TMP"), name) < TEXT_MOST);
	if (access(archive, R_OK))
		SKIP("no recorded traces");
	shell("tar -C '%s' -xJf '%s'", getenv("TMP"), archive);
	return path;
}

static const struct ctf_options all = { .has_begin = false };

/* Which has no user ids. */
TEST(beside_small)
{
	CHECK_EQ(compare(unpack("small"), &all), PROGRAMS - 1);
}

TEST(beside_contexts)
{
	CHECK_EQ(compare(unpack("ctxrich"), &all), PROGRAMS);
}

/* Headers of the other kind, no contexts: whose events they are is not asked side by side. */
TEST(beside_compact)
{
	CHECK_EQ(compare(unpack("compact"), &all), PROGRAMS - BY_THREAD);
}

TEST(beside_folders)
{
	CHECK(compare_some(unpack("rotsess"), &all) > 0);
	CHECK(compare_some(unpack("ust-host"), &all) > 0);
	CHECK(compare_some(unpack("ust-pid"), &all) > 0);
}

TEST(beside_overlaps)
{
	CHECK(compare_some(unpack("snapshot"), &all) > 0);
}

static bool ends(void *self)
{
	return ++*(int *)self > 0;
}

/* Threads that are told to end do; what they have is a part of all. */
TEST(beside_ends)
{
	int asked = 0;
	struct answer some = ask(unpack("small"), "* | count", &all, 2,
				 &(struct replay_parallel_wait){ &asked, ends });

	CHECK(some.may && asked > 0);
	CHECK(strstr(some.text.p, "\"count\":") != NULL);
	buf_fini(&some.text);
}

TEST(beside_range)
{
	const char *path = unpack("small");
	struct err e = { 0 };
	struct ctf *t = ctf_open(&e, path);
	const struct ctf_event *event;
	struct ctf_options part = { .has_begin = true, .has_end = true };

	REQUIRE(t != NULL);
	ctf_begin(t, &all);
	event = ctf_next(t);
	part.begin_ns = event->time_ns + 500000000;
	part.end_ns = event->time_ns + 1200000000;
	ctf_close(t);
	CHECK(compare_some(path, &part) > 0);
}

/* Fields of every type, several domains and hosts, losses, rings, packets that are cut off. */
TEST(beside_made)
{
	static char path[TEXT_MOST];

	snprintf(path, sizeof(path), "%s/made", getenv("TMP"));
	shell("python3 tests/ctf/writer.py '%s'%s", path, "");
	CHECK(compare_some(path, &all) > 0);
}

/* Each stream is damaged in its own way: each is said once, in the same order. */
TEST(beside_damaged)
{
	const char *path = unpack("small");

	shell("cd '%s'/kernel && truncate -s 100000 *_0%s", path, "");
	shell("cd '%s'/kernel && printf xxxxxxxx | dd of=$(ls *_1) seek=60000 oflag=seek_bytes "
	      "conv=notrunc%s", path, " 2>&1 | :");
	shell("cd '%s'/kernel && head -c 70000 /dev/zero >$(ls *_3)%s", path, "");
	CHECK(compare_some(path, &all) > 0);
}

TEST(beside_refused)
{
	static const char *const ordered[] = {
		"sched:sched_switch", "* | count | every 1s", "* | first 3 | count by event",
		"* | last(cpu)", "syscall:read | count", "* | worst 3 by cpu",
		"* | sample 2 | count",
	};
	const char *path = unpack("small");

	for (size_t i = 0; i < sizeof(ordered) / sizeof(*ordered); i++) {
		struct answer a = ask(path, ordered[i], &all, 2, NULL);

		if (a.may)
			TEST_FAIL("%s: side by side", ordered[i]);
		buf_fini(&a.text);
	}
}
