/*
 * Queries over a hostile trace: metadata, a query and the bytes of the packets, a zero
 * between them. The query is run, and each field that the trace says it has is asked for:
 * a program that was compiled must run over whatever the packets hold.
 */
#include <stdint.h>
#include <string.h>

#include "ctf/impl.h"
#include "replay/replay.h"
#include "replay/wants.h"
#include "session/compile.h"
#include "session/run.h"
#include "trace/recorded.h"

#define FIELDS_MOST 32			/* that are asked for */

struct input {
	struct str metadata, query, packets;
};

static struct str until_zero(struct str *rest)
{
	struct str s = { rest->p, (int)strnlen(rest->p, (size_t)rest->n) };
	int gone = s.n < rest->n ? s.n + 1 : s.n;

	*rest = (struct str){ rest->p + gone, rest->n - gone };
	return s;
}

static bool compiles(struct compile *c, const struct catalog *catalog, struct str query)
{
	*c = (struct compile){ .arena = c->arena, .catalog = catalog, .text = { "query", query },
			       .options = { .has = { .replay = true }, .uid = -1,
					    .table_rows = 100, .max_open = 100,
					    .cpus_possible = 4 } };
	return !compile_run(c, 0);
}

static const struct record *next(void *self)
{
	return recorded_next(self);
}

static void read_events(const struct compile *c, struct recorded *r)
{
	struct err e = { .arena = c->arena };
	struct record_source source = { r, NULL, next };
	struct replay_options checked = { .checked = true };
	struct run_options o = { .plan = c->plan, .image = c->image, .checked = true };
	struct replay *replay;
	struct run *run;
	unsigned happened;

	recorded_begin(r, replay_wants(c->arena, c->image), &(struct ctf_options){ 0 });
	replay = replay_open(&e, c->plan, c->image, &checked, &source);
	if (!replay)
		__builtin_trap();
	recorded_stacks(r, replay_show_stack, replay);
	run = run_open(replay_executor(replay), &o, &e);
	if (!run || run_begin(run) || run_follow(run, &happened) || run_end(run))
		__builtin_trap();
	run_close(run);
	replay_close(replay);
}

/* `NAME | count by FIELD` of what the classes have, as far as they compile. */
static void ask_fields(struct compile *c, const struct ctf *t, const struct catalog *catalog,
		       struct buf *queries)
{
	struct buf query = { 0 };
	int n = 0;

	for (int i = 0; i < t->n_classes; i++)
		for (int s = 0; s < CTF_SCOPES; s++) {
			const struct ctf_type *of = t->classes[i]->scopes[s];

			for (int m = 0; of && m < of->n_members && n < FIELDS_MOST; m++, n++) {
				buf_clear(&query);
				buf_printf(&query, "%s | count by %s\n", t->classes[i]->name,
					   of->members[m].name);
				if (compiles(c, catalog, (struct str){ query.p, (int)query.n }))
					buf_add(queries, query.p, query.n);
			}
		}
	buf_fini(&query);
}

/* fields: what it asks for is added; NULL: nothing. */
static void ask(const struct input *in, struct str query, struct buf *fields)
{
	struct arena a = { 0 };
	struct compile c = { .arena = &a };
	struct ctf *t = reader_open_bytes(in->metadata, in->packets.p, (uint64_t)in->packets.n);
	struct recorded *r = recorded_open(t);
	struct catalog catalog = recorded_catalog(r);

	if (fields)
		ask_fields(&c, t, &catalog, fields);
	if (query.n && compiles(&c, &catalog, query))
		read_events(&c, r);
	recorded_close(r);
	ctf_close(t);
	arena_fini(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, (int)size };
	struct input in = { .metadata = until_zero(&rest), .query = until_zero(&rest) };
	struct buf fields = { 0 };

	in.packets = rest;
	ask(&in, in.query, &fields);
	ask(&in, (struct str){ fields.p, (int)fields.n }, NULL);
	buf_fini(&fields);
	return 0;
}
