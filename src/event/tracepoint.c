/*
 * Tracepoints: `sched:sched_switch`, `irq:*`, and offline a trace's own names
 * (`sched_switch`, `*`), which have no system.
 */
#include "base/near.h"
#include "event/rules.h"
#include "lang/diag_tags.h"

#define SUGGESTIONS_READ_MOST 20000

static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_SOURCE || s->kind == AS_NAME;
}

static void split(struct str text, struct str *system, struct str *name)
{
	const char *colon = memchr(text.p, ':', (size_t)text.n);

	*system = colon ? str_sub(text, 0, (int)(colon - text.p)) : (struct str){ "", 0 };
	*name = colon ? str_sub(text, (int)(colon - text.p) + 1, -1) : text;
}

static void add(struct source_env *env, struct str full, struct loc loc, source_matches *out)
{
	struct str system, name;
	const struct cat_event *e;
	struct source_match *m;

	split(full, &system, &name);
	e = env->catalog->ops->event(env->catalog->self, system, name);
	if (!e)
		return;
	m = arena_new(env->arena, struct source_match);
	m->event = e;
	m->attach = env->options->has.replay ? ATTACH_RECORD : ATTACH_TP_BTF;
	m->name = arena_strndup(env->arena, full.p, (size_t)full.n);
	m->short_name = e->name;
	m->loc = loc;
	vec_push(env->arena, out, m);
}

struct each {
	struct source_env *env;
	struct loc loc;
	source_matches *out;
};

static void add_each(void *arg, const char *name)
{
	struct each *e = arg;

	add(e->env, str_of(name), e->loc, e->out);
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	struct each each = { env, s->loc, out };

	if (str_is_glob(s->text))
		env->catalog->ops->list(env->catalog->self, LIST_EVENTS, s->text, add_each, &each);
	else
		add(env, s->text, s->loc, out);
}

struct search {
	struct near near;
	int seen;
};

static void nearest_each(void *arg, const char *name)
{
	struct search *n = arg;
	struct str system, own, full = str_of(name), wanted_system, wanted;

	split(full, &system, &own);
	split(n->near.name, &wanted_system, &wanted);
	if (n->seen++ > SUGGESTIONS_READ_MOST)
		return;
	/* The right name in another system is as near as one slip. */
	if (str_eq(own, wanted))
		near_take(&n->near, full, 1);
	else
		near_look(&n->near, full);
}

static const char *list_help(const struct source_env *env)
{
	const char *help = env->catalog->ops->list_help;

	return help ? help : "culprit list events shows what there is";
}

static void set_true(void *arg, const struct cat_function *f)
{
	(void)f;
	*(bool *)arg = true;
}

/* `page-faults`, `read`, `vfs_read.enter`: only the form is wrong. */
static bool help_form(struct source_env *env, struct str text)
{
	const struct catalog *c = env->catalog;
	const char *dot = memchr(text.p, '.', (size_t)text.n);
	struct str name = str_sub(text, 0, dot ? (int)(dot - text.p) : -1);
	const char *rate = source_sample_rate(text);
	bool is_function = false;

	if (memchr(text.p, ':', (size_t)text.n))
		return false;
	if (rate) {
		diag_help(env->diag, "write %.*s@%s: the number after @ says how often it makes a row",
			  STR_ARG(text), rate);
		return true;
	}
	if (c->ops->syscall(c->self, name)) {
		diag_help(env->diag, "write a system call as syscall:%.*s", STR_ARG(text));
		return true;
	}
	if (c->ops->functions && !env->options->has.replay)
		c->ops->functions(c->self, (struct str){ "", 0 }, name, set_true, &is_function);
	if (is_function)
		diag_help(env->diag, "write a kernel function as %.*s()%.*s", STR_ARG(name),
			  STR_ARG(str_sub(text, name.n, -1)));
	return is_function;
}

static void report(struct source_env *env, const struct ast_source *s)
{
	struct search n = { .near = { .arena = env->arena, .name = s->text, .distance = 4 } };

	if (str_is_glob(s->text)) {
		diag_error(env->diag, DIAG_NO_EVENT, s->loc, "no event matches '%.*s'",
			   STR_ARG(s->text));
		diag_help(env->diag, "%s", list_help(env));
		return;
	}
	diag_error(env->diag, DIAG_NO_EVENT, s->loc, "there is no event '%.*s'", STR_ARG(s->text));
	if (help_form(env, s->text))
		return;
	env->catalog->ops->list(env->catalog->self, LIST_EVENTS, str_of("*"), nearest_each, &n);
	if (n.near.best.p)
		diag_help(env->diag, "did you mean '%s'?", n.near.best.p);
	else
		diag_help(env->diag, "%s", list_help(env));
}

const struct source_ops source_tracepoint = {
	.name = "tracepoint", .form = "SYSTEM:EVENT", .help = "an event of the kernel (a tracepoint)",
	.example = "sched:sched_process_exec | print time, pid, comm",
	.recognise = recognise, .find = find, .report = report,
};
