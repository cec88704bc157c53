/*
 * The registry of the views, and what they share: writing with errors kept, and
 * losses for standard error. To add a view: src/view/x.c and a row here.
 */
#include "view/view.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "view/out.h"

const struct view_ops *const view_registry[] = {
	&view_text, &view_json, &view_csv, &view_folded, &view_svg, &view_html, &view_pprof,
	&view_speedscope, NULL
};

const struct view_ops *view_find(const char *name)
{
	for (int i = 0; view_registry[i]; i++)
		if (!strcmp(view_registry[i]->name, name))
			return view_registry[i];
	return NULL;
}

/* Is the word one of a list with blanks between? */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (list && *list) {
		size_t len = strcspn(list, " ");

		if (len == n && !memcmp(list, word, n))
			return n > 0;
		list += len + (list[len] == ' ');
	}
	return false;
}

const struct view_ops *view_for_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	if (!dot || dot == path || dot == (slash ? slash + 1 : path))
		return NULL;
	for (int i = 0; view_registry[i]; i++)
		if (has_word(view_registry[i]->endings, dot + 1))
			return view_registry[i];
	return NULL;
}

bool view_adds_time(const struct view_query *q, bool timestamp)
{
	for (int i = 0; timestamp && i < q->n_columns; i++)
		timestamp = strcmp(q->columns[i].name, "time") != 0;
	return timestamp;
}

static bool is_told(const struct loss *l, uint64_t count, uint64_t rows, enum tell tell)
{
	if (!count || (tell == TELL_LESS && loss_is_quiet(l->id)))
		return false;
	return l->always || tell == TELL_ALL || count > rows / 1000;
}

void view_print_losses(FILE *out, const char *begin, const struct loss *l, int n, uint64_t rows, enum tell tell)
{
	bool any = false;

	for (int i = 0; i < n; i++) {
		uint64_t count = tell == TELL_ALL ? l[i].count : l[i].count - l[i].usual;

		if (!is_told(&l[i], count, rows, tell))
			continue;
		fprintf(out, "%sculprit: %llu %s (%s)\n", begin, (unsigned long long)count, l[i].what,
			loss_name(l[i].id));
		any = true;
	}
	if (any)
		fprintf(out, "%shelp: `culprit help losses` says what each means for the answer\n", begin);
}

/* ---- out.h ---- */

void out_write(struct out *o)
{
	errno = 0;
	if (!o->error && o->line.n && fwrite(o->line.p, 1, o->line.n, o->file) != o->line.n)
		o->error = errno ? -errno : -EIO;
	buf_clear(&o->line);
}

int out_flush(struct out *o)
{
	errno = 0;
	if (!o->error && fflush(o->file))
		o->error = errno ? -errno : -EIO;
	return o->error;
}

int out_close(struct out *o)
{
	int error;

	out_write(o);
	error = out_flush(o);
	buf_fini(&o->line);
	return error;
}
