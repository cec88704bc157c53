/* Where results go. See cli/output.h. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "table/tree.h"
#include "view/losses.h"

#define READER_POLL_MS 50

/* Endings of formats that are not had: a file of that name is not text. */
static const char *lacking_ending(const char *path)
{
	static const char *const endings[] = { "lami", "png", "jpg", "jpeg", "gif", "pdf", "xml",
		"perfetto", "perfetto-trace", "pftrace", "pb", "tsv", "yaml", "yml", "parquet", "db", "sqlite", "dot",
		"webp", "ps", "zip", "xz", "zst", "bz2", "ctf" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++)
		if (!strcmp(dot + 1, endings[i]))
			return endings[i];
	return NULL;
}

const struct view_ops *output_view(struct query *q)
{
	const struct options *o = &q->options;
	const struct view_ops *v = NULL;
	const char *name = o->format;
	struct buf names = { 0 };

	if (!name) {
		v = o->output ? view_for_file(o->output) : NULL;
		name = v || !o->output ? NULL : lacking_ending(o->output);
		if (!name)
			return v ? v : &view_text;
	}
	v = view_find(name);
	if (v)
		return v;
	view_names(&names, VIEW_SHAPES);
	err_help(&q->err, "formats:%s", names.p);
	if (o->format)
		err_push(&q->err, -EINVAL, "--format %s: there is no such format", name);
	else
		err_push(&q->err, -EINVAL, "-o %s: there is no format %s", o->output, name);
	buf_fini(&names);
	return NULL;
}

const char *output_misfit(const struct plan *plan, const struct view_ops *ops)
{
	const char *why = NULL;
	int shown = 0;

	for (int i = 0; i < plan->queries.n && !why; i++) {
		struct sink_query q = sink_query_of(plan->queries.v[i]);

		if (plan->queries.v[i]->is_part)
			continue;
		if (shown++ && ops->shape == VIEW_PICTURE)
			why = "it can show only one query, but there are several";
		else if (ops->suits)
			why = ops->suits(&q);
	}
	return why;
}

/* 0: not a terminal. */
static int terminal_width(FILE *out)
{
	struct winsize w = { 0 };

	if (!isatty(fileno(out)))
		return 0;
	return !ioctl(fileno(out), TIOCGWINSZ, &w) && w.ws_col ? w.ws_col : 80;
}

static bool use_color(const struct options *o, bool terminal)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return terminal && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

/* An open that does not wait: of a pipe without a reader it is -ENXIO. */
static int open_now(struct output *t)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;
	int fd = open(t->path, flags | O_EXCL, 0666);

	t->made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(t->path, flags, 0666);
	return fd < 0 ? -errno : fd;
}

/* What is in the file stays there until a run has begun: it may be that none does. */
static int open_path(struct output *t)
{
	struct pollfd stop = { .fd = t->q->spec.stop_fd, .events = POLLIN };
	int fd = open_now(t);
	struct stat st;

	while (fd == -ENXIO && !stat(t->path, &st) && S_ISFIFO(st.st_mode)) {
		if (poll(&stop, 1, READER_POLL_MS) > 0)
			return -EINTR;
		fd = open_now(t);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* A query in a line, for a title; a tool or a file has a name. */
static const char *query_line(struct query *q)
{
	struct str text = q->spec.text.text;
	struct buf b = { 0 };
	const char *line;

	if (q->tool || query_is_file(q->title))
		return NULL;
	for (int i = 0; i < text.n; i++)
		if (!strchr(" \t\n", text.p[i]))
			buf_putc(&b, text.p[i]);
		else if (b.n && b.p[b.n - 1] != ' ')
			buf_putc(&b, ' ');
	line = b.n ? arena_strndup(&q->arena, b.p, b.n) : NULL;
	buf_fini(&b);
	return line;
}

/* What was run, for who finds the picture later; of a live run also where and when. */
static const char *run_line(struct query *q)
{
	bool own = !q->tool && !query_is_file(q->title);
	char host[256] = "", when[64] = "";
	struct buf b = { 0 };
	time_t now = time(NULL);
	struct tm tm;
	const char *line;

	buf_printf(&b, "culprit %s", own ? "run" : q->title);
	for (char **word = q->argv; word && *word; word++)
		buf_printf(&b, strpbrk(*word, " \t\n|$*;&<>()") ? " '%s'" : " %s", *word);
	if (!q->options.trace && !gethostname(host, sizeof(host) - 1) && localtime_r(&now, &tm) &&
	    strftime(when, sizeof(when), "%F %T %z", &tm))
		buf_printf(&b, " on %s, %s", host, when);
	line = arena_strndup(&q->arena, b.p, b.n);
	buf_fini(&b);
	return line;
}

int output_open(struct output *t)
{
	struct err *e = &t->q->err;
	int fd;

	t->out = stdout;
	t->path = t->view ? t->q->options.output : NULL;
	if (t->path) {
		fd = open_path(t);
		t->out = fd < 0 ? NULL : fdopen(fd, "w");
		if (fd == -EINTR)
			return err_push(e, fd, "%s is a pipe that nobody reads", t->path);
		if (!t->out)
			return err_push(e, fd, "cannot write %s: %s", t->path, strerror(-fd));
	}
	setvbuf(t->out, NULL, _IOFBF, 65536);
	return 0;
}

void output_drop(struct output *t)
{
	if (!t->path || !t->out)
		return;
	fclose(t->out);
	if (t->made)
		unlink(t->path);
}

/* The run has begun: from here on the file is its own. */
static void begin(struct output *t)
{
	struct query *q = t->q;
	const struct options *o = &q->options;
	struct view_options v = {
		.out = t->out, .header = !o->no_header, .timestamp = o->timestamp,
		.width = terminal_width(t->out), .names = &q->session.loaded.names, .title = q->title,
		.query = query_line(q), .run = run_line(q), .self = t->view_self,
	};
	struct stat st;

	if (t->path && !fstat(fileno(t->out), &st) && S_ISREG(st.st_mode) &&
	    ftruncate(fileno(t->out), 0))
		t->error = -errno;
	v.color = use_color(o, v.width > 0);
	if (o->halves) {
		v.diff = VIEW_DIFF_HALVES;
		v.sides[0] = "the first half";
		v.sides[1] = "the second half";
	}
	t->writer = t->view->open(&v);
}

/* ---- the sink: the view, and who watches ---- */

static struct output *of(struct sink *s)
{
	return (struct output *)s;
}

static void take_query(struct sink *s, const struct sink_query *q)
{
	struct output *t = of(s);

	if (t->view && !t->writer)
		begin(t);
	if (t->view)
		t->view->sink.query(t->writer, q);
}

static void take_row(struct sink *s, const struct sink_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct output *t = of(s);

	if (t->view && !t->error)
		t->view->sink.row(t->writer, q, time_ns, cells);
	if (t->q->watch_ops && t->q->watch_ops->row)
		t->q->watch_ops->row(t->q->watch, q, time_ns, cells);
}

static void take_table(struct sink *s, const struct sink_query *q, const struct table *table)
{
	struct output *t = of(s);

	if (t->view && !t->error)
		t->view->sink.table(t->writer, q, table);
	if (t->q->watch_ops && t->q->watch_ops->table)
		t->q->watch_ops->table(t->q->watch, q, table);
}

/* A view that cannot draw it has its rows, one by one. */
static void take_tree(struct sink *s, const struct sink_query *q, const struct table *tree)
{
	struct output *t = of(s);

	if (t->view && t->view->sink.tree && !t->error) {
		t->view->sink.tree(t->writer, q, tree);
		return;
	}
	for (int i = 0; i < tree->rows.n; i++)
		take_row(s, q, (uint64_t)tree->rows.v[i][TREE_BEGIN].i, tree->rows.v[i]);
}

static int flush(struct sink *s)
{
	struct output *t = of(s);

	if (!t->error && t->view)
		t->error = t->view->sink.flush(t->writer);
	return t->error;
}

/* A file is read later, without standard error: it says itself what it lacks. */
static bool file_says(const struct output *t)
{
	struct stat out, err;

	return t->view && t->view->comments && !fstat(fileno(t->out), &out) && S_ISREG(out.st_mode) &&
	       !(fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino);
}

static void keep_losses(struct output *t, const struct loss *losses, int n, enum tell tell)
{
	size_t bytes;
	FILE *f = xmemstream(&t->losses, &bytes);

	losses_print(f, "# ", losses, n, t->q->session.result.rows, tell);
	fclose(f);
}

static void take_losses(struct sink *s, const struct loss *losses, int n)
{
	struct output *t = of(s);

	fflush(t->out);
	if (t->view && !t->error)
		t->view->sink.losses(t->writer, losses, n);
}

const struct sink_ops output_ops = {
	.query = take_query, .row = take_row, .table = take_table, .tree = take_tree, .flush = flush,
	.losses = take_losses,
};

/* ---- from the begin to the end ---- */

/* Said also where nothing more can be written. */
static void say_losses(struct output *t)
{
	const struct options *o = &t->q->options;
	const struct session *s = &t->q->session;
	enum tell tell = o->verbose ? TELL_ALL : o->quiet ? TELL_LESS : TELL_USUAL;

	fflush(t->out);
	losses_print(stderr, "", s->losses, s->n_losses, s->result.rows, tell);
	if (file_says(t))
		keep_losses(t, s->losses, s->n_losses, tell);
}

int output_run(struct output *t, unsigned *happened)
{
	struct session *s = &t->q->session;
	int code = session_follow(s, happened), rest = session_end(s);

	say_losses(t);
	return code ? code : rest;
}

int output_close(struct output *t)
{
	int error = t->writer ? t->view->close(t->writer) : 0;

	if (!t->error)
		t->error = error;
	if (!t->error && t->losses && (fputs(t->losses, t->out) < 0 || fflush(t->out)))
		t->error = -errno;
	free(t->losses);
	if (t->path && fclose(t->out) && !t->error)
		t->error = -errno;
	if (!t->error || t->error == -EPIPE)
		return END_DONE;
	fprintf(stderr, "culprit: cannot write%s%s: %s\n", t->path ? " " : "",
		t->path ? t->path : "", strerror(-t->error));
	return END_FAILED;
}

int output_follow(struct output *t, int code)
{
	struct session *s = &t->q->session;
	unsigned happened;
	int status;

	if (!code)
		code = session_begin(s, &output_ops, (struct sink *)t);
	if (code) {
		output_drop(t);
		return err_print(&t->q->err, END_FAILED);
	}
	code = output_run(t, &happened);
	status = output_close(t);
	return code < 0 ? err_print(&t->q->err, END_FAILED) : status;
}
