/* A compiled query over records. See replayed.h. */
#include "replayed.h"

int replayed_run(struct query *q, struct replay *replay, struct output *out)
{
	struct run_options o = { .checked = false };
	struct run *r = NULL;
	unsigned happened;
	int code = -1, status;

	output_of(out, q, &o);
	if (replay)
		r = run_open(replay_executor(replay), &o, &q->err);
	if (r)
		code = run_begin(r);
	if (!code)
		code = output_follow(out, q, r, &happened);
	run_close(r);
	replay_close(replay);
	status = output_close(out);
	return code < 0 ? err_print(&q->err, END_FAILED) : status;
}
