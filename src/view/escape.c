/*
 * Text of strangers: file names, arguments and comms hold what anybody likes,
 * also escape sequences that program a terminal. See format.h.
 *
 * UTF-8 is decoded here and nowhere else. Widths are those of terminals: wide
 * and combining characters by ranges, because wcwidth depends on the locale.
 */
#include "view/format.h"

#include <ctype.h>

#include "base/utf8.h"

/* Decodes one character; its length in bytes, or 0 where it is not UTF-8. */
static int decode(const unsigned char *p, int n, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int bytes;

	if (p[0] < 0x80) {
		*c = p[0];
		return 1;
	}
	bytes = p[0] >= 0xf0 && p[0] < 0xf8 ? 4 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 :
		p[0] >= 0xc0 && p[0] < 0xe0 ? 2 : 0;
	if (!bytes || bytes > n)
		return 0;
	*c = p[0] & (0x7fu >> bytes);
	for (int i = 1; i < bytes; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (*c < least[bytes] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return bytes;
}

/* How many bytes from p on are plain, neither a nor b: nearly all of nearly every text. */
static int plain_run(const char *p, int n, char a, char b)
{
	int i = 0;

	while (i < n && p[i] >= ' ' && p[i] < 0x7f && p[i] != a && p[i] != b)
		i++;
	return i;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *r, int n, uint32_t c)
{
	for (int i = 0; i < n; i++)
		if (c >= r[i].first && c <= r[i].last)
			return true;
	return false;
}

#define IN(ranges, c) in_ranges(ranges, (int)(sizeof(ranges) / sizeof(*(ranges))), c)

static const struct range wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0xa4cf }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f },
	{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static const struct range no_width[] = {
	{ 0x300, 0x36f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

/* Controls, C1 too (a terminal may take U+009B for ESC [), invisible ones, and
 * those that turn the direction of writing. */
static const struct range harmful[] = {
	{ 0, 0x1f }, { 0x7f, 0x9f }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
};

/* Where JSON puts bytes that are not UTF-8: private characters, byte by byte. Text
 * that has these itself is put there, too, so that two texts never become one. */
static const struct range bytes_as_characters[] = { { 0xef80, 0xefff } };

static void add_hex(struct buf *b, const char *p, int n)
{
	for (int i = 0; i < n; i++)
		buf_printf(b, "\\x%02x", (unsigned char)p[i]);
}

static void escape(struct buf *b, const char *p, int n, const char *plain)
{
	bool doubled = !*plain;		/* the backslash */
	int i = plain_run(p, n, doubled ? '\\' : 0, 0);

	buf_add(b, p, (size_t)i);
	while (i < n) {
		uint32_t c;
		int bytes = decode((const unsigned char *)p + i, n - i, &c);

		if (!bytes)
			add_hex(b, p + i, bytes = 1);
		else if (c == '\\' && doubled)
			buf_puts(b, "\\\\");
		else if (!IN(harmful, c) || (c && c < 0x80 && strchr(plain, (int)c)))
			buf_add(b, p + i, (size_t)bytes);
		else if (c == '\n' || c == '\t' || c == '\r')
			buf_puts(b, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
		else
			add_hex(b, p + i, bytes);
		i += bytes;
	}
}

void escape_text(struct buf *b, const char *p, int n)
{
	escape(b, p, n, "");
}

void escape_file(struct buf *b, const char *p, int n)
{
	escape(b, p, n, "\t\r\n");
}

static void add_byte_character(struct buf *b, char byte)
{
	char bytes[UTF8_BYTES];

	buf_add(b, bytes, (size_t)utf8_put(bytes, 0xef00 + (unsigned char)byte));
}

/* See escape_csv; of controls the plain ones stay. */
static void as_characters(struct buf *b, const char *p, int n, const char *plain)
{
	int i = plain_run(p, n, 0, 0);

	if (n == FORMAT_OTHER_BYTES && !memcmp(p, FORMAT_OTHER, FORMAT_OTHER_BYTES)) {	/* a name, not the row of all others */
		add_byte_character(b, *p++);
		i = --n;
	}
	buf_add(b, p, (size_t)i);
	while (i < n) {
		uint32_t c;
		int bytes = decode((const unsigned char *)p + i, n - i, &c);
		bool own = !bytes || (c >= 0xef00 && c <= 0xefff) ||
			   (IN(harmful, c) && !(c && c < 0x80 && strchr(plain, (int)c)));

		bytes = bytes ? bytes : 1;
		for (int k = 0; own && k < bytes; k++)
			add_byte_character(b, p[i + k]);
		if (!own)
			buf_add(b, p + i, (size_t)bytes);
		i += bytes;
	}
}

void escape_csv(struct buf *b, const char *p, int n)
{
	as_characters(b, p, n, "\t\r\n");
}

void escape_prometheus(struct buf *b, const char *p, int n, bool quoted)
{
	struct buf text = { 0 };

	as_characters(&text, p, n, "\n");
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\\' || text.p[i] == '\n' || (quoted && text.p[i] == '"'))
			buf_putc(b, '\\');
		buf_putc(b, text.p[i] == '\n' ? 'n' : text.p[i]);
	}
	buf_fini(&text);
}

void escape_json(struct buf *b, const char *p, int n)
{
	int i = plain_run(p, n, '"', '\\');

	buf_add(b, p, (size_t)i);
	while (i < n) {
		uint32_t c;
		int bytes = decode((const unsigned char *)p + i, n - i, &c);

		if (!bytes || IN(bytes_as_characters, c)) {
			buf_printf(b, "\\u%04x", 0xef00 + (unsigned char)p[i]);
			bytes = 1;
		} else if (c == '"' || c == '\\') {
			buf_putc(b, '\\');
			buf_putc(b, (char)c);
		} else if (c == '\n' || c == '\t' || c == '\r') {
			buf_puts(b, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
		} else if (c < 0x10000 && IN(harmful, c)) {
			buf_printf(b, "\\u%04x", c);
		} else {
			buf_add(b, p + i, (size_t)bytes);
		}
		i += bytes;
	}
}

/* No markup in any place of a table's cell, nor a link, a name or a number of somebody's. */
static bool is_plain_markdown(const char *p, int n)
{
	for (int i = 0; i < n; i++)
		if (!(p[i] & 0x80) && !isalnum((unsigned char)p[i]) && !strchr(" .,;/%+-=()'\"?", p[i]))
			return false;
	return true;
}

void escape_markdown(struct buf *b, const char *p, int n)
{
	int run = 0, longest = 0;
	bool pad = n && (p[0] == '`' || p[0] == ' ' || p[n - 1] == '`' || p[n - 1] == ' ');

	if (is_plain_markdown(p, n)) {
		buf_add(b, p, (size_t)n);
		return;
	}
	for (int i = 0; i < n; i++) {
		run = p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	buf_pad(b, '`', longest + 1);
	buf_puts(b, pad ? " " : "");
	for (int i = 0; i < n; i++) {
		if (p[i] == '|')	/* between cells, also inside of code */
			buf_putc(b, '\\');
		buf_putc(b, p[i]);
	}
	buf_puts(b, pad ? " " : "");
	buf_pad(b, '`', longest + 1);
}

int text_fit(const char *p, int n, int columns)
{
	int i = 0;

	while (i < n) {
		uint32_t c;
		int bytes = decode((const unsigned char *)p + i, n - i, &c);
		int w = !bytes ? 1 : IN(no_width, c) ? 0 : IN(wide, c) ? 2 : 1;

		if (w > columns)
			break;
		columns -= w;
		i += bytes ? bytes : 1;
	}
	return i;
}

int text_columns(const char *p, int n)
{
	int i = plain_run(p, n, 0, 0), columns = i;

	while (i < n) {
		uint32_t c;
		int bytes = decode((const unsigned char *)p + i, n - i, &c);

		columns += !bytes ? 1 : IN(no_width, c) ? 0 : IN(wide, c) ? 2 : 1;
		i += bytes ? bytes : 1;
	}
	return columns;
}
