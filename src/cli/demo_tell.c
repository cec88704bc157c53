/*
 * What `culprit demo` says of what it measured: each sentence is made from the rows, so that
 * it is true of them whatever came first this time.
 */
#include "cli/demo.h"

#include <string.h>

#include "view/format.h"

#define WIDTH 80

/* ---- words ---- */

/* The text in lines of at most WIDTH. */
static void add_filled(struct buf *b, const char *text)
{
	int at = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (at && at + 1 + n > WIDTH) {
			buf_putc(b, '\n');
			at = 0;
		} else if (at) {
			buf_putc(b, ' ');
			at++;
		}
		buf_add(b, text, (size_t)n);
		at += n;
		text += n;
		text += strspn(text, " ");
	}
}

static void end_filled(struct buf *b, struct buf *text)
{
	add_filled(b, text->p ? text->p : "");
	buf_fini(text);
}

static const struct cell *cell_of(const struct table *t, int row, const char *column)
{
	for (int i = 0; i < t->n_columns; i++)
		if (!strcmp(t->columns[i].name, column))
			return &t->rows.v[row][i];
	return NULL;
}

static int64_t number_of(const struct table *t, int row, const char *column)
{
	const struct cell *c = cell_of(t, row, column);

	return c && c->kind == CELL_INT ? c->i : 0;
}

static void add_text(struct buf *b, const struct table *t, int row, const char *column)
{
	const struct cell *c = cell_of(t, row, column);

	if (c)
		format_cell(b, FORM_ADAPTED, &t->columns[c - t->rows.v[row]].type, c, NULL);
}

/* ---- where the time goes ---- */

static const struct {
	const char *call, *means;
} meanings[] = {
	{ "clock_nanosleep", "it sleeps" },
	{ "wait4", "it waits for helpers to end" },
	{ "clone*", "it starts helpers" },
	{ "vfork", "it starts helpers, and waits until they run" },
	{ "execve", "new programs are loaded" },
	{ "open*", "it opens files, or tries to" },
	{ "mmap", "memory and libraries are mapped" },
	{ "exit_group", "processes end" },
};

static void add_call(struct buf *b, const struct table *t, int row)
{
	int64_t count = number_of(t, row, "count"), ns = number_of(t, row, "total");
	struct buf name = { 0 };

	add_text(&name, t, row, "event");
	buf_puts(b, name.p ? name.p : "?");
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (name.p && str_glob(str_of(meanings[i].call), str_of(name.p)))
			buf_printf(b, " (%s)", meanings[i].means);
	buf_printf(b, ", %lld times ", (long long)count);
	format_duration(b, count ? (double)ns / (double)count : 0);
	buf_fini(&name);
}

void demo_tell_calls(struct buf *b, const struct table *t)
{
	struct buf text = { 0 };
	int often = 0;

	if (!t->rows.n)
		return;
	for (int i = 1; i < t->rows.n; i++)
		if (number_of(t, i, "count") > number_of(t, often, "count"))
			often = i;
	buf_puts(&text, "TOTAL is the time inside each system call. The most is in ");
	add_call(&text, t, 0);
	if (t->rows.n > 1) {
		buf_puts(&text, "; then in ");
		add_call(&text, t, 1);
	}
	buf_putc(&text, '.');
	if (often > 1) {
		buf_puts(&text, " The most frequent is ");
		add_call(&text, t, often);
		if (number_of(t, often, "total") < number_of(t, 0, "total") / 10) {
			buf_puts(&text, ": many, but together only ");
			format_duration(&text, (double)number_of(t, often, "total"));
		}
		buf_putc(&text, '.');
	}
	end_filled(b, &text);
}

/* ---- which files are looked for ---- */

static struct str base_name(const struct table *t, int row)
{
	const struct cell *c = cell_of(t, row, "path");
	struct str path = { "", 0 };

	if (c && c->kind == CELL_BYTES)
		path = (struct str){ c->bytes.p, c->bytes.n };
	for (int i = path.n - 1; i >= 0; i--)
		if (path.p[i] == '/')
			return str_sub(path, i + 1, -1);
	return path;
}

void demo_tell_files(struct buf *b, const struct table *t)
{
	struct buf text = { 0 };
	int places = 0;
	int64_t times = 0;
	struct str name;

	if (!t->rows.n)
		return;
	name = base_name(t, 0);
	for (int i = 0; i < t->rows.n; i++)
		if (str_eq(base_name(t, i), name)) {
			places++;
			times += number_of(t, i, "count");
		}
	escape_text(&text, name.p, name.n);
	buf_printf(&text, " was looked for %lld time%s, in %d place%s: ", (long long)times,
		   times == 1 ? "" : "s", places, places == 1 ? "" : "s");
	add_text(&text, t, 0, "error");
	buf_puts(&text, times > places ? ". The answer is not remembered, or it would be asked once." : ".");
	buf_puts(&text, " That query is a whole tool; it was compiled to BPF.");
	end_filled(b, &text);
}

/* ---- who uses the CPU ---- */

void demo_tell_samples(struct buf *b, const struct table *t)
{
	int last = t->rows.n - 1;
	struct buf text = { 0 };
	int64_t samples;

	if (last < 0)
		return;
	samples = number_of(t, last, "samples");
	buf_puts(&text, "The most frequent is the last: ");
	add_text(&text, t, last, "comm");
	buf_printf(&text, ", %lld sample%s. At %d a second each stands for ", (long long)samples,
		   samples == 1 ? "" : "s", DEMO_HZ);
	format_duration(&text, 1e9 / DEMO_HZ);
	buf_puts(&text, " on a CPU, so that is ");
	format_duration(&text, (double)samples * 1e9 / DEMO_HZ);
	buf_puts(&text, ". Without -P it shows the code, too.");
	end_filled(b, &text);
}
