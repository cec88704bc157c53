/*
 * User-space static probes: `usdt:PATH:PROVIDER:NAME`. They are recognised, so that the
 * rest of a query is checked, and answered with the sentence of plan/later.c.
 */
#include "plan/later.h"
#include "plan/source.h"

static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && str_has_prefix(s->text, "usdt:");
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	(void)env;
	(void)s;
	(void)out;
}

static void report(struct source_env *env, const struct ast_source *s)
{
	later_report(env->diag, s->loc, LATER_USDT);
}

const struct source_ops source_usdt = {
	.name = "usdt", .form = "usdt:PATH:PROVIDER:NAME", .help = "a user-space static probe",
	.recognise = recognise, .find = find, .report = report,
};
