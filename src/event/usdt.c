/*
 * Static probes of programs: `usdt:PATH:PROVIDER:NAME`, or without the provider; the file as
 * for user functions, provider and name with wildcards. A probe can be at many places, and at
 * each its arguments are somewhere else: places that are alike share a program.
 */
#include "event/rules.h"
#include "lang/diag_tags.h"

#define PREFIX "usdt:"

static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && str_has_prefix(s->text, PREFIX);
}

static struct cat_user user_of(const struct source_env *env, const struct ast_source *s)
{
	return (struct cat_user){
		.text = str_sub(s->text, sizeof(PREFIX) - 1, -1), .probes = true,
		.pids = env->options->pids, .n_pids = env->options->n_pids,
		.others = env->options->children,
	};
}

struct each {
	struct arena *arena;
	struct source_match *match;
};

static void add_each(void *arg, const struct cat_function *f)
{
	struct each *e = arg;

	vec_push(e->arena, &e->match->functions, f);
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	const struct catalog *c = env->catalog;
	struct source_match *m = arena_new(env->arena, struct source_match);
	struct cat_user user = user_of(env, s);
	struct each each = { env->arena, m };

	if (!c->ops->user_functions || !source_can(c, CAN_UPROBE))
		return;
	c->ops->user_functions(c->self, &user, add_each, &each);
	if (!m->functions.n)
		return;
	m->call = CALL_ENTER;
	m->event = source_func_event(CAT_FUNC_ENTER);
	source_choose_user(c, m);
	m->name = arena_strndup(env->arena, s->text.p, (size_t)s->text.n);
	m->short_name = m->functions.v[0]->name;
	m->loc = s->loc;
	vec_push(env->arena, out, m);
}

static void report(struct source_env *env, const struct ast_source *s)
{
	const struct catalog *c = env->catalog;
	struct cat_user user = user_of(env, s);
	const char *help = NULL;

	if (!c->ops->user_functions) {
		source_not_recorded(env, s, "static probes of programs");
	} else if (!source_can(c, CAN_UPROBE)) {
		diag_error(env->diag, DIAG_UNABLE, s->loc,
			   "this kernel cannot trace programs: it has no uprobes");
		diag_help(env->diag, "culprit doctor says what is missing");
	} else {
		diag_error(env->diag, DIAG_NO_EVENT, s->loc, "%s",
			   c->ops->no_user_function(c->self, &user, &help));
		if (help)
			diag_help(env->diag, "%s", help);
	}
}

const struct source_ops source_usdt = {
	.name = "usdt", .form = "usdt:PATH:PROVIDER:NAME", .help = "a place that a program's makers marked (a static probe)",
	.example = "usdt:libstdc++.so.6:libstdcxx:throw | count by comm, ustack",
	.recognise = recognise, .find = find, .report = report,
};
