/*
 * spec: what is to be run, as data: queries, whose events, how much, which part of a trace. Who has a
 * command line or a configuration fills it; where it runs is a struct target.
 */
#ifndef SESSION_SPEC_H
#define SESSION_SPEC_H

#include "ctf/ctf.h"
#include "plan/param.h"
#include "plan/plan.h"

struct spec {
	/* the queries */
	struct source_text text;
	const struct param_value *params;	/* values of their parameters */
	int n_params;
	/* whose events, how large tables grow. The target adds what it knows of itself. */
	struct plan_options options;
	/* how long */
	uint64_t duration_ns;			/* 0: no end */
	int64_t intervals;			/* 0: no end */
	int stop_fd;				/* the run ends when it can be read; -1: none */
	/* of the running machine only */
	char *const *command;			/* is started, and the run ends with it; NULL: none */
	bool lines;				/* source lines and inlined functions in stacks */
	bool cost;				/* measure for session_cost */
	double budget_percent;			/* of the time of all CPUs together; 0: no limit */
	/* of a recorded trace only */
	struct ctf_options range;
};

#endif
