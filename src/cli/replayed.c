/* A compiled query over records. See cli/replayed.h. */
#include "cli/replayed.h"

int replayed_run(struct query *q, struct replay *replay, struct output *out)
{
	struct run_options o = { .checked = false };
	struct run *r = NULL;
	unsigned happened;
	int code = -1, status = END_FAILED;

	output_of(out, q, &o);
	if (replay)
		r = run_open(replay_executor(replay), &o, &q->err);
	if (r)
		code = run_begin(r);
	if (!code) {
		code = output_follow(out, q, r, &happened);
		status = output_close(out);
	} else {
		output_drop(out);
	}
	run_close(r);
	replay_close(replay);
	return code < 0 ? err_print(&q->err, END_FAILED) : status;
}
