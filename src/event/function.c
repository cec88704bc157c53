/*
 * Function sources: `vfs_read()`, `libc.so:malloc()`, `usdt:PATH:P:N`. They are
 * recognised, so that the rest of a query is checked, and answered with the
 * sentence of plan/later.c.
 */
#include "plan/later.h"
#include "plan/source.h"

static bool is_usdt(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && str_has_prefix(s->text, "usdt:");
}

static bool is_function(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && memchr(s->text.p, '(', (size_t)s->text.n);
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	(void)env;
	(void)s;
	(void)out;
}

static void report_usdt(struct source_env *env, const struct ast_source *s)
{
	later_report(env->diag, s->loc, LATER_USDT);
}

/* A path has a '/', a library '.so', a process 'pid:' (language.md, Sources). */
static void report_function(struct source_env *env, const struct ast_source *s)
{
	bool user = memchr(s->text.p, '/', (size_t)s->text.n) || str_has_prefix(s->text, "pid:")
		|| (s->text.n > 3 && memmem(s->text.p, (size_t)s->text.n, ".so", 3));

	later_report(env->diag, s->loc, user ? LATER_USER_FUNCTION : LATER_KERNEL_FUNCTION);
}

const struct source_ops source_usdt = {
	.name = "usdt", .form = "usdt:PATH:PROVIDER:NAME", .help = "a user-space static probe",
	.recognise = is_usdt, .find = find, .report = report_usdt,
};

const struct source_ops source_function = {
	.name = "function", .form = "NAME(), MODULE:NAME(), PATH:NAME()",
	.help = "a kernel or user function, from its call to its return",
	.recognise = is_function, .find = find, .report = report_function,
};
