/*
 * culprit slow --suggest: what the threads of MAIN's slow calls were seen to do, and the
 * command that splits these calls by it.
 *
 * One run of a query of its own, whose rows analysis/suggest.c ranks; then the same words with
 * parts behind them are the command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/suggest.h"
#include "base/clock.h"
#include "base/units.h"
#include "cli/cmd.h"
#include "cli/query.h"

#define WATCH_TIME "5"
#define HZ 499
#define PARTS_MOST 16			/* of split */
#define CALLEES_MOST 6			/* of one place */
#define LEAST_PERCENT 3			/* of the slow calls' time, to be named */
#define LEAF_PERCENT 10			/* of the time of a place, to go on below it */

struct suggester {
	struct arena arena;
	struct query q;			/* the tool's own, for its options and the catalog */
	struct suggest found;
	VEC(const char *) main_names;	/* globs of MAIN's frames */
	struct str main_path;		/* of a program's function; else none */
	bool no_kernel;			/* functions of the kernel can't be traced here */
	bool hidden;			/* and some were met */
	VEC(const char *) parts;
};

static const char *const own_flags[] = { "--suggest", "--follow", "--apply", "-a", NULL };

static bool is_own(const char *word)
{
	int i = 0;

	while (own_flags[i] && strcmp(word, own_flags[i]))
		i++;
	return own_flags[i];
}

static bool given(char **argv, const char *flag)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, flag))
			return true;
	return false;
}

bool suggest_wanted(const struct shipped_tool *tool, char **argv)
{
	bool wanted = false;

	for (int i = 0; own_flags[i]; i++)
		wanted |= given(argv, own_flags[i]);
	return wanted && !strcmp(tool->name, "slow") && !given(argv, "--help") && !given(argv, "-h");
}

/* ---- what is seen ---- */

enum { SAMPLES, WAITS, CALLS };		/* the queries of the watch */

static const char watch_queries[] =
	"def call = $main\n"
	"cpu@499hz | in call | print tid, time, stack;\n"
	"(from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) "
	"on prev_pid to sched:sched_switch on next_pid) | in call "
	"| print begin.prev_pid, begin.time, begin.stack, duration;\n"
	"call | where duration >= $over | print tid, begin.time, duration\n";

static const struct stack *stack_in(const struct cell *c)
{
	return c->kind == CELL_STACK ? c->stack : NULL;
}

static void seen_row(struct sink *s, const struct sink_query *q, uint64_t time_ns,
		     const struct cell *c)
{
	struct suggest *to = (struct suggest *)s;

	(void)time_ns;
	if (q->index == SAMPLES)
		suggest_add(to, c[0].i, c[1].i, stack_in(&c[2]), SUGGEST_ON, NS_PER_S / HZ);
	else if (q->index == WAITS)
		suggest_add(to, c[0].i, c[1].i, stack_in(&c[2]), SUGGEST_OFF, (uint64_t)c[3].i);
	else
		suggest_add_call(to, c[0].i, c[1].i, c[2].i);
}

static const struct sink_ops seen_ops = { .row = seen_row };

/* The tool's parameters with the queries of the watch. */
static struct source_text watch_text(struct arena *a, const struct shipped_tool *tool)
{
	struct buf b = { 0 };
	struct str text;

	for (const char *line = tool_text(a, tool).text.p; *line;) {
		size_t n = strcspn(line, "\n");

		if (!strncmp(line, "param ", 6))
			buf_add(&b, line, n + (line[n] == '\n'));
		line += n + (line[n] == '\n');
	}
	buf_puts(&b, watch_queries);
	text = str_of(arena_strndup(a, b.p, b.n));
	buf_fini(&b);
	return (struct source_text){ tool->name, text };
}

static int watch(struct suggester *s, const struct shipped_tool *tool, char **argv, bool *interrupted)
{
	const struct options *o = &s->q.options;
	VEC(char *) words = { 0 };
	struct query q;

	if (!o->duration_ns && !o->command) {
		*vec_add(&s->arena, &words) = (char *)"-d";
		*vec_add(&s->arena, &words) = (char *)WATCH_TIME;
	}
	for (; *argv; argv++)
		*vec_add(&s->arena, &words) = *argv;
	*vec_add(&s->arena, &words) = NULL;
	query_init(&q, tool->name, tool);
	q.spec.text = watch_text(&s->arena, tool);
	q.watch_ops = &seen_ops;
	q.watch = (struct sink *)&s->found;
	q.only_watched = true;
	return run_query(&q, words.v, interrupted);
}

/* ---- MAIN ---- */

static const char *param_value(const struct suggester *s, const char *name)
{
	for (int i = s->q.options.params.n - 1; i >= 0; i--)
		if (!strcmp(s->q.options.params.v[i].name, name))
			return s->q.options.params.v[i].value;
	return NULL;
}

/* Where the name begins behind a path or module: the last colon that is not C++'s. */
static int name_begin(struct str s)
{
	int at = 0;

	for (int i = 0; i < s.n && s.p[i] != '('; i++) {
		if (s.p[i] != ':')
			continue;
		if (i + 1 < s.n && s.p[i + 1] == ':')
			i++;
		else
			at = i + 1;
	}
	return at;
}

static void add_name(struct suggester *s, struct str text)
{
	int begin, end = 0;
	struct str name;

	while (text.n && strchr(" \t\n\"()", *text.p))
		text = str_sub(text, 1, -1);
	begin = name_begin(text);
	name = str_sub(text, begin, -1);
	while (end < name.n && !strchr("( \t\n\")", name.p[end]))
		end++;
	name.n = end;
	if (begin && memchr(text.p, '/', (size_t)begin))
		s->main_path = str_sub(text, 0, begin - 1);
	*vec_add(&s->arena, &s->main_names) = str_has_prefix(text, "syscall:") ?
		arena_printf(&s->arena, "__*_sys_%.*s", STR_ARG(name)) :
		arena_strndup(&s->arena, name.p, (size_t)name.n);
}

/* A period with two ends is no function: it has no frame. */
static void find_names(struct suggester *s, const char *text)
{
	int depth = 0;
	const char *from = text;

	if (!strncmp(text, "from ", 5) || strstr(text, "(from "))
		return;
	for (const char *p = text;; p++) {
		depth += (*p == '(') - (*p == ')');
		if (*p && (*p != ',' || depth > 1))
			continue;
		add_name(s, (struct str){ from, (int)(p - from) });
		from = p + 1;
		if (!*p)
			return;
	}
}

static bool is_main(void *self, const struct flame_frame *f)
{
	const struct suggester *s = self;
	const char *open = strchr(f->name, '(');
	struct str name = { f->name, open ? (int)(open - f->name) : (int)strlen(f->name) };

	for (int i = 0; i < s->main_names.n; i++)
		if (str_glob(str_of(s->main_names.v[i]), name))
			return true;
	return false;
}

/* ---- what can be traced ---- */

static void count_kernel(void *n, const struct cat_function *f)
{
	(void)f;
	++*(int *)n;
}

static const char *kernel_source(struct suggester *s, const struct flame_frame *f, bool *part)
{
	/* the way into every system call, and out of the CPU */
	static const char *const ways[] = { "entry_*", "do_syscall_*", "x64_sys_call", "invoke_syscall*", "el0*",
		"do_el0*", "*schedule", "schedule_*", "*schedule_common", NULL };
	const struct catalog *c = s->q.session.target->catalog;
	const char *call = strstr(f->name, "_sys_");
	struct str name = { f->name, (int)strcspn(f->name, ".") };
	int n = 0;

	for (int i = 0; ways[i]; i++)
		if (str_glob(str_of(ways[i]), name))
			return NULL;
	if (call && str_has_prefix(name, "__") && c->ops->syscall(c->self, str_of(call + 5)))
		return arena_printf(&s->arena, "syscall:%s", call + 5);
	if (s->no_kernel) {
		s->hidden = true;
		*part = false;
		return arena_strndup(&s->arena, name.p, (size_t)name.n);
	}
	c->ops->functions(c->self, str_of(""), name, count_kernel, &n);
	return n ? arena_strndup(&s->arena, name.p, (size_t)name.n) : NULL;
}

static const char *user_source(struct suggester *s, const struct flame_frame *f)
{
	const struct catalog *c = s->q.session.target->catalog;
	const char *slash = s->main_path.n ? memrchr(s->main_path.p, '/', (size_t)s->main_path.n) : NULL;
	struct str file = slash ? str_sub(s->main_path, (int)(slash + 1 - s->main_path.p), -1) : str_of("");
	struct cat_user u = { .pids = s->q.options.pids.v, .n_pids = s->q.options.pids.n,
			      .others = s->q.options.children, .returns = true };
	const char *text;
	int n = 0;

	if (!f->module || str_is_glob(str_of(f->name)) || strchr(f->name, '"'))
		return NULL;
	if (str_is(file, f->module))
		text = arena_printf(&s->arena, "%.*s:%s", STR_ARG(s->main_path), f->name);
	else if (strstr(f->module, ".so"))
		text = arena_printf(&s->arena, "%s:%s", f->module, f->name);
	else
		return NULL;
	u.text = str_of(text);
	c->ops->user_functions(c->self, &u, count_kernel, &n);
	if (!n)
		return NULL;
	return strpbrk(text, " ,;()|<>") ? arena_printf(&s->arena, "\"%s\"()", text) : text;
}

static const char *source(void *self, const struct flame_frame *f, bool *part)
{
	if (f->kind == FRAME_KERNEL)
		return kernel_source(self, f, part);
	return f->kind == FRAME_USER ? user_source(self, f) : NULL;
}

static bool can_trace_kernel(const struct catalog *c)
{
	return c->ops->can(c->self, CAN_FENTRY) || c->ops->can(c->self, CAN_KPROBE) ||
	       c->ops->can(c->self, CAN_KPROBE_MULTI) || c->ops->can(c->self, CAN_KPROBE_SESSION);
}

/* ---- what is said ---- */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void put_row(struct buf *b, uint64_t on_ns, uint64_t off_ns, uint64_t all_ns, const char *name,
		    const char *note)
{
	char sum[UNITS_TEXT_BYTES], on[UNITS_TEXT_BYTES], off[UNITS_TEXT_BYTES];

	buf_printf(b, "%10s %6.1f%% %10s %10s  %s%s\n",
		   units_format_duration((int64_t)(on_ns + off_ns), sum),
		   percent(on_ns + off_ns, all_ns), units_format_duration((int64_t)on_ns, on),
		   units_format_duration((int64_t)off_ns, off), name, note);
}

/* One place: its callees, each of them a part if it can be traced. Returns the costliest; 0: it is a leaf. */
static int put_level(struct suggester *s, struct buf *b, int node, const char *name)
{
	const struct flame *f = &s->found.below;
	uint64_t least = s->found.calls_ns / 100 * LEAST_PERCENT;
	int branch = suggest_branch(&s->found, node), callees[CALLEES_MOST];
	uint64_t rest[2] = { f->nodes[branch].total[0], f->nodes[branch].total[1] };
	int n = suggest_callees(&s->found, branch, least, callees, CALLEES_MOST);

	if (!n || suggest_ns(&s->found, callees[0]) < suggest_ns(&s->found, node) / 100 * LEAF_PERCENT)
		return 0;
	buf_printf(b, "\n      TIME PERCENT     ON CPU    BLOCKED  CALLEE OF %s",
		   branch == node ? name : f->frames.v[f->nodes[branch].frame].name);
	buf_printf(b, branch == node ? "\n" : ", INSIDE %s\n", name);
	for (int i = 0; i < n; i++) {
		const struct flame_node *c = &f->nodes[callees[i]];
		const char *text = f->frames.v[c->frame].name;
		bool known = !suggest_is_part(&s->found, callees[i]);

		put_row(b, c->total[0], c->total[1], s->found.calls_ns, text,
			known ? " (no part: can't be traced)" : "");
		rest[0] -= c->total[0];
		rest[1] -= c->total[1];
		for (int k = 0; k < s->parts.n; k++)
			known |= !strcmp(s->parts.v[k], text);
		if (!known && s->parts.n < PARTS_MOST)
			*vec_add(&s->arena, &s->parts) = text;
	}
	put_row(b, rest[0], rest[1], s->found.calls_ns, "itself, and what is less or can't be traced", "");
	return callees[0];
}

static void put_head(struct suggester *s, struct buf *b, const char *main)
{
	const struct suggest *f = &s->found;
	uint64_t seen = flame_sum(f->ns[0], f->ns[1]);
	char time[UNITS_TEXT_BYTES];

	buf_printf(b, "%s: %d slow calls took %s: %.1f%% on a CPU", main, f->calls.n,
		   units_format_duration((int64_t)f->calls_ns, time), percent(f->ns[0], f->calls_ns));
	if (f->spinning_ns)
		buf_printf(b, " (%.1f%% spinning on locks)", percent(f->spinning_ns, f->calls_ns));
	buf_printf(b, ", %.1f%% blocked, the rest waiting for a CPU or not seen\n", percent(f->ns[1], f->calls_ns));
	if (f->unplaced_ns > seen / 100)
		buf_printf(b, "%.1f%% of what was seen has stacks without %s: they "
			   "were cut, or it has no frame\n", percent(f->unplaced_ns, seen), main);
	if (s->hidden)
		buf_puts(b, "this kernel's functions cannot be traced (`culprit doctor` says why): "
			 "they are shown, but can't be parts\n");
	if (f->dropped)
		buf_printf(b, "%llu rows found no room\n", (unsigned long long)f->dropped);
}

/* The user's words with the parts behind the plain ones. */
static char **make_command(struct suggester *s, char **argv)
{
	VEC(char *) words = { 0 };

	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!is_own(*argv))
			*vec_add(&s->arena, &words) = *argv;
	for (int i = 0; i < s->parts.n; i++)
		*vec_add(&s->arena, &words) = (char *)s->parts.v[i];
	for (; *argv; argv++)
		*vec_add(&s->arena, &words) = *argv;
	*vec_add(&s->arena, &words) = NULL;
	return words.v;
}

/* Fills s->parts. */
static void put_levels(struct suggester *s, struct buf *b, const char *main, bool follow)
{
	int node = put_level(s, b, 0, main);

	for (int levels = 1; node && follow && levels < PARTS_MOST && s->parts.n < PARTS_MOST; levels++)
		node = put_level(s, b, node, s->found.below.frames.v[s->found.below.nodes[node].frame].name);
	/* what every machine can tell */
	if (!s->parts.n && s->hidden)
		vec_push(&s->arena, &s->parts, "state");
}

static int answer(struct suggester *s, const struct shipped_tool *tool, char **argv)
{
	struct suggest_ops ops = { .source = source, .self = s };
	const char *main = param_value(s, "main");
	bool interrupted = false;
	struct buf b = { 0 };
	char **command;
	struct query q;

	find_names(s, main);
	ops.is_main = s->main_names.n ? is_main : NULL;
	s->no_kernel = !can_trace_kernel(s->q.session.target->catalog);
	suggest_rank(&s->found, &ops);
	put_head(s, &b, main);
	put_levels(s, &b, main, given(argv, "--follow"));
	command = make_command(s, argv);
	if (s->parts.n) {
		buf_puts(&b, "\nculprit slow");
		for (int i = 0; command[i]; i++)
			put_word(&b, command[i]);
		buf_putc(&b, '\n');
	} else {
		buf_puts(&b, "\nnothing below it that can be traced has a share worth a part\n");
	}
	put(&b);
	buf_fini(&b);
	if (!s->parts.n || !(given(argv, "-a") || given(argv, "--apply")))
		return put_end(END_DONE);
	put_end(END_DONE);
	query_init(&q, tool->name, tool);
	return run_query(&q, command, &interrupted);
}

static int run(struct suggester *s, const struct shipped_tool *tool, char **argv)
{
	bool interrupted = false;
	int status = query_parse(&s->q, argv);

	if (!status && !param_value(s, "main")) {
		err_help(&s->q.err, "as in: culprit slow --suggest syscall:fsync");
		err_push(&s->q.err, -1, "MAIN is missing: what is slow?");
		return err_print(&s->q.err, END_WRONG);
	}
	if (!status)
		status = watch(s, tool, argv, &interrupted);
	if (!status)
		status = query_target(&s->q);
	if (status)
		return status;
	if (!s->found.calls.n) {
		puts("no call was slow; try a lower --over or a longer -d");
		return put_end(END_DONE);
	}
	return answer(s, tool, argv);
}

int cmd_suggest(const struct shipped_tool *tool, char **argv)
{
	struct suggester s = { 0 };
	int status;

	suggest_init(&s.found);
	query_init(&s.q, tool->name, tool);
	status = run(&s, tool, argv);
	query_fini(&s.q);
	suggest_fini(&s.found);
	arena_fini(&s.arena);
	return status;
}
