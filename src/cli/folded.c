/* Stacks from files. See cli/folded.h. */
#include "cli/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "table/stack.h"

#define LINE_BYTES FOLDED_WRONG_BYTES
/* One more than a picture keeps, so that it knows of the rest. */
#define FRAMES 1025

void folded_init(struct folded *f, const struct view_ops *ops, struct sink *view,
		 struct type type, uint64_t scale)
{
	*f = (struct folded){
		.ops = ops, .view = view, .scale = scale,
		.columns = {
			{ .name = "stack", .type = { .kind = TY_STACK, .size = 8 }, .role = COL_KEY },
			{ .name = "count", .type = type, .role = COL_VALUE },
		},
	};
}

void folded_fini(struct folded *f)
{
	arena_fini(&f->names);
}

static void give(struct folded *f, const struct stack *s, uint64_t value, int side)
{
	struct cell cells[2] = {
		{ .kind = CELL_STACK, .stack = s }, { .kind = CELL_INT, .i = (int64_t)value },
	};
	struct cell *row = cells;
	struct table t = {
		.n_columns = 2, .columns = f->columns, .rows = { .v = &row, .n = 1 },
	};
	struct sink_query q = {
		.index = side, .n_columns = 2, .columns = f->columns, .is_table = true,
	};

	if (!f->told)
		f->ops->sink.query(f->view, &q);
	f->told = true;
	f->ops->sink.table(f->view, &q, &t);
	f->stacks++;
}

/* ---- folded ---- */

static uint64_t times(uint64_t value, uint64_t scale)
{
	uint64_t product;

	return __builtin_mul_overflow(value, scale, &product) ? UINT64_MAX : product;
}

static void blank(char *p, size_t *n)
{
	while (*n && (p[*n - 1] == ' ' || p[*n - 1] == '\t' || p[*n - 1] == '\r'))
		(*n)--;
}

/* Takes the number at the end of the line. What is too large is the largest. */
static bool take_number(const struct folded *f, char *line, size_t *n, uint64_t *value)
{
	size_t from, dots = 0;
	double x;

	blank(line, n);
	from = *n;
	while (from && ((line[from - 1] >= '0' && line[from - 1] <= '9') || line[from - 1] == '.'))
		dots += line[--from] == '.';
	if (from == *n || !from || (line[from - 1] != ' ' && line[from - 1] != '\t') || dots > 1)
		return false;
	line[*n] = 0;
	if (dots) {
		x = strtod(line + from, NULL) * (double)f->scale;
		*value = x < 0x1p63 ? (uint64_t)(x + 0.5) : UINT64_MAX;
	} else {
		*value = times(strtoull(line + from, NULL, 10), f->scale);	/* saturates */
	}
	*n = from;
	blank(line, n);
	return true;
}

/* "vfs_read_[k]": a frame of the kernel. The marks are those of other tools, too. */
static struct stack_frame frame_of(char *name, size_t n)
{
	static const struct {
		char letter;
		uint8_t kind;
	} marks[] = { { 'k', FRAME_KERNEL }, { 'j', FRAME_JIT }, { 'i', FRAME_INLINED } };
	struct stack_frame frame = { .name = n ? name : NULL, .kind = FRAME_USER };

	name[n] = 0;
	if (n > 4 && name[n - 4] == '_' && name[n - 3] == '[' && name[n - 1] == ']')
		for (int i = 0; i < 3; i++)
			if (name[n - 2] == marks[i].letter) {
				frame.kind = marks[i].kind;
				name[n - 4] = 0;
			}
	return frame;
}

static void folded_text(struct folded *f, char *line, size_t n)
{
	struct stack_frame frames[FRAMES];
	struct stack s = { 0 };
	uint64_t values[2] = { 0 };
	char *end;

	if (!take_number(f, line, &n, &values[f->pairs]) ||
	    (f->pairs && !take_number(f, line, &n, &values[0])) || !n) {
		f->wrong++;
		return;
	}
	line[n] = 0;
	/* from the outermost: what is too deep is left out at the other end */
	for (char *p = line; p && s.n < FRAMES; p = end ? end + 1 : NULL) {
		size_t bytes = strcspn(p, ";");

		end = p[bytes] ? p + bytes : NULL;
		if (f->by_names && bytes && strspn(p, "0123456789") == bytes)
			continue;
		s.n++;
		frames[FRAMES - s.n] = frame_of(p, bytes);
	}
	s.frames = frames + FRAMES - s.n;
	for (int side = 0; side < 2; side++)
		if (values[side])
			give(f, &s, values[side], f->pairs ? side : f->query.index);
}

/* ---- JSON ---- */

static struct type type_of(struct str name)
{
	struct type t = { .kind = TY_INT, .size = 8 };

	if (str_is(name, "duration"))
		t.kind = TY_DURATION;
	else if (str_is(name, "size"))
		t.kind = TY_SIZE;
	return t;
}

static const char *keep(struct folded *f, struct str s)
{
	return arena_strndup(&f->names, s.p, (size_t)s.n);
}

/* The line that says the columns: the first stack and the first value that is a number. */
static void read_head(struct folded *f, const struct json *head)
{
	const struct json *columns = json_member(head, "columns");

	f->stack = f->value = NULL;
	for (const struct json *c = columns ? columns->first : NULL; c; c = c->next) {
		struct str type = json_text(json_member(c, "type"));
		struct str name = json_text(json_member(c, "name"));

		if (str_is(type, "stack") && !f->stack)
			f->stack = keep(f, name);
		if (!str_is(json_text(json_member(c, "role")), "value") || f->value ||
		    (!str_is(type, "integer") && !str_is(type, "duration") && !str_is(type, "size")))
			continue;
		f->value = f->columns[1].name = keep(f, name);
		f->columns[1].type = type_of(type);
	}
}

static struct stack_frame json_frame(struct arena *a, const struct json *j)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} kinds[] = {
		{ "kernel", FRAME_KERNEL }, { "jit", FRAME_JIT }, { "inlined", FRAME_INLINED },
		{ "mark", FRAME_MARK },
	};
	struct str name = json_text(j->kind == JSON_OBJECT ? json_member(j, "name") : j);
	struct str module = json_text(json_member(j, "module"));
	struct str kind = json_text(json_member(j, "kind"));
	const struct json *offset = json_member(j, "offset");
	char *text = arena_strndup(a, name.p, (size_t)name.n);
	struct stack_frame frame = frame_of(text, strlen(text));

	if (module.n)
		frame.module = arena_strndup(a, module.p, (size_t)module.n);
	if (offset)
		frame.offset = strtoull(offset->text.p, NULL, 10);
	for (int i = 0; i < 4; i++)
		if (str_is(kind, kinds[i].name))
			frame.kind = kinds[i].kind;
	return frame;
}

static void json_row(struct folded *f, struct arena *a, const struct json *row)
{
	const struct json *list = f->stack ? json_member(row, f->stack) : NULL;
	const struct json *number = f->value ? json_member(row, f->value) : NULL;
	struct stack_frame frames[FRAMES];
	struct stack s = { .frames = frames };

	if (!list || list->kind != JSON_ARRAY || (f->value && !json_is_number(number))) {
		f->wrong += !json_member(row, "losses");
		return;
	}
	for (const struct json *j = list->first; j && s.n < FRAMES - 1; j = j->next) {
		struct str cut = json_text(json_member(j, "cut"));

		frames[s.n++] = !cut.n ? json_frame(a, j) : (struct stack_frame){
			.name = arena_printf(a, "[%.*s]", STR_ARG(cut)), .kind = FRAME_MARK,
		};
	}
	/* the words of other keys are outermost */
	for (const struct json *j = row->first; j && s.n < FRAMES; j = j->next)
		if (j->kind == JSON_TEXT)
			frames[s.n++] = (struct stack_frame){
				.name = arena_strndup(a, j->text.p, (size_t)j->text.n), .kind = FRAME_MARK,
			};
	give(f, &s, number ? strtoull(number->text.p, NULL, 10) : 1, f->query.index);
}

static void json_line(struct folded *f, const char *line, size_t n)
{
	struct arena a = { 0 };
	struct json *j = json_read(&a, (struct str){ line, (int)n });

	if (json_member(j, "schema"))
		read_head(f, j);
	else if (j)
		json_row(f, &a, j);
	else
		f->wrong++;
	arena_fini(&a);
}

/* ---- lines ---- */

void folded_line(struct folded *f, char *line, size_t n)
{
	for (char *p = line; (p = memchr(p, 0, n - (size_t)(p - line))); p++)
		*p = '?';
	blank(line, &n);
	if (!n || *line == '#')
		return;
	line[n] = 0;
	if (*line == '{')
		json_line(f, line, n);
	else
		folded_text(f, line, n);
}

/* A whole line: how many bytes of it are stacks. */
static size_t take_line(struct folded *f, struct buf *line, bool skip)
{
	uint64_t wrong = f->wrong;
	size_t n = line->n;

	f->wrong += skip;
	if (!skip && n)
		folded_line(f, line->p, n);
	buf_clear(line);
	return f->wrong == wrong ? n : 0;
}

int folded_read(struct folded *f, FILE *file)
{
	struct buf line = { 0 };
	bool skip = false;
	char chunk[65536];
	uint64_t all = 0, right = 0;	/* bytes */
	size_t got;
	int error;

	errno = 0;
	while ((got = fread(chunk, 1, sizeof(chunk), file))) {
		all += got;
		for (size_t at = 0; at < got;) {
			const char *end = memchr(chunk + at, '\n', got - at);
			size_t n = end ? (size_t)(end - chunk) - at : got - at;

			if (line.n + n > LINE_BYTES)
				skip = true;
			if (!skip)
				buf_add(&line, chunk + at, n);
			at += n + (end != NULL);
			if (!end)
				continue;
			right += take_line(f, &line, skip);
			skip = false;
		}
		if (all > 2 * (right + FOLDED_WRONG_BYTES)) {	/* /dev/zero has no end */
			buf_fini(&line);
			return -EBADMSG;
		}
	}
	error = errno;			/* of the last read */
	take_line(f, &line, skip);
	buf_fini(&line);
	return !ferror(file) ? 0 : error ? -error : -EIO;
}
