/*
 * compile: the list of passes from text to programs. Reading starts in
 * session/compile.c.
 */
#ifndef SESSION_COMPILE_H
#define SESSION_COMPILE_H

#include "bpf/image.h"
#include "lang/ast.h"
#include "plan/param.h"
#include "plan/plan.h"
#include "plan/registry.h"

/* All that the language has. */
extern const struct registry language;

struct compile {
	struct arena *arena;
	struct diag diag;
	struct source_text text;
	const struct catalog *catalog;
	struct plan_options options;
	const struct param_value *params;
	int n_params;
	/* results */
	struct ast *ast;
	struct plan *plan;
	struct bpf_image *image;
};

/* Runs all passes; 0, or -EINVAL with diag filled. stop_after: the last pass to
 * run, by its letter of `explain -d`, or 0 for all. */
int compile_run(struct compile *c, char stop_after);

#endif
