/*
 * From text to programs: the list of passes. Reading starts here.
 *
 *	t  lang/lex.c		text -> tokens (the parser asks for them one by one)
 *	a  lang/parse*.c	tokens -> syntax
 *	y  plan/param.c		the parameters get their values
 *	p  plan/build*.c	syntax + catalog -> plan: sources, periods, queries, types
 *	   plan/layout.c	where things are in records and rows
 *	b  bpf/cg*.c		plan -> BPF programs and tables
 *
 * The letters are those of `explain -d`. What runs the image is kern/ or replay/.
 */
#include "compile.h"

#include <errno.h>

#include "plan/build.h"
#include "view/format.h"

struct passes {
	struct compile *c;
	struct check_env env;
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

static void pass_plan(struct passes *p)
{
	p->c->plan = plan_build(&p->env, p->c->ast);
	if (p->c->plan)
		plan_layout(p->c->plan);
}

static void pass_image(struct passes *p)
{
	p->c->image = image_build(p->c->arena, &p->c->diag, p->c->plan, &p->c->options);
}

static const struct {
	char letter;
	void (*run)(struct passes *p);
} passes[] = {
	{ .letter = 'a', .run = pass_parse },
	{ .letter = 'y', .run = pass_params },
	{ .letter = 'p', .run = pass_plan },
	{ .letter = 'b', .run = pass_image },
};

int compile_run(struct compile *c, char stop_after)
{
	struct passes p = {
		.c = c,
		.env = {
			.arena = c->arena, .diag = &c->diag, .catalog = c->catalog,
			.options = &c->options, .check_format = format_check,
		},
	};

	c->diag.arena = c->arena;
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		passes[i].run(&p);
		if (c->diag.errors)
			return -EINVAL;
		if (passes[i].letter == stop_after)
			break;
	}
	return 0;
}
