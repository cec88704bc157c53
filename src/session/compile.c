/*
 * From text to programs: the list of passes. Reading starts here.
 *
 *	t  lang/lex.c		text -> tokens (the parser asks for them one by one)
 *	a  lang/parse*.c	tokens -> syntax
 *	v  plan/param.c		the parameters get their values
 *	y  plan/build.c		syntax + catalog -> plan: sources, pairs, types, by query
 *	f  plan/build_form.c	how each event is read
 *	s  plan/build_store.c	where each period keeps its begins
 *	   plan/build_early.c	what is asked of a begin before it is kept
 *	c  plan/build_counter.c	what can be lost
 *	   plan/build_filter.c	the command line's filters
 *	m  plan/build_merge.c	equal actions become one
 *	p  plan/build_collect.c	the plan as it is handed on
 *	b  bpf/cg*.c		plan -> BPF programs and tables
 *
 * The letters are those of `explain -d`. What runs the image is kern/ or replay/.
 */
#include "session/compile.h"

#include <errno.h>

#include "agg/agg.h"
#include "event/event.h"
#include "func/func.h"
#include "plan/param.h"
#include "plan/passes.h"
#include "view/format.h"

const struct registry language = {
	.sources = source_registry, .funcs = func_registry, .aggs = agg_registry,
};

struct passes {
	struct compile *c;
	struct check_env env;
	struct build *build;
};

static void pass_parse(struct passes *p)
{
	struct compile *c = p->c;

	if (!c->ast)
		c->ast = parse(c->arena, &c->diag, &c->text);
}

static void pass_params(struct passes *p)
{
	params_bind(&p->env, p->c->ast, p->c->params, p->c->n_params);
	params_splice(&p->env, p->c->ast);
}

static void pass_queries(struct passes *p)
{
	p->build = build_begin(&p->env, p->c->ast);
	build_queries(p->build);
}

static void pass_collect(struct passes *p)
{
	p->c->plan = build_collect(p->build);
}

static void pass_image(struct passes *p)
{
	p->c->image = image_build(p->c->arena, &p->c->diag, p->c->plan, &p->c->options);
}

static const struct {
	char letter;
	void (*run)(struct passes *p);
	void (*build)(struct build *b);
} passes[] = {
	{ .letter = 'a', .run = pass_parse },
	{ .letter = 'v', .run = pass_params },
	{ .letter = 'y', .run = pass_queries },
	{ .build = build_unread },
	{ .letter = 'f', .build = build_forms },
	{ .letter = 's', .build = build_stores },
	{ .build = build_early },
	{ .letter = 'c', .build = build_counters },
	{ .build = build_filters },
	{ .letter = 'm', .build = build_merge },
	{ .letter = 'p', .run = pass_collect },
	{ .letter = 'b', .run = pass_image },
};

/* How many mistakes the next pass may find there: behind those of the grammar names are looked
 * at as far as they can be. */
static int mistakes_left(const struct compile *c, char pass, int left)
{
	if (pass == 'a' && c->ast->readable)
		return c->diag.errors;
	return pass == 'v' ? left : 0;
}

int compile_run(struct compile *c, char stop_after)
{
	struct passes p = {
		.c = c,
		.env = {
			.arena = c->arena, .diag = &c->diag, .catalog = c->catalog, .registry = &language,
			.options = &c->options, .check_format = format_check,
		},
	};
	int left = 0;

	c->diag.arena = c->arena;
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		if (passes[i].run)
			passes[i].run(&p);
		else
			passes[i].build(p.build);
		left = mistakes_left(c, passes[i].letter, left);
		if (c->diag.errors > left)
			return -EINVAL;
		if (stop_after && passes[i].letter == stop_after)
			break;
	}
	return 0;
}
