/*
 * Mistakes of a query, with carets. See diag.h.
 *
 * Control characters and bytes above 0x7f are shown as '?', in the echoed line
 * and in messages, which quote the query: it is hostile text and the terminal
 * is somebody's.
 */
#include "base/diag.h"

#include <stdlib.h>

#define MESSAGE_MOST_BYTES 2000
#define LINE_SHOWN_BYTES 100	/* of a long line, the part around the place */

/* A name of a megabyte is not said whole. */
static const char *message(struct diag *d, const char *fmt, va_list ap)
{
	char *text = arena_vprintf(d->arena, fmt, ap);

	if (strlen(text) > MESSAGE_MOST_BYTES)
		memcpy(text + MESSAGE_MOST_BYTES - 3, "...", 4);
	return text;
}

/* Said of the same place before, as of each event that a glob means. */
static bool is_said(const struct diag *d, const char *tag, struct loc loc)
{
	for (int i = 0; loc.text && i < d->items.n; i++) {
		const struct diag_item *item = &d->items.v[i];

		if (item->loc.text == loc.text && item->loc.at == loc.at && !strcmp(item->tag, tag))
			return true;
	}
	return false;
}

static void add(struct diag *d, bool warning, const char *tag, struct loc loc,
		const char *fmt, va_list ap)
{
	struct diag_item *i;

	d->errors += !warning;
	d->last_left_out = true;
	if (is_said(d, tag, loc))
		return;
	if (d->items.n >= DIAG_KEPT_MOST) {
		d->some_left_out = true;
		return;
	}
	d->last_left_out = false;
	i = vec_add(d->arena, &d->items);
	i->tag = tag;
	i->warning = warning;
	i->loc = loc;
	i->message = message(d, fmt, ap);
}

void diag_error(struct diag *d, const char *tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, false, tag, loc, fmt, ap);
	va_end(ap);
}

void diag_warning(struct diag *d, const char *tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(d, true, tag, loc, fmt, ap);
	va_end(ap);
}

void diag_help(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (!d->items.n || d->last_left_out)
		return;
	va_start(ap, fmt);
	vec_last(&d->items).help = message(d, fmt, ap);
	va_end(ap);
}

struct loc loc_join(struct loc a, struct loc b)
{
	if (!a.text || a.text != b.text)
		return a.text ? a : b;
	if (b.at < a.at)
		return loc_join(b, a);
	a.n = b.at + b.n - a.at > a.n ? b.at + b.n - a.at : a.n;
	return a;
}

struct str loc_text(struct loc l)
{
	return l.text ? str_sub(l.text->text, l.at, l.n) : (struct str){ "", 0 };
}

static char printable(char c)
{
	return c == '\t' ? ' ' : (c < ' ' || c > '~') ? '?' : c;
}

static void print_line(struct buf *out, struct loc l, int begin, int end)
{
	const char *p = l.text->text.p;
	int at = l.at < end ? l.at : end;
	int n = l.at + l.n < end ? l.n : end - at;
	int from = begin;

	if (at - begin > LINE_SHOWN_BYTES / 2 && end - begin > LINE_SHOWN_BYTES)
		from = at - LINE_SHOWN_BYTES / 2;
	if (end - from > LINE_SHOWN_BYTES)
		end = from + LINE_SHOWN_BYTES;
	if (n > end - at)
		n = end - at;
	buf_puts(out, "  ");
	for (int i = from; i < end; i++)
		buf_putc(out, printable(p[i]));
	buf_puts(out, "\n  ");
	buf_pad(out, ' ', at - from);
	buf_putc(out, '^');
	buf_pad(out, '~', n - 1);
	buf_putc(out, '\n');
}

/* What stands in out from `from` on becomes printable. */
static void end_line(struct buf *out, size_t from)
{
	for (size_t i = from; i < out->n; i++)
		out->p[i] = printable(out->p[i]);
	buf_putc(out, '\n');
}

static void print_item(const struct diag_item *i, struct buf *out)
{
	const char *kind = i->warning ? "warning: " : "";
	size_t from = out->n;

	if (!i->loc.text) {
		buf_printf(out, "culprit: %s%s [%s]", kind, i->message, i->tag);
		end_line(out, from);
	} else {
		struct str t = i->loc.text->text;
		int line = 1, begin = 0, end;

		for (int k = 0; k < i->loc.at && k < t.n; k++)
			if (t.p[k] == '\n') {
				line++;
				begin = k + 1;
			}
		for (end = begin; end < t.n && t.p[end] != '\n'; end++)
			;
		buf_printf(out, "culprit: %s:%d:%d: %s%s [%s]", i->loc.text->name, line,
			   i->loc.at - begin + 1, kind, i->message, i->tag);
		end_line(out, from);
		print_line(out, i->loc, begin, end);
	}
	if (i->help) {
		from = out->n;
		buf_printf(out, "help: %s", i->help);
		end_line(out, from);
	}
}

static int by_place(const void *pa, const void *pb)
{
	const struct diag_item *const *a = pa, *const *b = pb;

	if ((*a)->warning != (*b)->warning)
		return (*a)->warning - (*b)->warning;
	if ((*a)->loc.text == (*b)->loc.text && (*a)->loc.at != (*b)->loc.at)
		return (*a)->loc.at < (*b)->loc.at ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

void diag_print(const struct diag *d, struct buf *out)
{
	const struct diag_item **order = xcalloc((size_t)d->items.n, sizeof(*order));
	int shown = 0, left = 0;

	for (int i = 0; i < d->items.n; i++)
		order[i] = &d->items.v[i];
	qsort(order, (size_t)d->items.n, sizeof(*order), by_place);
	for (int i = 0; i < d->items.n; i++) {
		const struct diag_item *prev = i ? order[i - 1] : NULL;

		if (prev && prev->loc.text == order[i]->loc.text && prev->loc.at == order[i]->loc.at
		    && prev->warning == order[i]->warning && order[i]->loc.text)
			continue;
		if (shown < DIAG_SHOWN_MOST)
			print_item(order[i], out);
		else
			left++;
		shown++;
	}
	if (d->some_left_out)
		buf_puts(out, "culprit: and many more\n");
	else if (left)
		buf_printf(out, "culprit: and %d more\n", left);
	free(order);
}
