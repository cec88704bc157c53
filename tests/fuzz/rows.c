/*
 * fuzz: queries that the bytes choose, compiled and run in each way, against what their expressions
 * give (tests/oracle): the first bytes choose the events.
 */
#include <stdio.h>

#include "oracle/made.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct chooser events = { .bytes = data, .n_bytes = size < 8 ? size : 8 };
	struct chooser query = { .bytes = data + events.n_bytes, .n_bytes = size - events.n_bytes };
	struct trial t = { 0 };

	trial_run(&t, query, (struct chooser){ .state = draw(&events) });
	if (t.wrong.n) {
		fprintf(stderr, "%.*s\n", (int)t.wrong.n, t.wrong.p);
		__builtin_trap();
	}
	trial_fini(&t);
	return 0;
}
