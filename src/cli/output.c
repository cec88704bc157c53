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

#include "kern/live/scope.h"
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

	if (q->view)
		return q->view;
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
	struct pollfd stop = { .fd = t->stop_fd, .events = POLLIN };
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
	struct str text = q->compile.text.text;
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

int output_open(struct output *t, struct query *q, const struct view_ops *view)
{
	int fd;

	t->view = view;
	t->out = stdout;
	t->path = q->view ? NULL : q->options.output;
	if (t->path) {
		fd = open_path(t);
		t->out = fd < 0 ? NULL : fdopen(fd, "w");
		if (fd == -EINTR)
			return err_push(&q->err, fd, "%s is a pipe that nobody reads", t->path);
		if (!t->out)
			return err_push(&q->err, fd, "cannot write %s: %s", t->path, strerror(-fd));
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
static void begin(struct output *t, struct query *q)
{
	const struct options *o = &q->options;
	struct view_options v = {
		.out = t->out, .header = !o->no_header, .timestamp = o->timestamp,
		.width = terminal_width(t->out), .names = &t->names, .title = q->title,
		.query = query_line(q), .run = run_line(q), .self = q->view_self,
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
	result_open(&t->result, q->compile.plan, t->view, &v);
	t->result.meminfo = t->meminfo;
}

static bool flush(void *self)
{
	struct output *t = self;

	if (!t->error)
		t->error = result_flush(&t->result);
	return !t->error;
}

static void show_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct output *t = self;

	if (!t->error)
		result_row(&t->result, q, time_ns, cells);
}

static void show_tables(void *self, struct arena *a, const struct p_query *q,
			struct table *const *tables, int n)
{
	struct output *t = self;

	if (!t->error)
		result_tables(&t->result, a, q, tables, n);
}

void output_of(struct output *t, struct query *q, struct run_options *o)
{
	o->plan = q->compile.plan;
	o->image = q->compile.image;
	o->names = &t->names;
	o->self = t;
	o->row = show_row;
	o->tables = show_tables;
	o->flush = flush;
}

/* A file is read later, without standard error: it says itself what it lacks. */
static bool file_says(const struct output *t)
{
	struct stat out, err;

	return t->view->comments && !fstat(fileno(t->out), &out) && S_ISREG(out.st_mode) &&
	       !(fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino);
}

static void keep_losses(struct output *t, const struct loss *losses, int n, enum tell tell)
{
	size_t bytes;
	FILE *f = xmemstream(&t->losses, &bytes);

	losses_print(f, "# ", losses, n, t->result.rows, tell);
	fclose(f);
}

static void show_losses(struct output *t, struct run *r, const struct options *o)
{
	enum tell tell = o->verbose ? TELL_ALL : o->quiet ? TELL_LESS : TELL_USUAL;
	struct arena a = { 0 };
	struct loss *losses;
	int n = run_losses(r, &a, &losses);

	fflush(t->out);
	if (!t->error)
		t->result.ops->losses(t->result.view, losses, n);
	losses_print(stderr, "", losses, n, t->result.rows, tell);
	if (file_says(t))
		keep_losses(t, losses, n, tell);
	arena_fini(&a);
}

int output_follow(struct output *t, struct query *q, struct run *r, unsigned *happened)
{
	int code, rest;

	begin(t, q);
	code = run_follow(r, happened);
	rest = run_end(r);
	if (!t->error)
		result_rest(&t->result);
	flush(t);
	show_losses(t, r, &q->options);
	return code ? code : rest;
}

int output_close(struct output *t)
{
	int error = result_close(&t->result);

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
