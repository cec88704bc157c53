/*
 * User functions: `/usr/bin/bash:readline()`, `libc.so:malloc()`, `pid:1234:work()`,
 * with wildcards in the name and `.enter` or `.return` for one end. Which file and
 * which places in it is the catalog's business; here it is decided how to attach:
 *
 *	uprobe.session	one program for both ends, which the kernel matches
 *	uprobe.multi	one link for all functions of a file
 *	uprobe		a perf event for each function
 */
#include "event/rules.h"
#include "lang/diag_tags.h"

/* With or without parentheses: without them it is a mistake of our kind. */
static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && memchr(s->text.p, ':', (size_t)s->text.n) &&
	       source_is_user_function(s->text);
}

static struct cat_user user_of(struct source_env *env, const struct ast_source *s,
			       enum call_end *end)
{
	return (struct cat_user){
		.text = source_func_name(s->text, end),
		.pids = env->options->pids, .n_pids = env->options->n_pids,
		.others = env->options->children,
		.returns = *end != CALL_ENTER, .params = env->params,
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

/* The unwinder meets the kernel's address in the place of the caller's and gives up. */
static void warn(struct source_env *env, const struct ast_source *s, const struct source_match *m)
{
	if (m->call == CALL_ENTER || !m->functions.v[0]->throws)
		return;
	diag_warning(env->diag, DIAG_EXCEPTIONS, s->loc,
		     "if an exception is thrown through a function whose return is traced, it ends the "
		     "program");
	diag_help(env->diag, "where that can happen, trace only .enter");
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	const struct catalog *c = env->catalog;
	struct source_match *m;
	struct cat_user user;
	struct each each;
	enum call_end end;

	user = user_of(env, s, &end);
	if (end == CALL_NONE || !c->ops->user_functions || !source_can(c, CAN_UPROBE))
		return;
	m = arena_new(env->arena, struct source_match);
	each = (struct each){ env->arena, m };
	c->ops->user_functions(c->self, &user, add_each, &each);
	if (!m->functions.n)
		return;
	m->call = (uint8_t)end;
	m->event = source_func_event(end == CALL_ENTER ? CAT_FUNC_ENTER : CAT_FUNC_RETURN);
	source_choose_user(c, m);
	m->name = arena_strndup(env->arena, s->text.p, (size_t)s->text.n);
	m->short_name = m->functions.v[0]->name;
	m->loc = s->loc;
	warn(env, s, m);
	vec_push(env->arena, out, m);
}

static void note(void *arg, const struct cat_function *f)
{
	*(bool *)arg = f;
}

/* Where the file, too, has no such function that is said: parentheses would not help. */
static bool only_lacks_parentheses(const struct catalog *c, const struct cat_user *user)
{
	const char *help;
	bool found = false;

	if (!c->ops->user_functions || !source_can(c, CAN_UPROBE))
		return true;
	c->ops->user_functions(c->self, user, note, &found);
	return found || !c->ops->no_user_function(c->self, user, &help);
}

static void report(struct source_env *env, const struct ast_source *s)
{
	const struct catalog *c = env->catalog;
	const char *help = NULL;
	struct cat_user user;
	enum call_end end;

	user = user_of(env, s, &end);
	if (end == CALL_NONE && only_lacks_parentheses(c, &user)) {
		diag_error(env->diag, DIAG_NO_EVENT, s->loc, "a function needs parentheses");
		diag_help(env->diag, "write %.*s(), or its .enter or .return", STR_ARG(user.text));
	} else if (!c->ops->user_functions) {
		source_not_recorded(env, s, "calls of programs' functions");
	} else if (!source_can(c, CAN_UPROBE)) {
		diag_error(env->diag, DIAG_UNABLE, s->loc, "this kernel cannot trace programs: it has no uprobes");
		diag_help(env->diag, "culprit doctor says what is missing");
	} else {
		const char *why = c->ops->no_user_function(c->self, &user, &help);

		diag_error(env->diag, DIAG_NO_EVENT, s->loc, "%s", why);
		if (help)
			diag_help(env->diag, "%s", help);
	}
}

const struct source_ops source_ufunc = {
	.name = "user function", .form = "PATH:NAME(), LIB.so:NAME()",
	.help = "a function of programs, from its call to its return; of one process: pid:N:NAME()",
	.example = "libc.so:getaddrinfo() | print comm, str(arg0), duration",
	.recognise = recognise, .find = find, .report = report,
};
