/*
 * Queries over made events, from text to result, in both modes of the interpreter.
 *
 * tests/exec/NAME.t holds cases; the format is at the head of tests/exec/basic.t. A
 * case is one test, named NAME.t/CASE.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "replay/made.h"
#include "replay/replay.h"
#include "session/compile.h"
#include "session/result.h"
#include "session/run.h"

#define FOLDER "tests/exec"

struct test_case {
	struct str name, parts[4];
};

enum { QUERY, OPTIONS, EVENTS, EXPECT };
static const char *const part_names[] = { "--- query", "--- options", "--- events", "--- expect" };

/* ---- a view: numbers as they are, names of enums, texts in quotes ---- */

struct sink {
	struct buf *out;
};

static void print_hist(struct buf *b, const struct hist *h)
{
	const char *sep = "";

	for (int i = 0; i < h->n; i++) {
		if (!h->rows[i].count)
			continue;
		buf_printf(b, "%s[", sep);
		hist_bound(b, h->rows[i].lo);
		buf_puts(b, "..");
		hist_bound(b, h->rows[i].hi);
		buf_printf(b, "]=%" PRIu64, h->rows[i].count);
		sep = " ";
	}
}

static void print_stack(struct buf *b, const struct stack *s)
{
	buf_putc(b, '[');
	for (int i = 0; i < s->n; i++)
		buf_printf(b, "%s%s%s", i ? " " : "", s->frames[i].kind == FRAME_USER ? "" : "k:",
			   s->frames[i].name ? s->frames[i].name : "?");
	buf_printf(b, "%s%s]", s->cut ? " cut: " : "", s->cut ? s->cut : "");
}

static void print_cell(struct buf *b, const struct type *t, const struct cell *c)
{
	const char *name;

	switch (c->kind) {
	case CELL_NONE:
		buf_puts(b, "-");
		break;
	case CELL_INT:
		name = t->en ? enum_name(t->en, c->i) : NULL;
		buf_puts(b, c->at_least ? ">= " : "");
		if (name)
			buf_puts(b, name);
		else
			buf_printf(b, "%" PRId64, c->i);
		break;
	case CELL_REAL:
		buf_printf(b, "%.6g", c->r);
		break;
	case CELL_BYTES:
		buf_putc(b, '"');
		cell_text(b, t, c);
		buf_putc(b, '"');
		break;
	case CELL_HIST:
		print_hist(b, c->hist);
		break;
	case CELL_STACK:
		print_stack(b, c->stack);
		break;
	}
}

static void print_cells(struct buf *b, const struct column *columns, int n,
			const struct cell *cells)
{
	for (int i = 0; i < n; i++) {
		if (i)
			buf_puts(b, " | ");
		print_cell(b, &columns[i].type, &cells[i]);
	}
	buf_putc(b, '\n');
}

static void dump_row(struct sink *v, const struct sink_query *q, uint64_t time_ns,
		     const struct cell *cells)
{
	(void)time_ns;
	print_cells(v->out, q->columns, q->n_columns, cells);
}

static void dump_table(struct sink *v, const struct sink_query *q, const struct table *t)
{
	if (q->has_interval)
		buf_printf(v->out, "-- interval %d\n", t->interval);
	for (int i = 0; i < t->n_columns; i++)
		buf_printf(v->out, "%s%s", i ? " | " : "", t->columns[i].name);
	buf_putc(v->out, '\n');
	for (int i = 0; i < t->rows.n; i++) {
		if (t->other && i == t->rows.n - 1)
			buf_puts(v->out, "(other) ");
		print_cells(v->out, t->columns, t->n_columns, t->rows.v[i]);
	}
}

static const struct sink_ops dump = { .row = dump_row, .table = dump_table };

static void on_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	result_row(self, q, time_ns, cells);
}

static void on_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *t,
		      int n)
{
	result_tables(self, a, q, t, n);
}

/* ---- one case ---- */

/* The next word of a line list "a=b c"; values may be quoted by nothing. */
static bool next_option(struct str *s, char word[256])
{
	int n = 0;

	while (s->n && strchr(" \t\n", s->p[0]))
		*s = str_sub(*s, 1, -1);
	while (s->n > n && n < 255 && !strchr(" \t\n", s->p[n]))
		n++;
	if (n)
		memcpy(word, s->p, (size_t)n);
	word[n] = '\0';
	*s = str_sub(*s, n, -1);
	return n > 0;
}

struct settings {
	struct compile compile;
	struct replay_options replay;
	struct param_value params[8];
	int64_t pids[4];
	int cpus[4];
};

/* limits no_task_storage table_rows=N max_open=N pid=N,N comm=GLOB uid=N cpu=N,N interval_ns=N $NAME=VALUE $FLAG */
static void read_options(struct settings *s, struct arena *a, struct str text)
{
	struct plan_options *o = &s->compile.options;
	char word[256];

	while (next_option(&text, word)) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		if (word[0] == '$' && s->compile.n_params < 8)
			s->params[s->compile.n_params++] = (struct param_value){
				arena_strdup(a, word + 1), value ? arena_strdup(a, value) : NULL };
		else if (!strcmp(word, "limits"))
			s->replay.limits = true;
		else if (!strcmp(word, "no_task_storage"))
			o->has.task_storage = false;
		else if (!strcmp(word, "table_rows"))
			o->table_rows = strtoull(value, NULL, 0);
		else if (!strcmp(word, "max_open"))
			o->max_open = strtoull(value, NULL, 0);
		else if (!strcmp(word, "interval_ns"))
			o->interval_ns = strtoll(value, NULL, 0);
		else if (!strcmp(word, "uid"))
			o->uid = strtoll(value, NULL, 0);
		else if (!strcmp(word, "comm"))
			o->comm_glob = arena_strdup(a, value);
		else if (!strcmp(word, "pid"))
			for (o->pids = s->pids; value && o->n_pids < 4; value = strchr(value, ','))
				s->pids[o->n_pids++] = strtoll(value += *value == ',', NULL, 0);
		else if (!strcmp(word, "cpu"))
			for (o->cpus = s->cpus; value && o->n_cpus < 4; value = strchr(value, ','))
				s->cpus[o->n_cpus++] = atoi(value += *value == ',');
		else
			printf("# unknown option %s\n", word);
	}
	s->compile.params = s->params;
}

static void print_losses(struct run *r, struct arena *a, struct buf *out)
{
	struct loss *losses;
	int n = run_losses(r, a, &losses);

	for (int i = 0; i < n; i++)
		if (losses[i].count)
			buf_printf(out, "! %s %" PRIu64 "\n", loss_name(losses[i].id), losses[i].count);
}

static void print_err(const struct err *e, struct buf *out)
{
	for (int i = e->causes.n - 1; i >= 0; i--)
		buf_printf(out, "error: %s\n", e->causes.v[i]);
}

struct stack_names {
	const struct replay *replay;
	const struct made *made;
};

static const struct stack *find_stack(void *self, struct arena *a, const void *id, int bytes)
{
	const struct stack_names *n = self;

	return replay_stack(n->replay, a, id, bytes, made_symbol, (void *)n->made);
}

static void replay_all(const struct compile *c, const struct made *m,
		       const struct replay_options *o, struct buf *out)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct result result;
	struct made_reader reader = { m, 0 };
	struct record_source source = made_source(&reader);
	struct replay *replay = replay_open(&e, c->plan, c->image, o, &source);
	struct run_options options = { .plan = c->plan, .image = c->image, .checked = o->checked,
				       .self = &result, .row = on_row, .tables = on_tables };
	struct run *r = replay ? run_open(replay_executor(replay), &options, &e) : NULL;
	struct stack_names stacks = { replay, m };
	struct names names = { .self = &stacks, .stack = find_stack };
	struct sink sink = { out };
	unsigned happened;

	result_open(&result, c->plan, &dump, &sink, &names);
	if (r && !run_begin(r) && !run_follow(r, &happened) && !run_end(r)) {
		result_rest(&result);
		print_losses(r, &a, out);
	}
	print_err(&e, out);
	run_close(r);
	replay_close(replay);
	result_close(&result);
	arena_fini(&a);
}

static void run_case(const struct test_case *t, bool checked, struct buf *out)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct made *m = made_read(&a, t->parts[EVENTS], &e);
	struct settings s = { .replay.checked = checked };
	struct catalog catalog;

	if (!m) {
		print_err(&e, out);
		arena_fini(&a);
		return;
	}
	catalog = made_catalog(m);
	s.compile = (struct compile){ .arena = &a, .diag.arena = &a, .catalog = &catalog,
		.text = { "query", t->parts[QUERY] },
		.options = { .has = { .tp_btf = true, .task_storage = true, .replay = true },
			     .uid = -1, .table_rows = 10240, .max_open = 10240,
			     .cpus_possible = 4 } };
	read_options(&s, &a, t->parts[OPTIONS]);
	if (compile_run(&s.compile, 0) || s.compile.diag.errors || !s.compile.image)
		diag_print(&s.compile.diag, out);
	else
		replay_all(&s.compile, m, &s.replay, out);
	arena_fini(&a);
}

static bool same(const struct buf *b, struct str want)
{
	return b->n == (size_t)want.n && (!b->n || !memcmp(b->p, want.p, b->n));
}

static void print_block(const char *title, struct str text)
{
	printf("# %s:\n", title);
	while (text.n) {
		const char *end = memchr(text.p, '\n', (size_t)text.n);
		int n = end ? (int)(end - text.p) : text.n;

		printf("#   %.*s\n", n, text.p);
		text = str_sub(text, end ? n + 1 : n, -1);
	}
}

static bool test_one(const char *name, const struct test_case *t)
{
	struct buf checked = { 0 }, fast = { 0 };
	bool ok;

	run_case(t, true, &checked);
	run_case(t, false, &fast);
	ok = same(&checked, t->parts[EXPECT]);
	if (!ok) {
		print_block("got", (struct str){ checked.p, (int)checked.n });
		print_block("expected", t->parts[EXPECT]);
	} else if (!same(&fast, t->parts[EXPECT])) {
		print_block("unchecked", (struct str){ fast.p, (int)fast.n });
		ok = false;
	}
	printf("%s %s\n", ok ? "ok" : "not ok", name);
	buf_fini(&checked);
	buf_fini(&fast);
	return ok;
}

/* ---- files ---- */

static struct str take_line(struct str *text)
{
	const char *end = text->n ? memchr(text->p, '\n', (size_t)text->n) : NULL;
	int n = end ? (int)(end - text->p) : text->n;
	struct str line = str_sub(*text, 0, n);

	*text = str_sub(*text, end ? n + 1 : n, -1);
	return line;
}

static int part_of(struct str line)
{
	for (int i = 0; i < 4; i++)
		if (str_is(line, part_names[i]))
			return i;
	return -1;
}

/* The next case of the text; events that a case leaves out are those of the one before. */
static bool next_case(struct str *text, struct test_case *t)
{
	struct test_case next = { .parts[EVENTS] = t->parts[EVENTS] };
	int part = -1;

	while (text->n) {
		struct str before = *text, line = take_line(text);

		if (str_has_prefix(line, "=== ")) {
			if (next.name.n) {
				*text = before;
				break;
			}
			next.name = str_sub(line, 4, -1);
		} else if (part_of(line) >= 0) {
			part = part_of(line);
			next.parts[part] = (struct str){ text->p, 0 };
		} else if (part >= 0 && next.name.n) {
			next.parts[part].n = (int)(text->p - next.parts[part].p);
		}
	}
	for (struct str *e = &next.parts[EXPECT]; e->n > 1 && !memcmp(e->p + e->n - 2, "\n\n", 2);)
		e->n--;			/* blank lines before the next case */
	*t = next;
	return next.name.n > 0;
}

static char *read_file(const char *path, long *n)
{
	FILE *f = fopen(path, "r");
	char *p = NULL;

	if (!f || fseek(f, 0, SEEK_END) || (*n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) ||
	    !(p = calloc(1, (size_t)*n + 1)) || fread(p, 1, (size_t)*n, f) != (size_t)*n) {
		printf("# %s can't be read\n", path);
		free(p);
		p = NULL;
	}
	if (f)
		fclose(f);
	return p;
}

/* All cases of the file, or of a name with this part in it ("aggs.t", "aggs.t/sum"). */
static void test_file(const char *file, const char *wanted, int *ran, int *failed)
{
	char path[512], name[512];
	struct test_case t = { 0 };
	struct str text;
	long n = 0;
	char *p;

	snprintf(path, sizeof(path), FOLDER "/%s", file);
	p = read_file(path, &n);
	if (!p) {
		printf("not ok %s\n", file);
		++*failed;
		return;
	}
	text = (struct str){ p, (int)n };
	while (next_case(&text, &t)) {
		snprintf(name, sizeof(name), "%s/%.*s", file, STR_ARG(t.name));
		if (wanted && !strstr(name, wanted))
			continue;
		++*ran;
		*failed += !test_one(name, &t);
	}
	free(p);
}

static int is_case_file(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 2 && !strcmp(d->d_name + n - 2, ".t");
}

/* Argument: a part of the cases' names. */
int main(int argc, char **argv)
{
	struct dirent **files;
	int n = scandir(FOLDER, &files, is_case_file, alphasort), ran = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < n; i++) {
		test_file(files[i]->d_name, argv[1], &ran, &failed);
		free(files[i]);
	}
	if (n > 0)
		free(files);
	if (!ran)
		printf("not ok exec: no case in " FOLDER " has this in its name: %s\n",
		       argc > 1 ? argv[1] : "");
	return failed || !ran;
}
