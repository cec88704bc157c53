/*
 * What there is: tools, events, system calls, views, features. -v shows the fields of
 * events and the parameters of calls with their types.
 */
#include <stdio.h>

#include "base/near.h"
#include "cli/cmd.h"
#include "cli/query.h"
#include "cli/trace.h"
#include "plan/source.h"
#include "view/view.h"

struct list {
	struct arena arena;
	struct err err;
	struct features features;
	struct kernel_catalog *kernel;
	const struct catalog *catalog;
	struct str glob;
	bool verbose;
	bool asked;			/* a glob was given */
	bool wrong;			/* what err says is a mistake of the command line */
	int found;
	struct buf out;
};

static bool matches(const struct list *l, const char *name)
{
	return str_glob(l->glob, str_of(name));
}

static bool open_catalog(struct list *l)
{
	if (l->kernel)
		return true;
	l->kernel = kernel_catalog_open(&l->err, &l->features);
	if (l->kernel)
		l->catalog = kernel_catalog_catalog(l->kernel);
	return l->kernel != NULL;
}

/* ---- what is in the binary ---- */

static void list_tool(struct list *l, const struct shipped_tool *t)
{
	struct source_text text;
	const struct ast *ast = tool_parse(&l->arena, t, &text);

	buf_printf(&l->out, "  %-14s %.*s\n", t->name, STR_ARG(help_summary(ast)));
	if (l->verbose)
		options_print_params(ast, &l->out);
}

/* By the question that they answer. */
static void list_tools(struct list *l)
{
	for (int q = 0; questions[q]; q++) {
		bool said = false;

		for (int i = 0; i < shipped_tool_count; i++) {
			const struct shipped_tool *t = &shipped_tools[i];

			if (!matches(l, t->name) || strcmp(t->question, questions[q]))
				continue;
			if (!said)
				buf_printf(&l->out, "%s%s\n", l->found ? "\n" : "", questions[q]);
			said = true;
			l->found++;
			list_tool(l, t);
		}
	}
}

static void list_views(struct list *l)
{
	for (int i = 0; view_registry[i]; i++) {
		const struct view_ops *v = view_registry[i];

		if (!matches(l, v->name))
			continue;
		l->found++;
		buf_printf(&l->out, "%-12s %s", v->name, v->help);
		if (v->endings)
			buf_printf(&l->out, " (-o FILE.%.*s)", (int)strcspn(v->endings, " "),
				   v->endings);
		buf_putc(&l->out, '\n');
	}
}

static void list_features(struct list *l)
{
	for (int i = 0; i < FEATURES; i++) {
		const struct feature_row *r = feature_row((enum feature_id)i);

		if (!matches(l, r->name))
			continue;
		l->found++;
		buf_printf(&l->out, "%-18s %s\n", r->name, r->gives);
		if (l->verbose)
			buf_printf(&l->out, "    since: %s\n    without: %s\n", r->since, r->without);
	}
}

/* ---- what the kernel has ---- */

static void add_fields(struct list *l, const char *what, const struct cat_field *fields, int n)
{
	print_fields(&l->out, l->catalog, what, fields, n);
}

static void each_event(void *arg, const char *name)
{
	struct list *l = arg;
	const char *colon = strchr(name, ':');
	const struct cat_event *e;

	l->found++;
	buf_printf(&l->out, "%s\n", name);
	if (!l->verbose || !colon)
		return;
	e = l->catalog->ops->event(l->catalog->self,
				   (struct str){ name, (int)(colon - name) }, str_of(colon + 1));
	if (!e)
		return;
	add_fields(l, "field", e->fields, e->n_fields);
	add_fields(l, "argument", e->args, e->n_args);
	if (e->interrupt)
		buf_puts(&l->out, "    runs in whoever was interrupted: no pid tid comm of its own\n");
}

static void list_events(struct list *l)
{
	if (open_catalog(l))
		l->catalog->ops->list(l->catalog->self, LIST_EVENTS, l->glob, each_event, l);
}

static void each_syscall(void *arg, const char *name)
{
	struct list *l = arg;
	const struct cat_syscall *s;

	l->found++;
	buf_printf(&l->out, "syscall:%s\n", name);
	if (!l->verbose)
		return;
	s = l->catalog->ops->syscall(l->catalog->self, str_of(name));
	if (s)
		add_fields(l, "field", s->params, s->n_params);
}

static void list_syscalls(struct list *l)
{
	if (str_has_prefix(l->glob, "syscall:"))
		l->glob = str_sub(l->glob, 8, -1);
	if (open_catalog(l))
		l->catalog->ops->list(l->catalog->self, LIST_SYSCALLS, l->glob, each_syscall, l);
}

static void each_function(void *arg, const struct cat_function *f)
{
	struct list *l = arg;

	l->found++;
	buf_printf(&l->out, "%s%s%s()%s%s\n", f->module ? f->module : "", f->module ? ":" : "",
		   f->name, strcmp(f->name, f->symbol) ? "  as " : "",
		   strcmp(f->name, f->symbol) ? f->symbol : "");
	if (!l->verbose)
		return;
	add_fields(l, "field", f->params, f->n_params - f->n_spare);
	if (f->no_names)
		buf_printf(&l->out, "    without names: %s\n", f->no_names);
	add_fields(l, "returns", f->ret, f->ret != NULL);
}

static void each_untraceable(void *arg, const char *why, const char *name)
{
	struct list *l = arg;

	buf_printf(&l->out, "%s: cannot be traced: %s\n", name, why);
}

static void count_function(void *arg, const struct cat_function *f)
{
	struct list *l = arg;

	(void)f;
	l->found++;
}

/* Of the kernel; before a colon a module. Those of programs by their file. */
static void list_functions(struct list *l)
{
	const char *colon = memchr(l->glob.p, ':', (size_t)l->glob.n);
	struct cat_user user = { .text = l->glob, .params = true };
	int at = colon ? (int)(colon - l->glob.p) : 0;
	struct str module = str_sub(l->glob, 0, at), name = str_sub(l->glob, colon ? at + 1 : 0, -1);
	bool of_kernel = !colon || !source_is_user_function(l->glob);

	if (!open_catalog(l))
		return;
	if (of_kernel)
		l->catalog->ops->functions(l->catalog->self, module, name,
					   l->asked ? each_function : count_function, l);
	else
		l->catalog->ops->user_functions(l->catalog->self, &user, each_function, l);
	if (!of_kernel && l->verbose)
		l->catalog->ops->user_untraceable(l->catalog->self, &user, each_untraceable, l);
	if (of_kernel && l->asked && l->verbose)
		l->catalog->ops->untraceable(l->catalog->self, module, name, each_untraceable, l);
	if (l->asked || !l->found)
		return;
	l->wrong = true;
	err_help(&l->err, "as in: culprit list functions 'vfs_*', or '*' for all");
	err_push(&l->err, -1, "there are %d functions: name some of them", l->found);
}

/* A probe of many places is listed once, and its arguments with what the first has. */
struct probes {
	struct list *list;
	const char *file;
	const struct cat_function *first;
	int places;
};

static void put_probe(struct probes *p)
{
	struct list *l = p->list;
	const struct cat_function *f = p->first;

	if (!f)
		return;
	l->found++;
	buf_printf(&l->out, "usdt:%s:%s\n", p->file, f->symbol);
	if (!l->verbose)
		return;
	add_fields(l, "argument", f->params, f->n_params);
	buf_printf(&l->out, "    %d place%s%s\n", p->places, p->places == 1 ? "" : "s",
		   f->semaphore ? ", runs only while traced" : "");
}

static void each_probe(void *arg, const struct cat_function *f)
{
	struct probes *p = arg;

	if (p->first && !strcmp(p->first->symbol, f->symbol)) {
		p->places++;
		return;
	}
	put_probe(p);
	p->first = f;
	p->places = 1;
}

/* Of a file, with a glob of probes behind it or not: PATH, PATH:python:*, libc.so, pid:1. */
static void list_probes(struct list *l)
{
	const char *text = arena_strndup(&l->arena, l->glob.p, (size_t)l->glob.n), *help = NULL;
	bool process = str_has_prefix(l->glob, "pid:");
	const char *colon = strchr(text + (process ? 4 : 0), ':');
	struct probes p = { .list = l };
	struct cat_user user = { .probes = true };
	const struct catalog_ops *ops;

	if (!open_catalog(l))
		return;
	l->wrong = true;
	if (!strcmp(text, "*")) {
		err_help(&l->err, "as in: culprit list probes /usr/bin/python3");
		err_push(&l->err, -1, "list probes needs a file, a library or a process (pid:1234)");
		return;
	}
	p.file = colon ? arena_strndup(&l->arena, text, (size_t)(colon - text)) : text;
	user.text = colon ? l->glob : str_of(arena_printf(&l->arena, "%s:*", text));
	ops = l->catalog->ops;
	ops->user_functions(l->catalog->self, &user, each_probe, &p);
	put_probe(&p);
	if (l->found)
		return;
	err_push(&l->err, -1, "%s", ops->no_user_function(l->catalog->self, &user, &help));
	if (help)
		err_help(&l->err, "%s", help);
}

/* ---- the command ---- */

static const struct what {
	const char *name, *also;	/* also: as other tools say */
	void (*list)(struct list *l);
	/* What a trace has of it; NULL: nothing can be said. */
	int (*of_trace)(const struct options *o, const char *glob, struct err *e);
} whats[] = {
	{ .name = "tools", .list = list_tools, .of_trace = trace_list_tools },
	{ .name = "events", .also = "tracepoints", .list = list_events, .of_trace = trace_list },
	{ .name = "syscalls", .list = list_syscalls },
	{ .name = "functions", .also = "kprobes", .list = list_functions },
	{ .name = "probes", .also = "usdt", .list = list_probes },
	{ .name = "views", .list = list_views },
	{ .name = "features", .list = list_features },
};
#define WHATS ((int)(sizeof(whats) / sizeof(whats[0])))

/* Without its s, too. */
static bool is_named(const char *name, const char *word)
{
	size_t n = strlen(word);

	return name && !strncmp(name, word, n) && (!name[n] || !strcmp(name + n, "s"));
}

static const struct what *find_what(const char *word)
{
	for (int i = 0; i < WHATS; i++)
		if (is_named(whats[i].name, word) || is_named(whats[i].also, word))
			return &whats[i];
	return NULL;
}

static void list_one(struct list *l, const struct what *w, bool title)
{
	size_t from = l->out.n;
	int found = l->found;

	if (title)
		buf_printf(&l->out, "%s:\n", w->name);
	w->list(l);
	if (title && l->found == found && l->out.p) {
		l->out.n = from;
		l->out.p[from] = 0;
	}
}

static int list_nothing(const char *glob)
{
	const char *names[WHATS], *near;

	for (int i = 0; i < WHATS; i++)
		names[i] = whats[i].name;
	near = str_nearest(str_of(glob), names, WHATS);
	complain("culprit: nothing matches '%s'\n", glob);
	if (near)
		fprintf(stderr, "help: did you mean `culprit list %s`?\n", near);
	return END_WRONG;
}

/* Without a kind: the tools; with a glob of everything, what matches of each kind. */
static void list_matching(struct list *l, const struct what *w, const char *glob)
{
	l->glob = str_of(glob);
	if (w)
		list_one(l, w, false);
	else
		for (int i = 0; i < WHATS; i++)
			if (whats[i].list != list_probes)
				list_one(l, &whats[i], true);
}

/* A word that names nothing is looked for inside of names. */
static int list(struct list *l, const struct what *w, const char *glob)
{
	l->asked = glob;
	list_matching(l, w || glob ? w : find_what("tools"), glob ? glob : "*");
	if (glob && !l->found && !l->err.causes.n && !str_is_glob(str_of(glob)))
		list_matching(l, w, arena_printf(&l->arena, "*%s*", glob));
	put(&l->out);
	if (l->err.causes.n)
		return err_print(&l->err, l->wrong ? END_WRONG : END_UNABLE);
	return l->found ? END_DONE : list_nothing(glob ? glob : "*");
}

int cmd_list(char **argv)
{
	struct list l = { .err.arena = &l.arena };
	struct option_set set = { .own = option_list, .only_own = true };
	const struct what *w = NULL;
	struct options o;
	int status, at = 0;

	options_init(&o, &l.arena);
	if (options_parse(&o, &set, argv, &l.err)) {
		status = err_print(&l.err, END_WRONG);
	} else if (o.help) {
		status = cmd_help((char *[]){ "list", NULL });
	} else {
		l.verbose = o.verbose;
		if (o.words.n)
			w = find_what(o.words.v[0]);
		at = w != NULL;
		if (o.trace && (!w || !w->of_trace)) {
			err_help(&l.err, "write culprit list events --trace %s, or culprit list tools", o.trace);
			err_push(&l.err, -1, "only events and tools can be listed of a trace");
			status = err_print(&l.err, END_WRONG);
		} else if (o.words.n > at + 1) {
			err_help(&l.err, "a GLOB stands in quotes, or the shell replaces it; the fields of an event: "
				 "culprit list -v %s", o.words.v[at + 1]);
			err_push(&l.err, -1, "'%s' is one argument too many", o.words.v[at + 1]);
			status = err_print(&l.err, END_WRONG);
		} else if (o.trace) {
			status = w->of_trace(&o, o.words.n > at ? o.words.v[at] : NULL, &l.err);
		} else {
			status = list(&l, w, o.words.n > at ? o.words.v[at] : NULL);
		}
	}
	buf_fini(&l.out);
	if (l.kernel)
		kernel_catalog_close(l.kernel);
	features_fini(&l.features);
	arena_fini(&l.arena);
	return put_end(status);
}
