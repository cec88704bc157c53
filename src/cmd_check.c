/*
 * Is this query file right? Everything is compiled as for a run, nothing is loaded.
 * What stands under `if $P` is only there when P is given, so the file is compiled
 * without parameters and with each of them alone.
 */
#include <stdio.h>

#include "cmd.h"
#include "query.h"

/* A value of each type that a parameter can have. */
static const char *value_for(struct str type)
{
	static const struct {
		const char *type, *value;
	} samples[] = {
		{ "flag", NULL }, { "int", "1" }, { "duration", "1ms" }, { "size", "1KiB" },
		{ "string", "x" }, { "glob", "x*" }, { "errno", "ENOENT" }, { "pid", "1" },
		{ "tid", "1" }, { "source", "libc.so.6:getenv" }, { "parts", "state" },
		{ "expression", "pid > 0" }, { "columns", "given = pid" }, { "percentiles", "50,99.9" },
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (str_is(type, samples[i].type))
			return samples[i].value;
	return NULL;
}

static void give(struct query *q, const struct ast_param *p)
{
	*vec_add(&q->arena, &q->options.params) = (struct param_value){
		.name = arena_strndup(&q->arena, p->name.p, (size_t)p->name.n),
		.value = value_for(p->type),
	};
}

/* A source stands there in any case. */
static bool names_source(const struct ast_param *p)
{
	return str_is(p->type, "source") && !p->value;
}

/* What it is a part of (`$libc:f()`) is known to its default only. */
static bool part_of_source(const struct ast_param *p)
{
	return str_is(p->type, "source") && p->value;
}

/* One way through the file. param: given alone; -1: none. */
static int check_way(const struct source_text *text, int param, const char *without)
{
	struct query q;
	int status;

	query_init(&q, text->name, NULL);
	q.compile.text = *text;
	if (compile_run(&q.compile, 'a')) {
		query_print_diag(&q.compile.diag);
		query_fini(&q);
		return END_WRONG;
	}
	if (without)
		vec_push(&q.arena, &q.options.without, without);
	for (int i = 0; i < q.compile.ast->params.n; i++)
		if (i == param || names_source(&q.compile.ast->params.v[i]))
			give(&q, &q.compile.ast->params.v[i]);
	status = query_target(&q);
	if (!status)
		status = query_compile(&q, 0);
	if (status == END_WRONG && param >= 0)
		fprintf(stderr, "culprit: %s is wrong when --%.*s is given\n", text->name,
			STR_ARG(q.compile.ast->params.v[param].name));
	query_fini(&q);
	return status;
}

/* Parameters whose letter or name a common option has. */
static void warn_clashes(const struct source_text *text, const struct ast *ast)
{
	for (int i = 0; i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];
		const struct option_row *r = option_clash(p);

		if (r && r->letter)
			fprintf(stderr, "culprit: %s: warning: -%c, --%s is an option of every query "
				"and wins over the parameter %.*s\n", text->name, r->letter, r->name,
				STR_ARG(p->name));
		else if (r)
			fprintf(stderr, "culprit: %s: warning: --%s is an option of every query and "
				"wins over the parameter %.*s\n", text->name, r->name,
				STR_ARG(p->name));
	}
}

static int check_file(const char *path, const char *without)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct diag diag = { .arena = &a };
	struct source_text text;
	const struct ast *ast;
	int status;

	if (query_read_file(&a, path, &text, &e)) {
		status = err_print(&e, END_WRONG);
		arena_fini(&a);
		return status;
	}
	status = check_way(&text, -1, without);
	if (!status) {
		ast = parse(&a, &diag, &text);
		for (int i = 0; i < ast->params.n && !status; i++)
			if (!part_of_source(&ast->params.v[i]))
				status = check_way(&text, i, without);
		warn_clashes(&text, ast);
	}
	if (!status)
		printf("%s: right\n", path);
	arena_fini(&a);
	return status;
}

int cmd_check(char **argv)
{
	const char *without = NULL;
	int status = END_DONE;

	if (argv[0] && !strcmp(argv[0], "--without") && argv[1]) {
		without = argv[1];
		argv += 2;
	}
	if (!argv[0]) {
		fputs("culprit: check needs a FILE\n", stderr);
		return END_WRONG;
	}
	for (; *argv; argv++) {
		int one = check_file(*argv, without);

		status = one > status ? one : status;
	}
	return put_end(status);
}
