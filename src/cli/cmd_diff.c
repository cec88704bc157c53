/*
 * culprit diff: two tables that culprit wrote as JSON, row by row, by their keys: what each
 * number was before and is after, the difference and the ratio. A row that only one has is
 * added or removed. Several queries are compared one by one. Any bytes are harmless.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "cli/cmd.h"
#include "cli/options.h"
#include "view/view.h"

#define FILE_BYTES_MOST (64u << 20)
#define SHOWN 4				/* columns for each value: before, after, difference, ratio */

struct compared_row {
	struct cell *keys;
	struct cell *values[2];		/* NULL: that side has no such row */
};

/* A query's two tables. */
struct compared {
	int64_t query;
	bool headed[2];
	VEC(struct column) keys, values;
	bool *both;			/* values: the second file has it, too */
	struct map by_key;
	VEC(struct compared_row *) rows;
};

struct diff_run {
	struct arena arena;
	struct err err;
	struct options options;
	const struct view_ops *ops;
	const char *path;		/* of the file that is read */
	int side;
	VEC(struct compared *) tables;
};

/* ---- reading ---- */

static int64_t integer(const struct json *j)
{
	return json_is_number(j) ? strtoll(j->text.p, NULL, 10) : 0;
}

static struct compared *table_of(struct diff_run *r, const struct json *line, bool add)
{
	int64_t query = integer(json_member(line, "query"));

	for (int i = 0; i < r->tables.n; i++)
		if (r->tables.v[i]->query == query)
			return r->tables.v[i];
	if (!add)
		return NULL;
	vec_push(&r->arena, &r->tables, arena_new(&r->arena, struct compared));
	vec_last(&r->tables)->query = query;
	return vec_last(&r->tables);
}

/* The types whose values are numbers that can be taken from each other. */
static bool number_type(struct str name, struct type *t)
{
	static const uint8_t kinds[] = { TY_INT, TY_REAL, TY_DURATION, TY_SIZE, TY_RATE, TY_SHARE };

	for (size_t i = 0; i < sizeof(kinds); i++) {
		*t = (struct type){ .kind = kinds[i], .is_signed = true, .size = 8 };
		if (str_is(name, type_name(t)))
			return true;
	}
	return false;
}

static int find_column(const struct column *columns, int n, struct str name)
{
	for (int i = 0; i < n; i++)
		if (str_is(name, columns[i].name))
			return i;
	return -1;
}

static struct column column_of(struct diff_run *r, const struct json *column, struct type type)
{
	struct str name = json_text(json_member(column, "name"));

	return (struct column){ .name = arena_strndup(&r->arena, name.p, (size_t)name.n), .type = type };
}

static const struct type text_type = { .kind = TY_STRING };

static void take_columns(struct diff_run *r, struct compared *c, const struct json *head)
{
	const struct json *columns = json_member(head, "columns");
	struct type type;

	for (const struct json *j = columns ? columns->first : NULL; j; j = j->next)
		if (str_is(json_text(json_member(j, "role")), "key"))
			vec_push(&r->arena, &c->keys, column_of(r, j, text_type));
		else if (number_type(json_text(json_member(j, "type")), &type))
			vec_push(&r->arena, &c->values, column_of(r, j, type));
	c->both = arena_array(&r->arena, bool, c->values.n);
}

/* 0, or -EINVAL: the second table has other keys. */
static int compare_columns(struct diff_run *r, struct compared *c, const struct json *head)
{
	const struct json *columns = json_member(head, "columns");
	int keys = 0;

	for (const struct json *j = columns ? columns->first : NULL; j; j = j->next) {
		struct str name = json_text(json_member(j, "name"));
		int at = find_column(c->values.v, c->values.n, name);

		if (!str_is(json_text(json_member(j, "role")), "key")) {
			if (at >= 0)
				c->both[at] = true;
		} else if (keys++ >= c->keys.n || !str_is(name, c->keys.v[keys - 1].name)) {
			keys = -1;
			break;
		}
	}
	return keys == c->keys.n ? 0 :
	       err_push(&r->err, -EINVAL, "%s: its table has other keys than that of %s", r->path,
			r->options.words.v[0]);
}

static int read_head(struct diff_run *r, const struct json *head)
{
	struct compared *c = table_of(r, head, true);

	if (!str_is(json_text(json_member(head, "kind")), "table")) {
		err_help(&r->err, "only tables can be compared, as of: culprit run -o a.json 'syscall:* | count by event'");
		return err_push(&r->err, -EINVAL, "%s has rows without keys", r->path);
	}
	if (c->headed[r->side])
		return err_push(&r->err, -EINVAL, "%s holds more than one run", r->path);
	c->headed[r->side] = true;
	if (r->side && c->headed[0])
		return compare_columns(r, c, head);
	take_columns(r, c, head);
	return 0;
}

static void add_frames(struct buf *b, const struct json *frame)
{
	struct str name = json_text(json_member(frame, "name"));
	struct str module = json_text(json_member(frame, "module"));
	struct str address = json_text(json_member(frame, "address"));

	if (frame->next)
		add_frames(b, frame->next);
	if (b->n)
		buf_putc(b, ';');
	if (name.n || !module.n)
		name = name.n ? name : address.n ? address : json_text(json_member(frame, "cut"));
	else
		buf_printf(b, "%.*s+%#llx", STR_ARG(module),
			   (unsigned long long)integer(json_member(frame, "offset")));
	buf_add(b, name.p ? name.p : "", (size_t)name.n);
}

static struct cell key_cell(struct diff_run *r, const struct json *j)
{
	struct cell cell = { .kind = CELL_BYTES };
	struct buf b = { 0 };

	if (j && j->kind == JSON_ARRAY && j->first)
		add_frames(&b, j->first);
	else if (j && j->kind != JSON_NULL)
		buf_add(&b, j->text.p, (size_t)j->text.n);
	cell.bytes.p = arena_strndup(&r->arena, b.p ? b.p : "", b.n);
	cell.bytes.n = (int)b.n;
	buf_fini(&b);
	return cell;
}

static struct cell value_cell(const struct column *c, const struct json *j)
{
	struct cell cell = { .kind = CELL_NONE };

	if (!json_is_number(j))
		return cell;
	cell.kind = c->type.kind == TY_INT || c->type.kind == TY_DURATION || c->type.kind == TY_SIZE ?
		CELL_INT : CELL_REAL;
	if (cell.kind == CELL_INT)
		cell.i = strtoll(j->text.p, NULL, 10);
	else
		cell.r = strtod(j->text.p, NULL);
	return cell;
}

/* The row of the keys, which is made if it is new. Those of "(other)" are none. */
static struct compared_row *row_of(struct diff_run *r, struct compared *c, const struct json *line)
{
	bool other = json_member(line, "other") != NULL;
	struct cell *keys = arena_array(&r->arena, struct cell, c->keys.n);
	struct buf b = { 0 };
	void **at;

	for (int i = 0; i < c->keys.n && !other; i++) {
		keys[i] = key_cell(r, json_member(line, c->keys.v[i].name));
		buf_add(&b, keys[i].bytes.p, (size_t)keys[i].bytes.n + 1);
	}
	at = map_put(&r->arena, &c->by_key, b.p ? b.p : "", (int)b.n);
	buf_fini(&b);
	if (!*at) {
		*at = arena_new(&r->arena, struct compared_row);
		vec_push(&r->arena, &c->rows, *at);
		((struct compared_row *)*at)->keys = keys;
	}
	return *at;
}

static int read_row(struct diff_run *r, const struct json *line)
{
	struct compared *c = table_of(r, line, false);
	struct compared_row *row;
	struct cell *values;

	if (!c || !c->headed[r->side])
		return err_push(&r->err, -EINVAL, "%s: a row comes before its columns", r->path);
	if (integer(json_member(line, "interval"))) {
		err_help(&r->err, "one table is compared with one: run it with -d, without -i");
		return err_push(&r->err, -EINVAL, "%s has several intervals", r->path);
	}
	row = row_of(r, c, line);
	if (row->values[r->side])
		return err_push(&r->err, -EINVAL, "%s has two rows of the same keys", r->path);
	values = row->values[r->side] = arena_array(&r->arena, struct cell, c->values.n);
	for (int i = 0; i < c->values.n; i++)
		values[i] = value_cell(&c->values.v[i], json_member(line, c->values.v[i].name));
	return 0;
}

static void say_losses(const struct diff_run *r, const struct json *losses)
{
	for (const struct json *j = losses->first; j; j = j->next)
		if (integer(j))
			complain("culprit: %s lacks something: %lld %.*s\n", r->path, (long long)integer(j),
				 STR_ARG(j->name));
}

static int read_line(struct diff_run *r, struct str text)
{
	struct arena a = { 0 };
	const struct json *j = json_read(&a, text);
	int code;

	if (!j || j->kind != JSON_OBJECT) {
		err_help(&r->err, "what is compared is written by culprit: -o FILE.json");
		code = err_push(&r->err, -EINVAL, "%s: not the JSON of culprit", r->path);
	} else if (json_member(j, "schema")) {
		code = read_head(r, j);
	} else if (json_member(j, "losses")) {
		say_losses(r, json_member(j, "losses"));
		code = 0;
	} else {
		code = read_row(r, j);
	}
	arena_fini(&a);
	return code;
}

/* All of the file: 0, or negative with the error. */
static int read_text(struct diff_run *r, struct buf *b)
{
	FILE *file = strcmp(r->path, "-") ? fopen(r->path, "re") : stdin;
	char chunk[65536];
	size_t got;
	int error = file ? 0 : errno;

	errno = 0;
	while (file && b->n <= FILE_BYTES_MOST && (got = fread(chunk, 1, sizeof(chunk), file)))
		buf_add(b, chunk, got);
	if (file && ferror(file))
		error = errno ? errno : EIO;
	if (file && file != stdin)
		fclose(file);
	if (error)
		return err_push(&r->err, -error, "cannot read %s: %s", r->path, strerror(error));
	if (b->n > FILE_BYTES_MOST)
		return err_push(&r->err, -EFBIG, "%s: more than %u MiB", r->path, FILE_BYTES_MOST >> 20);
	return 0;
}

static int read_file(struct diff_run *r)
{
	struct buf b = { 0 };
	int code = read_text(r, &b);

	for (size_t at = 0; !code && at < b.n;) {
		const char *end = memchr(b.p + at, '\n', b.n - at);
		size_t n = end ? (size_t)(end - b.p) - at : b.n - at;

		if (n)
			code = read_line(r, (struct str){ b.p + at, (int)n });
		at += n + 1;
	}
	buf_fini(&b);
	return code;
}

/* ---- comparing ---- */

static double real(const struct cell *c)
{
	return c->kind == CELL_INT ? (double)c->i : c->kind == CELL_REAL ? c->r : 0;
}

static struct cell difference(const struct cell *before, const struct cell *after)
{
	struct cell d = { .kind = before->kind != CELL_NONE ? before->kind : after->kind };

	if (d.kind == CELL_REAL)
		d.r = real(after) - real(before);
	else if (d.kind == CELL_INT &&
		 __builtin_sub_overflow(after->kind == CELL_INT ? after->i : 0,
					before->kind == CELL_INT ? before->i : 0, &d.i))
		d.i = real(after) > real(before) ? INT64_MAX : INT64_MIN;
	return d;
}

static struct cell text_cell(const char *text)
{
	return (struct cell){ .kind = CELL_BYTES, .bytes = { text, (int)strlen(text) } };
}

/* Keys, what became of the row, and SHOWN cells for each value that both tables have. */
static void fill_row(const struct compared *c, const struct compared_row *row, struct cell *cells)
{
	const struct cell none = { .kind = CELL_NONE };
	bool changed = false;
	struct cell *of;

	memcpy(cells, row->keys, sizeof(*cells) * (size_t)c->keys.n);
	of = cells + c->keys.n + 1;
	for (int i = 0; i < c->values.n; i++) {
		const struct cell *before = row->values[0] ? &row->values[0][i] : &none;
		const struct cell *after = row->values[1] ? &row->values[1][i] : &none;

		if (!c->both[i])
			continue;
		of[0] = *before;
		of[1] = *after;
		of[2] = difference(before, after);
		if (before->kind != CELL_NONE && after->kind != CELL_NONE && real(before) != 0)
			of[3] = (struct cell){ .kind = CELL_REAL, .r = real(after) / real(before) };
		changed |= before->kind != after->kind || real(&of[2]) != 0;
		of += SHOWN;
	}
	cells[c->keys.n] = text_cell(!row->values[0] ? "added" : !row->values[1] ? "removed" :
				     changed ? "changed" : "same");
}

static void add_columns(struct diff_run *r, const struct compared *c, struct table *t)
{
	static const char *const names[SHOWN] = { "before", "after", "difference", "ratio" };

	t->columns = arena_array(&r->arena, struct column, c->keys.n + 1 + SHOWN * c->values.n);
	for (int i = 0; i < c->keys.n; i++)
		t->columns[t->n_columns++] = c->keys.v[i];
	t->columns[t->n_columns++] = (struct column){ .name = "change", .type = text_type, .role = COL_VALUE };
	for (int i = 0; i < c->values.n; i++)
		for (int k = 0; k < SHOWN && c->both[i]; k++)
			t->columns[t->n_columns++] = (struct column){
				.name = arena_printf(&r->arena, "%s.%s", c->values.v[i].name, names[k]),
				.type = k < 3 ? c->values.v[i].type : type_real, .role = COL_VALUE,
			};
}

/* The largest difference of the first value first, "(other)" last. */
static int by_difference(const void *x, const void *y, void *arg)
{
	const int *at = arg;		/* the difference; how many keys there are */
	const struct cell *a = *(struct cell *const *)x, *b = *(struct cell *const *)y;
	double p = real(&a[at[0]]), q = real(&b[at[0]]);
	int order = 0;

	if (at[1] && a[0].kind != b[0].kind)
		return a[0].kind == CELL_NONE ? 1 : -1;
	p = p < 0 ? -p : p;
	q = q < 0 ? -q : q;
	if (p != q)
		return p < q ? 1 : -1;
	for (int i = 0; i < at[1] && !order; i++)
		order = strcmp(a[i].bytes.p, b[i].bytes.p);
	return order;
}

static void show(struct diff_run *r, const struct compared *c, struct sink *view)
{
	struct table t = { 0 };
	struct sink_query q = { .index = (int)c->query, .is_table = true };
	int at[2] = { c->keys.n + 3, c->keys.n };
	uint64_t top = r->options.top;

	add_columns(r, c, &t);
	for (int i = 0; i < c->rows.n; i++)
		fill_row(c, c->rows.v[i], table_add_row(&r->arena, &t));
	at[0] = t.n_columns > at[0] ? at[0] : c->keys.n;
	if (t.rows.n)
		qsort_r(t.rows.v, (size_t)t.rows.n, sizeof(*t.rows.v), by_difference, at);
	if (top && top < (uint64_t)t.rows.n)
		t.rows.n = (int)top;
	t.other = c->keys.n && t.rows.n && vec_last(&t.rows)[0].kind == CELL_NONE;
	q.n_columns = t.n_columns;
	q.columns = t.columns;
	r->ops->sink.query(view, &q);
	r->ops->sink.table(view, &q, &t);
}

/* ---- the command ---- */

static int check(struct diff_run *r)
{
	const struct options *o = &r->options;
	struct buf names = { 0 };

	if (o->words.n != 2) {
		err_help(&r->err, "as in: culprit diff before.json after.json");
		return err_push(&r->err, -EINVAL, "diff needs two files of JSON");
	}
	r->ops = o->format ? view_find(o->format) : o->output ? view_for_file(o->output) : NULL;
	if (!r->ops && !o->format)
		r->ops = &view_text;
	if (r->ops && r->ops->shape == VIEW_LINES)
		return 0;
	view_names(&names, VIEW_LINES);
	err_help(&r->err, "formats:%s; `culprit flame --diff` compares stacks", names.p);
	buf_fini(&names);
	return err_push(&r->err, -EINVAL, "%s is not a format of a table", r->ops ? r->ops->name : o->format);
}

/* 0, or negative with the error: a query or a value that only one of them has is no difference. */
static int say_missing(struct diff_run *r)
{
	for (int i = 0; i < r->tables.n; i++) {
		const struct compared *c = r->tables.v[i];

		if (!c->headed[0] || !c->headed[1])
			return err_push(&r->err, -EINVAL, "only %s has the query %d",
					r->options.words.v[c->headed[1]], (int)c->query);
		for (int k = 0; k < c->values.n; k++)
			if (!c->both[k])
				complain("culprit: only %s has the column %s\n", r->options.words.v[0],
					 c->values.v[k].name);
	}
	return r->tables.n ? 0 : err_push(&r->err, -EINVAL, "there is no table in %s", r->options.words.v[0]);
}

static int write_all(struct diff_run *r)
{
	const char *path = r->options.output;
	const struct names names = { 0 };
	FILE *out = path ? fopen(path, "we") : stdout;
	struct view_options o = { .out = out, .header = true, .names = &names, .title = "diff" };
	struct sink *view;
	int error;

	if (!out)
		return err_push(&r->err, -errno, "cannot write %s: %s", path, strerror(errno));
	view = r->ops->open(&o);
	for (int i = 0; i < r->tables.n; i++)
		show(r, r->tables.v[i], view);
	error = r->ops->close(view);
	if (path && fclose(out) && !error)
		error = -errno;
	return error && error != -EPIPE ? err_push(&r->err, error, "cannot write%s%s: %s", path ? " " : "",
						   path ? path : "", strerror(-error)) : 0;
}

static int compare(struct diff_run *r)
{
	int code = 0;

	for (r->side = 0; r->side < 2 && !code; r->side++) {
		r->path = r->options.words.v[r->side];
		code = read_file(r);
	}
	if (!code)
		code = say_missing(r);
	return code ? code : write_all(r);
}

int cmd_diff(char **argv)
{
	struct diff_run r = { .err.arena = &r.arena };
	struct option_set set = { .own = option_diff, .only_own = true };
	int status = END_DONE;

	options_init(&r.options, &r.arena);
	if (options_parse(&r.options, &set, argv, &r.err) || (!r.options.help && check(&r)))
		status = err_print(&r.err, END_WRONG);
	else if (r.options.help)
		status = cmd_help((char *[]){ "diff", NULL });
	else if (compare(&r))
		status = err_print(&r.err, END_FAILED);
	arena_fini(&r.arena);
	return put_end(status);
}
