/*
 * Kernel functions: `vfs_read()`, `ext4_*()`, `btrfs:*_write*()` (the module before the
 * colon), with `.enter` or `.return` for one end as an event.
 *
 * Which functions there are is the catalog's business; here it is decided how they are
 * attached: a few by programs in the function's own prologue (fentry), more by one link for
 * all of them, and one by one where the kernel has neither.
 */
#include "event/rules.h"
#include "lang/diag_tags.h"

#define FENTRY_MOST 4			/* each costs the kernel some ms to attach */
#define EVERYWHERE "schedule"		/* every kernel has it: where it is not seen, none are */

static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && memchr(s->text.p, '(', (size_t)s->text.n);
}

/* "btrfs:*_write*()" in three. */
static void split(struct str text, struct str *module, struct str *name, enum call_end *end)
{
	struct str rest = source_func_name(text, end);
	const char *colon = memchr(rest.p, ':', (size_t)rest.n);

	*module = colon ? str_sub(rest, 0, (int)(colon - rest.p)) : (struct str){ "", 0 };
	*name = colon ? str_sub(rest, (int)(colon - rest.p) + 1, -1) : rest;
}

struct each {
	struct source_env *env;
	struct source_match *m;
};

static void add_each(void *arg, const struct cat_function *f)
{
	struct each *e = arg;

	vec_push(e->env->arena, &e->m->functions, f);
}

/* ---- the way of attachment ---- */

static bool all_have_btf(const struct source_match *m)
{
	for (int i = 0; i < m->functions.n; i++)
		if (!m->functions.v[i]->btf_id)
			return false;
	return true;
}

/* Rows from cheap to dear for each call, as far as the kernel has them. */
static bool choose(const struct catalog *c, struct source_match *m)
{
	bool typed = all_have_btf(m);
	const struct {
		bool fits;
		uint8_t can;		/* enum cat_can */
		uint8_t attach;
		const char *why;
	} ways[] = {
		{ typed && m->functions.n <= FENTRY_MOST, CAN_FENTRY, ATTACH_FENTRY,
		  "fentry and fexit: the cheapest a call, for few functions" },
		{ m->call == CALL_PERIOD, CAN_KPROBE_SESSION, ATTACH_KPROBE_SESSION,
		  "kprobe.session: one link for all, the kernel matches entry and return" },
		{ true, CAN_KPROBE_MULTI, ATTACH_KPROBE_MULTI, "kprobe.multi: one link for all" },
		{ true, CAN_KPROBE, ATTACH_KPROBE,
		  "kprobes one by one: this kernel has no kprobe.multi" },
		{ typed, CAN_FENTRY, ATTACH_FENTRY,
		  "fentry and fexit: this kernel has no kprobes" },
	};

	for (size_t i = 0; c->ops->can && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (ways[i].fits && c->ops->can(c->self, ways[i].can)) {
			m->attach = ways[i].attach;
			m->why = ways[i].why;
			return true;
		}
	return false;
}

static bool can_any(const struct catalog *c)
{
	return c->ops->functions && c->ops->can &&
	       (c->ops->can(c->self, CAN_KPROBE) || c->ops->can(c->self, CAN_KPROBE_MULTI) ||
		c->ops->can(c->self, CAN_FENTRY));
}

/* In a program of fentry the parameters are arguments with types. */
static const struct cat_function *with_arguments(struct arena *a, const struct cat_function *f)
{
	struct cat_function *own = arena_new(a, struct cat_function);
	struct cat_field *params = arena_array(a, struct cat_field, f->n_params + 1);

	*own = *f;
	for (int i = 0; i < f->n_params; i++) {
		params[i] = f->params[i];
		params[i].loc = LOC_ARG;
	}
	own->params = params;
	return own;
}

/* Where the kernel hides addresses, what is attached to is one of those of a name. */
static void warn_of_twins(struct source_env *env, const struct ast_source *s, const struct source_match *m)
{
	const struct cat_function *first = NULL;
	int names = 0;

	for (int i = 0; i < m->functions.n; i++)
		if (m->functions.v[i]->stands_for > 1) {
			first = first ? first : m->functions.v[i];
			names++;
		}
	if (!names)
		return;
	diag_warning(env->diag, DIAG_AMBIGUOUS_NAME, s->loc,
		     "%d functions of this kernel are called '%s', and it hides their addresses: one of "
		     "them is traced%s", first->stands_for, first->symbol,
		     names > 1 ? arena_printf(env->arena, "; so with %d more names", names - 1) : "");
	diag_help(env->diag, "sysctl kernel.kptr_restrict=0, or 1 and CAP_SYSLOG, shows them: then all are");
}

/* ---- the operations ---- */

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	const struct catalog *c = env->catalog;
	struct source_match *m = arena_new(env->arena, struct source_match);
	struct each each = { env, m };
	struct str module, name;
	enum call_end end;

	split(s->text, &module, &name, &end);
	if (!can_any(c) || end == CALL_NONE)
		return;
	c->ops->functions(c->self, module, name, add_each, &each);
	m->call = (uint8_t)end;
	if (!m->functions.n || !choose(c, m))
		return;
	warn_of_twins(env, s, m);
	for (int i = 0; m->attach == ATTACH_FENTRY && i < m->functions.n; i++)
		m->functions.v[i] = with_arguments(env->arena, m->functions.v[i]);
	m->event = source_func_event(end == CALL_ENTER ? CAT_FUNC_ENTER : CAT_FUNC_RETURN);
	m->name = arena_strndup(env->arena, s->text.p, (size_t)s->text.n);
	m->short_name = m->functions.v[0]->name;
	m->loc = s->loc;
	vec_push(env->arena, out, m);
}

static void set_true(void *arg, const struct cat_function *f)
{
	(void)f;
	*(bool *)arg = true;
}

static bool is_there(const struct catalog *c, struct str module, struct str name)
{
	bool found = false;

	if (c->ops->functions)
		c->ops->functions(c->self, module, name, set_true, &found);
	return found;
}

static void keep_name(void *arg, const struct cat_function *f)
{
	const char **name = arg;

	if (!*name)
		*name = f->name;
}

/* Of the process that -p names, with or without its class; or NULL. */
static const char *of_process(struct source_env *env, struct str name)
{
	const struct catalog *c = env->catalog;
	const char *found = NULL, *program;

	if (!env->options->n_pids || !c->ops->program)
		return NULL;
	program = c->ops->program(c->self, env->options->pids[0]);
	for (int i = 0; i < 2 && !found; i++) {
		const char *text = arena_printf(env->arena, "%s:%s%.*s", program, i ? "*::" : "", STR_ARG(name));
		const struct cat_user user = { .text = str_of(text) };

		c->ops->user_functions(c->self, &user, keep_name, &found);
	}
	return found ? arena_printf(env->arena, "%s:%s", program, found) : NULL;
}

/* How the same function of a program or library is written, if there is one; or NULL. */
static const char *of_program(struct source_env *env, struct str module, struct str name)
{
	static const char *const places[] = {
		"./%.*s:%.*s", "/usr/bin/%.*s:%.*s", "/usr/sbin/%.*s:%.*s", "%.*s.so:%.*s", "lib%.*s.so:%.*s"
	};
	const struct catalog *c = env->catalog;

	const char *own;

	if (!c->ops->user_functions || str_is_glob(name))	/* a pattern fits too much */
		return NULL;
	own = module.n ? NULL : of_process(env, name);
	if (own)
		return own;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct str file = module.n ? module : str_of("libc");
		const char *text = arena_printf(env->arena, places[i], STR_ARG(file), STR_ARG(name));
		const struct cat_user user = { .text = str_of(text) };
		bool found = false;

		c->ops->user_functions(c->self, &user, set_true, &found);
		if (found)
			return text;
	}
	return NULL;
}

/* The kernel has none such. */
static bool is_of_class(struct str name)
{
	return memmem(name.p, (size_t)name.n, "::", 2) != NULL;
}

/* Not in the kernel: it may be of a program, whose name then stands as a module's. */
static void help_program(struct source_env *env, struct str module, struct str name, const char *help)
{
	if (is_of_class(name) || (env->options->n_pids && !module.n))
		diag_help(env->diag, "of a program write /PATH/PROGRAM:%.*s(), of a library LIB.so:%.*s()",
			  STR_ARG(name), STR_ARG(name));
	else if (module.n)
		diag_help(env->diag, "of a program write its path, /PATH/%.*s:%.*s(), of a library LIB.so:%.*s(); "
			  "of a module: %s", STR_ARG(module), STR_ARG(name), STR_ARG(name), help);
	else
		diag_help(env->diag, "of a library write LIB.so:%.*s(), of a program /PATH/PROGRAM:%.*s(); "
			  "of the kernel: %s", STR_ARG(name), STR_ARG(name), help);
}

/* able: were it there, it could be traced. */
static void report_no_function(struct source_env *env, const struct ast_source *s, struct str module,
			       struct str name, bool able)
{
	const struct catalog *c = env->catalog;
	const char *why = NULL, *help = NULL, *program = of_program(env, module, name);

	if (c->ops->no_function)
		why = c->ops->no_function(c->self, module, name, &help);
	diag_error(env->diag, able || program ? DIAG_NO_EVENT : DIAG_UNABLE, s->loc, "%s%s",
		   why ? why : "no such function",
		   able || program ? "" : ", and this kernel cannot trace its functions");
	if (!module.n && c->ops->syscall && c->ops->syscall(c->self, name))
		diag_help(env->diag, "the system call is syscall:%.*s%s%s%s", STR_ARG(name),
			  program ? ", the library's function " : "", program ? program : "", program ? "()" : "");
	else if (program)
		diag_help(env->diag, "write %s()", program);
	else if (help)
		help_program(env, module, name, help);
}

static void report(struct source_env *env, const struct ast_source *s)
{
	static const struct str none = { "", 0 };
	const struct catalog *c = env->catalog;
	struct str module, name;
	enum call_end end;

	split(s->text, &module, &name, &end);
	if (end == CALL_NONE) {
		diag_error(env->diag, DIAG_UNKNOWN_SOURCE, s->loc,
			   "after a function's () only .enter or .return is possible");
		return;
	}
	if (env->options->has.replay) {
		/* a name before the colon may be a program's */
		source_not_recorded(env, s, module.n ? "calls of functions" : "calls of kernel functions");
		return;
	}
	if (name.n && name.p[0] == ':') {		/* ns::f: the colon of a class, not of a module */
		name = (struct str){ module.p, module.n + 1 + name.n };
		module = none;
	}
	if (!can_any(c) && !is_of_class(name) && (is_there(c, module, name) || !is_there(c, none, str_of(EVERYWHERE)))) {
		diag_error(env->diag, DIAG_UNABLE, s->loc,
			   "this kernel cannot trace its functions: it has neither kprobes nor "
			   "fentry");
		diag_help(env->diag, "look for a tracepoint or a system call instead: "
			  "culprit list events");
		return;
	}
	report_no_function(env, s, module, name, can_any(c) || is_of_class(name));
}

const struct source_ops source_function = {
	.name = "function", .form = "NAME(), MODULE:NAME()",
	.help = "a function of the kernel, from its call to its return",
	.example = "vfs_read() | where duration > 1ms | print comm, count, ret, duration",
	.recognise = recognise, .find = find, .report = report,
};
