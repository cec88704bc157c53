/* fuzz: made events as a hostile trace: read, then run through a query over all of them. */
#include "compile.h"
#include "replay/made.h"
#include "replay/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char query[] = "* | count, max(time) by event, comm | every 1s; "
				    "syscall:* | count, sum(duration), hist(ret) by event; "
				    "from * to * | print duration, begin.comm, end.current.comm";
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct made *m = made_read(&a, (struct str){ (const char *)data, (int)size }, &e);
	struct replay_options options = { .checked = true };
	struct replay_sink sink = { 0 };
	struct catalog catalog;
	struct replay *r;
	int status = 0;

	if (m && made_count(m)) {
		catalog = made_catalog(m);
		struct compile c = { .arena = &a, .catalog = &catalog,
				     .text = { "query", str_of(query) },
				     .options = { .has.replay = true, .uid = -1, .table_rows = 100,
						  .max_open = 100, .cpus_possible = 4 } };

		/* Fields of one name may have types that don't go together: no finding. */
		if (!compile_run(&c, 0)) {
			r = replay_open(&e, c.plan, c.image, &options, &sink);
			if (!r)
				__builtin_trap();
			for (int i = 0; i < made_count(m) && !status; i++)
				status = replay_event(r, made_record(m, i), &e);
			if (status < 0)
				__builtin_trap();
			replay_finish(r);
			replay_close(r);
		}
	} else if (!m && !e.causes.n) {
		__builtin_trap();
	}
	arena_fini(&a);
	return 0;
}
