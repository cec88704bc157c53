/*
 * Is this query file right? Everything is compiled as for a run. What stands under `if $P` is
 * only there when P is given, so the file is compiled without parameters and with each of them
 * alone. --load: as it runs without parameters it is also loaded, attached and taken away again,
 * with small tables, so that this kernel has said what it thinks of it. The machine is looked at
 * once for all files.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/near.h"
#include "cli/cmd.h"
#include "cli/query.h"
#include "kern/live/live.h"

/* The verifier does not ask how large a table is, and filling them takes a third of the time. */
#define LOAD_ROWS 64

struct check {
	struct live_target machine;
	const char *without;		/* a feature that is off; NULL: none */
	bool load;
};

/* A file, a query or a shipped tool. */
struct checked {
	struct source_text text;
	const struct shipped_tool *tool;	/* NULL: a file */
};

/* A value of each type that a parameter can have. */
static const char *value_for(struct str type)
{
	static const struct {
		const char *type, *value;
	} samples[] = {
		{ "flag", NULL }, { "int", "1" }, { "duration", "1ms" }, { "size", "1KiB" },
		{ "string", "x" }, { "glob", "*" }, { "errno", "ENOENT" }, { "pid", "1" },
		{ "tid", "1" }, { "source", "libc.so.6:getenv" },
		{ "sources", "libc.so.6:getenv" }, { "parts", "state" },
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
	return param_type_is_source(p->type) && !p->value;
}

/* What it is a part of (`$libc:f()`) is known to its default only. */
static bool part_of_source(const struct ast_param *p)
{
	return param_type_is_source(p->type) && p->value;
}

static int load(struct query *q)
{
	struct live_options o = { .wake_fd = -1, .features = &q->machine->features };
	struct live *s = live_open(q->session.compile.image, q->session.compile.plan, &o, &q->err);
	struct executor *x = s ? live_executor(s) : NULL;
	int code = x ? x->ops->begin(x, &q->err) : -EINVAL;

	if (x)
		x->ops->stop(x);
	live_close(s);
	if (!code)
		return END_DONE;
	err_push(&q->err, code, "%s cannot be loaded here", q->title);
	return err_print(&q->err, END_FAILED);
}

/* One way through the file. param: given alone; -1: none. */
static int check_way(struct check *c, const struct checked *file, int param)
{
	struct query q;
	int status;

	query_init(&q, file->text.name, file->tool);
	q.machine = &c->machine;
	q.spec.text = file->text;
	if (session_compile(&q.session, 'a')) {
		query_print_diag(&q.session.compile.diag);
		query_fini(&q);
		return END_WRONG;
	}
	if (c->without)
		vec_push(&q.arena, &q.options.without, c->without);
	if (c->load)
		q.options.table_rows = q.options.max_open = LOAD_ROWS;
	for (int i = 0; i < q.session.compile.ast->params.n; i++)
		if (i == param || names_source(&q.session.compile.ast->params.v[i]))
			give(&q, &q.session.compile.ast->params.v[i]);
	status = query_target(&q);
	if (!status)
		status = query_compile(&q, 0);
	if (!status && c->load && param < 0)
		status = load(&q);
	if (status == END_WRONG && param >= 0)
		fprintf(stderr, "culprit: %s is wrong when --%.*s is given\n", file->text.name,
			STR_ARG(q.session.compile.ast->params.v[param].name));
	query_fini(&q);
	return status;
}

static int check_ways(struct check *c, const struct checked *file)
{
	int status = check_way(c, file, -1);
	struct arena a = { 0 };
	struct diag diag = { .arena = &a };
	const struct ast *ast;

	if (status)
		return status;
	ast = parse(&a, &diag, &file->text);
	for (int i = 0; i < ast->params.n && !status; i++)
		if (!part_of_source(&ast->params.v[i]))
			status = check_way(c, file, i);
	if (!file->tool)
		query_warn_clashes(&file->text, ast);
	if (!status)
		printf("%s: ok%s\n", file->text.name, c->load ? ", and loaded" : "");
	arena_fini(&a);
	return status;
}

static int check_file(struct check *c, const char *name)
{
	struct checked file = { .tool = tool_find(name) };
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	int status = END_DONE;

	if (file.tool)
		file.text = tool_text(&a, file.tool);
	else if (strpbrk(name, "|:(") && access(name, F_OK))
		file.text = (struct source_text){ "query", str_of(name) };
	else if (query_read_file(&a, name, &file.text, &e))
		status = err_print(&e, END_WRONG);
	if (!status)
		status = check_ways(c, &file);
	arena_fini(&a);
	fflush(stdout);
	return status;
}

static int unknown_option(const char *option)
{
	static const char *const names[] = { "--load", "--without" };
	const char *near = str_nearest(str_of(option), names, 2);

	complain("culprit: there is no option %.*s\n", STR_ARG(str_of(option)));
	if (near)
		fprintf(stderr, "help: did you mean %s?\n", near);
	else
		fputs("help: `culprit help check` shows the options\n", stderr);
	return END_WRONG;
}

int cmd_check(char **argv)
{
	struct check c = { .load = false };
	int status = END_DONE;

	live_target_init(&c.machine);
	c.machine.lasts = true;
	for (; *argv; argv++) {
		if (!strcmp(*argv, "--without") && argv[1])
			c.without = *++argv;
		else if (!strcmp(*argv, "--load"))
			c.load = true;
		else
			break;
	}
	if (*argv && argv[0][0] == '-' && argv[0][1])
		return unknown_option(*argv);
	if (!*argv) {
		fputs("culprit: check needs a FILE, a QUERY or a TOOL\n", stderr);
		return END_WRONG;
	}
	for (; *argv; argv++) {
		int one = check_file(&c, *argv);

		status = one > status ? one : status;
	}
	live_target_fini(&c.machine);
	return put_end(status);
}
