/*
 * The text of a query, its options and this machine. See cli/query.h.
 */
#include "cli/query.h"

#include <errno.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/live/scope.h"
#include "lang/diag_tags.h"

/* ---- text ---- */

int query_read_file(struct arena *a, const char *path, struct source_text *text, struct err *e)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	struct buf b = { 0 };
	char part[16384];
	int error = 0;
	size_t n;

	if (!f)
		return err_push(e, -errno, "cannot read %s: %s", path, strerror(errno));
	errno = 0;
	/* one byte more than is read at most: the parser says that it is too large */
	while (b.n <= PARSE_TEXT_BYTES_MOST && (n = fread(part, 1, sizeof(part), f)))
		buf_add(&b, part, n);
	if (ferror(f))
		error = errno ? errno : EIO;
	if (f != stdin)
		fclose(f);
	*text = (struct source_text){ path, { arena_strndup(a, b.p ? b.p : "", b.n), (int)b.n } };
	buf_fini(&b);
	return error ? err_push(e, -error, "cannot read %s: %s", path, strerror(error)) : 0;
}

void query_print_diag(const struct diag *d)
{
	struct buf b = { 0 };

	diag_print(d, &b);
	if (b.n)
		fwrite(b.p, 1, b.n, stderr);
	buf_fini(&b);
}

void query_warn_clashes(const struct source_text *text, const struct ast *ast)
{
	for (int i = 0; i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];
		const struct option_row *r = option_clash(p);

		if (r && r->letter)
			fprintf(stderr, "culprit: %s: warning: -%c, --%s is an option of every query "
				"and wins over the parameter %.*s\n", text->name, r->letter, r->name,
				STR_ARG(p->name));
		else if (r)
			fprintf(stderr, "culprit: %s: warning: --%s is an option of every query and "
				"wins over the parameter %.*s\n", text->name, r->name,
				STR_ARG(p->name));
	}
}

static int parse_text(struct query *q)
{
	int code = session_compile(&q->session, 'a');

	if (code)
		query_print_diag(&q->session.compile.diag);
	else if (!q->tool)
		query_warn_clashes(&q->spec.text, q->session.compile.ast);
	q->set.ast = q->session.compile.ast;
	return code;
}

bool query_is_file(const char *word)
{
	size_t n = strlen(word);

	return (n > 2 && !strcmp(word + n - 2, ".q")) || (strchr(word, '/') && !access(word, R_OK));
}

/* The query is the first plain argument, or -f's file. */
static int take_text(void *self, const char *word, struct err *e)
{
	struct query *q = self;

	if (q->spec.text.name) {
		err_help(e, "give it as 'QUERY' or with -f FILE, not both");
		return err_push(e, -EINVAL, "a second query is given");
	}
	if (word && query_is_file(word) && !access(word, R_OK)) {
		err_help(e, "to run it: culprit %s; any command takes it with -f %s", word, word);
		return err_push(e, -EINVAL, "'%s' is a file, not a query", word);
	}
	if (word)
		q->spec.text = (struct source_text){ "query", str_of(word) };
	else if (query_read_file(&q->arena, q->options.file, &q->spec.text, e))
		return -EINVAL;
	return parse_text(q);
}

void query_init(struct query *q, const char *title, const struct shipped_tool *tool)
{
	*q = (struct query){ .title = title, .tool = tool, .machine = &q->own };
	q->err.arena = &q->arena;
	live_target_init(&q->own);
	session_init(&q->session, &q->spec, &q->own.target, &q->err);
	options_init(&q->options, &q->arena);
	if (tool) {
		q->spec.text = tool_text(&q->arena, tool);
		q->set.tool = tool->name;
		return;
	}
	q->set.own = option_file;
	q->set.one_word = true;
	q->set.word = take_text;
	q->set.self = q;
}

/* -n without intervals would wait for something that never comes. */
static int check_options(struct query *q)
{
	const struct options *o = &q->options;
	struct ast *ast = q->session.compile.ast;

	for (int i = 0; i < ast->queries.n; i++)
		for (int k = 0; k < ast->queries.v[i]->stages.n; k++)
			if (ast->queries.v[i]->stages.v[k]->id == STAGE_EVERY)
				return 0;
	if (!o->intervals || o->interval_ns)
		return 0;
	err_help(&q->err, "give their length with -i: -i 1 -n 5");
	return err_push(&q->err, -EINVAL, "-n counts intervals, but there are none");
}

const struct ast_param *query_missing_source(const struct query *q)
{
	const struct ast *ast = q->session.compile.ast;

	if (!q->tool && !query_is_file(q->title))
		return NULL;
	for (int i = 0; i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];
		bool given = false;

		if (p->letter || p->value || !param_type_is_source(p->type))
			break;
		for (int k = 0; k < q->options.params.n && !given; k++)
			given = str_is(p->name, q->options.params.v[k].name);
		if (!given)
			return p;
	}
	return NULL;
}

static int check_source(struct query *q)
{
	const struct ast_param *p = query_missing_source(q);

	if (!p)
		return 0;
	err_help(&q->err, "culprit %s SOURCE: %.*s", q->title, STR_ARG(p->help));
	return err_push(&q->err, -EINVAL, "%s needs a SOURCE", q->title);
}

/* Children of whom? */
static int check_children(struct query *q)
{
	const struct options *o = &q->options;

	if (!o->children)
		return 0;
	if (o->command) {
		err_help(&q->err, "leave it out: `-- COMMAND` includes the command's children");
		return err_push(&q->err, -EINVAL, "--children works only with -p");
	}
	if (!o->pids.n) {
		err_help(&q->err, "write -p PID --children");
		return err_push(&q->err, -EINVAL, "--children works only with -p");
	}
	if (!scope_pid_namespaced())
		return 0;
	err_help(&q->err, "run it outside of the container, or start the process with `-- COMMAND`");
	return err_push(&q->err, -EINVAL, "--children does not work in a PID namespace: it knows "
			"processes by the numbers of the whole machine");
}

int query_parse(struct query *q, char **argv)
{
	int code = 0;

	q->argv = argv;
	if (q->tool && parse_text(q))
		return END_WRONG;
	code = options_parse(&q->options, &q->set, argv, &q->err);
	if (!code && q->options.help)
		return END_DONE;
	if (!code && !q->session.compile.ast) {
		err_help(&q->err, "as in: culprit run 'syscall:* | count by comm' -d 5");
		code = err_push(&q->err, -EINVAL, "the query is missing");
	}
	if (!code)
		code = check_options(q);
	if (!code)
		code = check_children(q);
	if (!code)
		code = check_source(q);
	if (!code)
		return END_DONE;
	return q->err.causes.n ? err_print(&q->err, END_WRONG) : END_WRONG;
}

/* ---- what is traced ---- */

static int find_user(const char *text, int64_t *uid, struct err *e)
{
	char *end;
	struct passwd *p;

	errno = 0;
	*uid = strtoll(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *uid <= UINT32_MAX)
		return 0;
	p = getpwnam(text);
	if (!p)
		return err_push(e, -EINVAL, "--uid %s: there is no such user", text);
	*uid = p->pw_uid;
	return 0;
}

static int find_scope(struct query *q)
{
	struct plan_options *to = &q->spec.options;
	const struct options *o = &q->options;
	struct cpus cpus = { 0 };

	if (o->user && find_user(o->user, &to->uid, &q->err))
		return -EINVAL;
	if (o->cgroup && scope_cgroup(o->cgroup, &to->cgroup_id, &to->cgroup_level, &q->err))
		return -EINVAL;
	if (o->cpus && !cpus_parse(&q->arena, str_of(o->cpus), &cpus))
		return err_push(&q->err, -EINVAL, "--cpu %s: write a list of CPUs, as in 0-3,7",
				o->cpus);
	if (cpus.list.n && !o->trace && vec_last(&cpus.list) >= cpus_possible())
		return err_push(&q->err, -EINVAL, "--cpu %s: this machine has no CPU above %d", o->cpus,
				cpus_possible() - 1);
	to->cpus = cpus.list.v;
	to->n_cpus = cpus.list.n;
	return 0;
}

static int force_off(struct query *q)
{
	for (int i = 0; i < q->options.without.n; i++)
		if (!feature_force_off(&q->machine->features, q->options.without.v[i])) {
			err_help(&q->err, "`culprit list features` shows them");
			return err_push(&q->err, -EINVAL, "--without %s: there is no such feature",
					q->options.without.v[i]);
		}
	return 0;
}

/* What the options say of any executor. */
static int set_options(struct query *q)
{
	struct plan_options *to = &q->spec.options;
	const struct options *o = &q->options;

	q->spec.params = o->params.v;
	q->spec.n_params = o->params.n;
	q->spec.duration_ns = (uint64_t)o->duration_ns;
	q->spec.intervals = o->intervals;
	q->spec.command = o->command;
	q->spec.lines = o->lines;
	q->spec.cost = o->cost;
	q->spec.budget_percent = o->budget_percent;
	*to = (struct plan_options){
		.pids = o->pids.v, .n_pids = o->pids.n,
		.tids = o->tids.v, .n_tids = o->tids.n,
		.comm_glob = o->comm, .uid = -1,
		.table_rows = o->table_rows, .max_open = o->max_open,
		.interval_ns = o->interval_ns, .timestamp = o->timestamp,
		.quote = q->spec.options.quote,
	};
	return find_scope(q);
}

static const uint64_t *started(struct query *q, const int64_t *numbers, int n)
{
	uint64_t *ns = arena_array(&q->arena, uint64_t, n + 1);

	scope_started(numbers, n, ns);
	return ns;
}

int query_target(struct query *q)
{
	struct plan_options *to = &q->spec.options;
	const struct options *o = &q->options;

	if (force_off(q) || set_options(q))
		return err_print(&q->err, END_WRONG);
	to->pids_began_ns = started(q, to->pids, to->n_pids);
	to->tids_began_ns = started(q, to->tids, to->n_tids);
	to->self_pid = o->self ? 0 : getpid();
	to->follow = o->command || o->children;
	to->children = o->children;
	q->session.target = &q->machine->target;
	if (q->session.target->ops->prepare(q->session.target, &q->spec, &q->err))
		return err_print(&q->err, END_UNABLE);
	return END_DONE;
}

static int check_trace_options(struct query *q)
{
	static const struct {
		const char *option;
		size_t at;
	} live[] = {
		{ "-d", offsetof(struct options, duration_ns) },
		{ "-n", offsetof(struct options, intervals) },
		{ "-- COMMAND", offsetof(struct options, command) },
		{ "--cgroup", offsetof(struct options, cgroup) },
	};
	const struct options *o = &q->options;

	for (size_t i = 0; i < sizeof(live) / sizeof(*live); i++) {
		uint64_t word;

		memcpy(&word, (const char *)o + live[i].at, sizeof(word));
		if (!word)
			continue;
		err_help(&q->err, "choose a part of the trace with --begin and --end");
		err_push(&q->err, -EINVAL, "%s does not work with --trace",
			 live[i].option);
		return err_print(&q->err, END_WRONG);
	}
	if (o->children || o->cost || o->budget_percent > 0 || o->halves) {
		err_push(&q->err, -EINVAL, "--children, --cost, --budget and --halves do not work "
			 "with --trace");
		return err_print(&q->err, END_WRONG);
	}
	return set_options(q) ? err_print(&q->err, END_WRONG) : END_DONE;
}

/* Options that select by what the trace does not tell. */
static int check_filters(struct query *q)
{
	const struct options *o = &q->options;
	const struct catalog *c = q->session.target->catalog;
	const struct {
		bool given;
		const char *option, *field;
	} filters[] = {
		{ o->pids.n, "-p", "pid" }, { o->tids.n, "-t", "tid" }, { o->comm, "--comm", "comm" },
		{ o->user, "--uid", "uid" },
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		const struct cat_field *f = c->ops->common(c->self, str_of(filters[i].field));

		if (filters[i].given && f->unable) {
			err_push(&q->err, -EINVAL, "%s does not work: %s is %s", filters[i].option,
				 f->name, f->unable);
			return err_print(&q->err, END_UNABLE);
		}
	}
	return END_DONE;
}

int query_target_trace(struct query *q, struct recorded_target *t)
{
	int status;

	*t = (struct recorded_target){ .trace = NULL };
	if (!q->options.trace) {
		err_push(&q->err, -EINVAL, "--begin and --end work only with a trace: --trace PATH");
		return err_print(&q->err, END_WRONG);
	}
	status = check_trace_options(q);
	if (status)
		return status;
	if (recorded_target_open(t, q->options.trace, &q->err))
		return err_print(&q->err, END_FAILED);
	q->session.target = &t->target;
	t->target.ops->prepare(&t->target, &q->spec, &q->err);
	return check_filters(q);
}

/* Is it the kernel that is wanting? What a tool itself names is right somewhere; what
 * a parameter puts there may be a mistake. */
static bool is_lack(const struct query *q, const struct diag_item *item)
{
	struct str text = loc_text(item->loc);

	if (!strcmp(item->tag, DIAG_UNABLE))
		return true;
	return q->tool && !q->options.trace && !strcmp(item->tag, DIAG_NO_EVENT)
	    && item->loc.text == &q->spec.text && !memchr(text.p, '$', (size_t)text.n);
}

static const struct diag_item *find_lack(const struct query *q)
{
	for (int i = 0; i < q->session.compile.diag.items.n; i++)
		if (is_lack(q, &q->session.compile.diag.items.v[i]))
			return &q->session.compile.diag.items.v[i];
	return NULL;
}

/* What to use where the tool cannot work: by its help, else by the mistake. */
static void help_instead(struct query *q, const struct diag_item *lack)
{
	static const char mark[] = "\nInstead: ";
	const char *at = strstr(q->session.compile.ast->help.p, mark);

	if (at)
		err_help(&q->err, "instead: %.*s", (int)strcspn(at + strlen(mark), "\n"), at + strlen(mark));
	else
		err_help(&q->err, "%s", q->options.trace ?
			 "culprit doctor --trace PATH says which tools the trace can feed" :
			 lack->help ? lack->help : "culprit doctor shows what works here");
}

/* A tool where a source belongs. */
static void help_tools(struct query *q)
{
	for (int i = 0; i < q->session.compile.diag.items.n; i++) {
		struct diag_item *item = &q->session.compile.diag.items.v[i];
		struct str text = loc_text(item->loc);
		const char *name = arena_strndup(&q->arena, text.p, (size_t)text.n);

		if (!strcmp(item->tag, DIAG_NO_EVENT) && tool_find(name))
			item->help = arena_printf(&q->arena, "%s is a tool: write culprit %s",
						  name, name);
	}
}

int query_compile(struct query *q, char stop_after)
{
	const struct diag_item *lack;
	int code;

	code = session_compile(&q->session, stop_after);
	help_tools(q);
	lack = code ? find_lack(q) : NULL;
	if (lack && q->tool) {
		help_instead(q, lack);
		err_push(&q->err, -ENOTSUP, "%s does not work here: %s", q->tool->name, lack->message);
		return err_print(&q->err, END_UNABLE);
	}
	query_print_diag(&q->session.compile.diag);
	return lack ? END_UNABLE : q->session.compile.diag.errors ? END_WRONG : END_DONE;
}

void query_say_nones(const struct query *q)
{
	const struct plan *plan = q->session.compile.plan;

	for (int i = 0; i < plan->queries.n && !q->options.quiet && !q->tool; i++)
		for (int k = 0; k < plan->queries.v[i]->nones.n; k++)
			fprintf(stderr, "culprit: %s\n", plan->queries.v[i]->nones.v[k]);
}

void query_fini(struct query *q)
{
	session_fini(&q->session);
	live_target_fini(&q->own);
	arena_fini(&q->arena);
}
