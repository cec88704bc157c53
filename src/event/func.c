/*
 * What kernel and user functions have in common as sources: the two ends of a call and
 * the text behind a function's name; how programs are attached to. kfunc.c, ufunc.c and
 * usdt.c find the functions.
 */
#include "plan/source.h"

#include "lang/diag_tags.h"

static const struct cat_event ends[] = {
	{ .kind = CAT_FUNC_ENTER, .system = "", .name = "function" },
	{ .kind = CAT_FUNC_RETURN, .system = "", .name = "function" },
};

const struct cat_event *source_func_event(enum cat_kind kind)
{
	return &ends[kind == CAT_FUNC_RETURN];
}

bool source_is_user_function(struct str text)
{
	return memchr(text.p, '/', (size_t)text.n) || str_has_prefix(text, "pid:") ||
	       (text.n > 3 && memmem(text.p, (size_t)text.n, ".so", 3));
}

struct str source_func_name(struct str text, enum call_end *end)
{
	static const struct {
		const char *suffix;
		enum call_end end;
	} suffixes[] = {
		{ "().enter", CALL_ENTER }, { "().return", CALL_RETURN }, { "()", CALL_PERIOD },
	};

	*end = CALL_NONE;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		int n = (int)strlen(suffixes[i].suffix);

		if (text.n > n && str_is(str_sub(text, text.n - n, -1), suffixes[i].suffix)) {
			*end = suffixes[i].end;
			return str_sub(text, 0, text.n - n);
		}
	}
	return text;
}

bool source_can(const struct catalog *c, enum cat_can what)
{
	return c->ops->can && c->ops->can(c->self, what);
}

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
