/* fuzz: made events as a hostile trace: read, then run through a query over all of them. */
#include "replay/made.h"
#include "replay/replay.h"
#include "session/compile.h"
#include "session/run.h"

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
	struct made_reader reader = { m, 0 };
	struct record_source source = made_source(&reader);
	struct catalog catalog;
	struct replay *replay;
	struct run *r;
	unsigned happened;

	if (m && made_count(m)) {
		catalog = made_catalog(m);
		struct compile c = { .arena = &a, .catalog = &catalog,
				     .text = { "query", str_of(query) },
				     .options = { .has.replay = true, .uid = -1, .table_rows = 100,
						  .max_open = 100, .cpus_possible = 4 } };

		/* Fields of one name may have types that don't go together: no finding. */
		if (!compile_run(&c, 0)) {
			struct run_options o = { .plan = c.plan, .image = c.image, .checked = true };

			replay = replay_open(&e, c.plan, c.image, &options, &source);
			r = replay ? run_open(replay_executor(replay), &o, &e) : NULL;
			if (!r || run_begin(r) || run_follow(r, &happened) || run_end(r))
				__builtin_trap();
			run_close(r);
			replay_close(replay);
		}
	} else if (!m && !e.causes.n) {
		__builtin_trap();
	}
	arena_fini(&a);
	return 0;
}
