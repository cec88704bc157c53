/*
 * Stored values become cells: fields of a printed row, keys and values of a
 * table. What is stored was written by our programs, but of strings that others
 * chose: lengths are found within the room, never trusted.
 */
#include "base/buf.h"
#include "bpf/image.h"

#include <inttypes.h>
#include <string.h>

/* As a shell reads it back as one word; without backslashes, which text shows twice. */
static void quoted_text(struct buf *b, const char *p, int n)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_^";
	int i = 0;

	while (i < n && strchr(plain, p[i]))
		i++;
	if (n && i == n) {
		buf_add(b, p, (size_t)n);
		return;
	}
	buf_putc(b, '\'');
	for (i = 0; i < n; i++)
		if (p[i] == '\'')
			buf_puts(b, "'\"'\"'");
		else
			buf_putc(b, p[i]);
	buf_putc(b, '\'');
}

/* Words are ended by NULs, and shown with blanks between them. */
static void args_text(struct buf *b, const struct img_head *head, const char *p, int n, bool quoted)
{
	bool missing = head->missing || head->bytes > (uint32_t)n;
	bool last_empty;		/* there is a word where the text ends */

	if (head->bytes < (uint32_t)n)
		n = (int)head->bytes;
	last_empty = quoted && n && !missing;
	if (n && !p[n - 1] && !missing)
		n--;
	for (int i = 0, end; i < n + last_empty; i = end + 1) {
		end = i + (int)strnlen(p + i, (size_t)(n - i));
		if (quoted)
			quoted_text(b, p + i, end - i);
		else
			buf_add(b, p + i, (size_t)(end - i));
		if (end < n)
			buf_putc(b, ' ');
	}
	if (missing)
		buf_puts(b, "...");
}

/* "x/lib/usr/" is /usr/lib/x. A last component without its '/' was cut and is
 * left out, if it is not the only one. */
static void tree_text(struct buf *b, const char *p, int n)
{
	int end = n;

	while (end && p[end - 1] != '/')
		end--;
	end = end ? end - 1 : n;
	while (end > 0) {
		int from = end;

		while (from && p[from - 1] != '/')
			from--;
		buf_putc(b, '/');
		buf_add(b, p + from, (size_t)(end - from));
		end = from - 1;
	}
	if (!n)
		buf_putc(b, '/');
}

/* "x.c", a NUL, "src/usr/" is x.c of that folder. */
static void below_text(struct buf *b, const char *p, int n)
{
	int given = (int)strnlen(p, (size_t)n), skip = given > 2 && p[0] == '.' && p[1] == '/' ? 2 : 0;

	if (given + 1 < n)
		tree_text(b, p + given + 1, n - given - 1);
	buf_putc(b, '/');
	buf_add(b, p + skip, (size_t)(given - skip));
}

static const char *const path_forms[PATHS] = {
#define PATH(id, magic, form) form,
#include "bpf/path.def"
#undef PATH
};

static void path_text(struct buf *b, const struct img_head *head, const char *p, int n)
{
	const char *form = head->path < PATHS ? path_forms[head->path] : "";
	bool numbered = strstr(form, "%n") && n >= 8;
	uint64_t number = 0;

	if (head->missing || head->bytes > (uint32_t)n)
		buf_puts(b, "...");
	if (head->bytes < (uint32_t)n)
		n = (int)head->bytes;
	if (head->path == PATH_BELOW)
		below_text(b, p, n);
	else if (!*form)
		tree_text(b, p, n);
	if (head->path == PATH_DELETED)
		buf_puts(b, " (deleted)");
	if (numbered) {
		memcpy(&number, p, 8);
		p += 8;
		n -= 8;
	}
	for (; *form; form++) {
		if (*form != '%')
			buf_putc(b, *form);
		else if (*++form == 'n')
			buf_printf(b, "%" PRIu64, number);
		else
			buf_add(b, p, strnlen(p, n > 0 ? (size_t)n : 0));
	}
}

static void headed_text(struct buf *b, const struct type *t, const char *p, uint32_t bytes)
{
	struct img_head head;
	int n = (int)(bytes - sizeof(head));

	if (bytes < sizeof(head))
		return;
	memcpy(&head, p, sizeof(head));
	p += sizeof(head);
	if (t->kind == TY_ARGS)
		args_text(b, &head, p, n, t->quoted);
	else
		path_text(b, &head, p, n);
}

struct cell field_cell(struct arena *a, const struct type *t, const void *p, uint32_t bytes)
{
	struct cell c = { .kind = CELL_INT };
	struct buf text = { 0 };

	if (type_is_word(t)) {
		memcpy(&c.i, p, 8);
		return c;
	}
	c.kind = CELL_BYTES;
	if (type_head_bytes(t)) {
		headed_text(&text, t, p, bytes);
		p = text.n ? text.p : "";
		bytes = (uint32_t)text.n;
	} else if (t->kind == TY_STRING) {
		bytes = (uint32_t)strnlen(p, bytes);
	}
	c.bytes.p = arena_strndup(a, p, bytes);
	c.bytes.n = (int)bytes;
	buf_fini(&text);
	return c;
}

const struct img_rows *image_find_rows(const struct bpf_image *image, const struct p_query *q)
{
	for (int i = 0; i < image->rows.n; i++)
		if (image->rows.v[i].query == q)
			return &image->rows.v[i];
	return NULL;
}

void record_cells(struct arena *a, const struct img_rows *r, const struct img_record *rec,
		  struct cell *cells)
{
	const char *base = (const char *)rec;

	for (int i = 0; i < r->query->n_columns; i++) {
		const struct img_field *f = &r->columns[i];

		if (f->none_bit >= 0 && rec->none >> f->none_bit & 1)
			cells[i] = (struct cell){ .kind = CELL_NONE };
		else
			cells[i] = field_cell(a, &f->type, base + f->off, f->bytes);
	}
}
