/* See rules.h. */
#include "event/rules.h"

#include "lang/diag_tags.h"

static void count_name(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
}

static int count_names(const struct catalog *c, enum cat_list what, struct str glob)
{
	int n = 0;

	c->ops->list(c->self, what, glob, count_name, &n);
	return n;
}

void source_not_recorded(struct source_env *env, const struct ast_source *s, const char *what)
{
	const struct catalog *c = env->catalog;
	enum call_end end;
	struct str name = source_func_name(s->text, &end);

	if (!str_is(name, "*") && count_names(c, LIST_EVENTS, name)) {
		diag_error(env->diag, DIAG_UNABLE, s->loc,
			   "a recorded trace holds no %s; '%.*s' is an event of it, without a duration: culprit "
			   "trace shows each, culprit run 'from A to B on KEY' the time between two", what,
			   STR_ARG(name));
		return;
	}
	diag_error(env->diag, DIAG_UNABLE, s->loc,
		   "a recorded trace holds no %s: this one describes %d kinds of events, those of "
		   "%d system calls among them",
		   what, count_names(c, LIST_EVENTS, str_of("*")), count_names(c, LIST_SYSCALLS, str_of("*")));
	if (c->ops->list_help)
		diag_help(env->diag, "%s", c->ops->list_help);
}

void source_choose_user(const struct catalog *c, struct source_match *m)
{
	if (m->call == CALL_PERIOD && source_can(c, CAN_UPROBE_SESSION)) {
		m->attach = ATTACH_UPROBE_SESSION;
		m->why = "one program and link for all, the kernel matches entry and return";
	} else if (source_can(c, CAN_UPROBE_MULTI)) {
		m->attach = ATTACH_UPROBE_MULTI;
		m->why = "one link for all places in a file";
	} else {
		m->attach = ATTACH_UPROBE;
		m->why = "one by one: this kernel has no uprobe.multi";
	}
}
