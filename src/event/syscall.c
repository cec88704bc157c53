/*
 * System calls: `syscall:read`, `syscall:open*`, with `.enter` or `.return` for
 * one of the two ends as an event. A wildcard is one match with many calls:
 * they share the two attach points sys_enter and sys_exit.
 */
#include "base/near.h"
#include "lang/diag_tags.h"
#include "plan/source.h"

#define PREFIX "syscall:"

static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && str_has_prefix(s->text, PREFIX);
}

/* The call's name without prefix and suffix, and which end is meant. */
static struct str call_name(const struct ast_source *s, enum call_end *end)
{
	static const struct {
		const char *suffix;
		enum call_end end;
	} ends[] = { { ".enter", CALL_ENTER }, { ".return", CALL_RETURN } };
	struct str t = str_sub(s->text, sizeof(PREFIX) - 1, -1);

	*end = CALL_PERIOD;
	for (int i = 0; i < 2; i++) {
		int n = (int)strlen(ends[i].suffix);

		if (t.n > n && str_is(str_sub(t, t.n - n, -1), ends[i].suffix)) {
			*end = ends[i].end;
			return str_sub(t, 0, t.n - n);
		}
	}
	return t;
}

struct each {
	struct source_env *env;
	struct source_match *m;
};

static void add_each(void *arg, const char *name)
{
	struct each *e = arg;
	const struct catalog *c = e->env->catalog;
	const struct cat_syscall *call = c->ops->syscall(c->self, str_of(name));

	if (call)
		vec_push(e->env->arena, &e->m->calls, call);
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	const struct catalog *c = env->catalog;
	struct source_match *m = arena_new(env->arena, struct source_match);
	struct each each = { env, m };
	enum call_end end;
	struct str name = call_name(s, &end);

	m->call = end;
	m->attach = env->options->has.replay ? ATTACH_RECORD : ATTACH_TP_BTF;
	m->event = c->ops->syscall_event(c->self, end == CALL_ENTER ? CAT_SYSCALL_ENTER
								    : CAT_SYSCALL_EXIT);
	m->name = arena_strndup(env->arena, s->text.p, (size_t)s->text.n);
	m->loc = s->loc;
	c->ops->list(c->self, LIST_SYSCALLS, name, add_each, &each);
	if (!m->event || !m->calls.n)
		return;
	if (end != CALL_ENTER && m->calls.n == 1 && m->calls.v[0]->facts & CALL_ENDS_TASK) {
		diag_warning(env->diag, DIAG_NEVER_RETURNS, s->loc, "%s does not return: there will be nothing",
			     m->calls.v[0]->name);
		diag_help(env->diag, "write syscall:%s.enter", m->calls.v[0]->name);
	}
	m->short_name = m->calls.v[0]->name;
	vec_push(env->arena, out, m);
}

static void nearest_each(void *arg, const char *name)
{
	near_look(arg, str_of(name));
}

static void report(struct source_env *env, const struct ast_source *s)
{
	enum call_end end;
	struct near n = { .arena = env->arena, .name = call_name(s, &end), .distance = 3 };
	const struct catalog *c = env->catalog;

	diag_error(env->diag, DIAG_NO_EVENT, s->loc, "%s '%.*s'", str_is_glob(n.name) ?
		   "no system call matches" : "there is no system call", STR_ARG(n.name));
	c->ops->list(c->self, LIST_SYSCALLS, str_of("*"), nearest_each, &n);
	if (n.best.p)
		diag_help(env->diag, "did you mean 'syscall:%s'?", n.best.p);
	else
		diag_help(env->diag, "%s", c->ops->list_help ? c->ops->list_help :
			  "culprit list syscalls shows what there is");
}

const struct source_ops source_syscall = {
	.name = "syscall", .form = "syscall:NAME",
	.help = "a system call, from its entry to its return",
	.example = "syscall:read | hist(duration) by comm",
	.recognise = recognise, .find = find, .report = report,
};
