/*
 * The lexical grammar: see lex.h and token.def. A sign is a row of token.def,
 * a reserved word a row of the list below; numbers with units are base/units.
 */
#include "lang/lex.h"

#include <stdlib.h>

#include "base/units.h"
#include "lang/ast.h"
#include "lang/diag_tags.h"

#define REAL_BYTES_MOST 64

const char *const token_text[TOKENS] = {
#define TOKEN(id, text, description) [T_##id] = text,
#include "lang/token.def"
#undef TOKEN
};

const char *const token_description[TOKENS] = {
#define TOKEN(id, text, description) [T_##id] = description,
#include "lang/token.def"
#undef TOKEN
};

static const char *const reserved[] = {
#define WORD(text, ...) text,
#include "lang/word.def"
#undef WORD
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool lex_is_word_byte(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool lex_is_identifier(struct str s)
{
	for (int i = 0; i < s.n; i++)
		if (!lex_is_word_byte(s.p[i]))
			return false;
	return s.n && !is_digit(s.p[0]);
}

bool lex_is_reserved(struct str word)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (str_is(word, reserved[i]))
			return true;
	return false;
}

/* The byte `i` behind the lexer's place, 0 behind the end. */
static char byte_at(const struct lex *l, int i)
{
	return i < l->text.n - l->at ? l->text.p[l->at + i] : 0;
}

static int word_bytes(const struct lex *l, int from)
{
	int n = from;

	while (lex_is_word_byte(byte_at(l, n)))
		n++;
	return n - from;
}

static void skip_blanks(struct lex *l)
{
	bool comment = false;

	for (; l->at < l->text.n; l->at++) {
		char c = l->text.p[l->at];

		if (c == '\n') {
			comment = false;
			l->line_at = l->at + 1;
			l->line_begun = false;
		} else if (c == '#') {
			comment = true;
		} else if (!comment && !is_blank(c)) {
			return;
		}
	}
}

static struct token begin(struct lex *l)
{
	struct token t = { 0 };

	skip_blanks(l);
	t.at = l->at;
	t.column = l->at - l->line_at;
	t.first_on_line = !l->line_begun;
	l->line_begun = true;
	return t;
}

static void end(struct lex *l, struct token *t, int id, int n)
{
	t->id = (uint8_t)id;
	t->n = n;
	t->text = str_sub(l->text, t->at, n);
	l->at += n;
}

static void bad(struct lex *l, struct token *t, int n, const char *tag, const char *message,
		const char *help)
{
	end(l, t, T_BAD, n);
	t->bad_tag = tag;
	t->bad_message = message;
	t->bad_help = help;
}

/* 0x1f 0b101 0644: the value of all of s, if it is one. */
static bool parse_based(struct str s, uint64_t *v)
{
	int base = 10, i = 0;

	if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x')
		base = 16, i = 2;
	else if (s.n > 2 && s.p[0] == '0' && (s.p[1] | 32) == 'b')
		base = 2, i = 2;
	else if (s.n > 1 && s.p[0] == '0')
		base = 8, i = 1;
	for (*v = 0; i < s.n; i++) {
		char c = s.p[i];
		int digit = is_digit(c) ? c - '0' : (c | 32) - 'a' + 10;

		if (digit < 0 || digit >= base || __builtin_mul_overflow(*v, (uint64_t)base, v) ||
		    __builtin_add_overflow(*v, (uint64_t)digit, v))
			return false;
	}
	return true;
}

static struct str number_suffix(struct str s)
{
	int i = 0;

	while (i < s.n && (is_digit(s.p[i]) || s.p[i] == '.'))
		i++;
	return str_sub(s, i, -1);
}

static void lex_number(struct lex *l, struct token *t)
{
	int n = word_bytes(l, 0);
	struct str s, suffix;
	uint64_t v;
	bool dot = byte_at(l, n) == '.' && is_digit(byte_at(l, n + 1));

	if (dot)
		n += 1 + word_bytes(l, n + 1);
	s = str_sub(l->text, l->at, n);
	suffix = number_suffix(s);
	if (!dot && parse_based(s, &v)) {
		t->number = (int64_t)v;
		end(l, t, T_INT, n);
	} else if (dot && !suffix.n && n < REAL_BYTES_MOST) {
		char z[REAL_BYTES_MOST] = { 0 };

		memcpy(z, s.p, (size_t)n);
		t->real = strtod(z, NULL);
		end(l, t, T_REAL, n);
	} else if (units_parse_duration(s, &t->number)) {
		t->unit = UNIT_DURATION;
		end(l, t, T_INT, n);
	} else if (suffix.n && units_parse_size(s, &t->number)) {
		t->unit = UNIT_SIZE;
		end(l, t, T_INT, n);
	} else if (units_is_duration(suffix) || units_is_size(suffix) || (!suffix.n && s.p[0] != '0')) {
		bad(l, t, n, DIAG_BAD_NUMBER, "is too large, or has a part below 1 ns or 1 byte", NULL);
	} else {
		bad(l, t, n, DIAG_BAD_NUMBER, "is not a number",
		    "durations: 10us 1.5ms 2s 1m 1h, sizes: 4KiB 1MB, others: 12 0x1f 0644 0b101");
	}
}

/* The length of the quoted text at `from` with its quotes, 0: no end on its line. */
static int quoted_bytes(const struct lex *l, int from)
{
	for (int i = from + 1; byte_at(l, i) && byte_at(l, i) != '\n'; i++) {
		if (byte_at(l, i) == '"')
			return i + 1 - from;
		if (byte_at(l, i) == '\\' && byte_at(l, i + 1) != '\n')
			i++;
	}
	return 0;
}

static int rest_of_line(const struct lex *l)
{
	int n = 0;

	while (l->at + n < l->text.n && byte_at(l, n) != '\n')
		n++;
	return n;
}

static void lex_string(struct lex *l, struct token *t)
{
	int n = quoted_bytes(l, 0);

	if (!n) {
		bad(l, t, rest_of_line(l), DIAG_BAD_STRING, "has no closing '\"' on its line", "write a new line in a string as \\n");
		return;
	}
	end(l, t, T_STRING, n);
	t->text = str_sub(l->text, t->at + 1, n - 2);
}

static void lex_back_quoted(struct lex *l, struct token *t)
{
	int n = 1 + word_bytes(l, 1);

	if (byte_at(l, n) != '`' || n == 1) {
		while (byte_at(l, n) && !strchr("`\n", byte_at(l, n)))
			n++;
		n += byte_at(l, n) == '`';
		bad(l, t, n, DIAG_BAD_NAME, "is not a name in back-quotes", "write letters, digits and _: `to`");
		return;
	}
	end(l, t, T_NAME, n + 1);
	t->text = str_sub(l->text, t->at + 1, n - 1);
	t->quoted = true;
}

static void lex_param(struct lex *l, struct token *t)
{
	int n = 1 + word_bytes(l, 1);

	if (n == 1 || is_digit(byte_at(l, 1))) {
		bad(l, t, n, DIAG_BAD_NAME, "is not a parameter", "write $NAME, as in $min");
		return;
	}
	end(l, t, T_PARAM, n);
	t->text = str_sub(l->text, t->at + 1, n - 1);
}

/* A name; p99.9 is one, too. */
static void lex_name(struct lex *l, struct token *t)
{
	int n = word_bytes(l, 0), digits = 1;

	while (digits < n && is_digit(byte_at(l, digits)))
		digits++;
	if (byte_at(l, 0) == 'p' && digits > 1 && digits == n && byte_at(l, n) == '.' &&
	    is_digit(byte_at(l, n + 1)))
		for (n++; is_digit(byte_at(l, n)); n++)
			;
	end(l, t, T_NAME, n);
}

/* How many bytes a sign that nothing begins with has: a whole character. */
static int character_bytes(const struct lex *l)
{
	int n = 1;

	while (((unsigned char)byte_at(l, n) & 0xc0) == 0x80)
		n++;
	return n;
}

/* 'text', or the quote alone where the line has no second one. */
static int apostrophe_bytes(const struct lex *l)
{
	int n = 1;

	while (l->at + n < l->text.n && byte_at(l, n) != '\'' && byte_at(l, n) != '\n')
		n++;
	return byte_at(l, n) == '\'' ? n + 1 : 1;
}

static void lex_sign(struct lex *l, struct token *t)
{
	int best = T_EOF, best_n = 0;

	for (int i = 0; i < TOKENS; i++) {
		int n = (int)strlen(token_text[i]);

		if (n > best_n && n <= l->text.n - l->at && !memcmp(token_text[i], l->text.p + l->at, (size_t)n)) {
			best = i;
			best_n = n;
		}
	}
	if (best_n)
		end(l, t, best, best_n);
	else if (byte_at(l, 0) == '\'')
		bad(l, t, apostrophe_bytes(l), DIAG_BAD_CHARACTER, "has no meaning here",
		    "write strings in double quotes: \"text\"");
	else
		bad(l, t, character_bytes(l), DIAG_BAD_CHARACTER, "has no meaning here",
		    byte_at(l, 0) & 0x80 ? "only strings, comments and names in back-quotes have other letters than "
					   "ASCII's; microseconds: us" : NULL);
}

struct token lex_next(struct lex *l)
{
	struct token t = begin(l);
	char c = byte_at(l, 0);

	if (l->at >= l->text.n)
		end(l, &t, T_EOF, 0);
	else if (is_digit(c))
		lex_number(l, &t);
	else if (lex_is_word_byte(c))
		lex_name(l, &t);
	else if (c == '"')
		lex_string(l, &t);
	else if (c == '`')
		lex_back_quoted(l, &t);
	else if (c == '$')
		lex_param(l, &t);
	else
		lex_sign(l, &t);
	return t;
}

struct token lex_source(struct lex *l)
{
	struct token t = begin(l);
	int n = 0;

	for (char c; (c = byte_at(l, n)) && !is_blank(c) && !strchr("|,;)", c); n++) {
		if (c == '(') {
			if (byte_at(l, n + 1) != ')')
				break;
			n++;
		} else if (c == '"') {
			int quoted = quoted_bytes(l, n);

			if (!quoted) {
				bad(l, &t, rest_of_line(l), DIAG_BAD_STRING,
				    "has no closing '\"' on its line", "write a new line in a string as \\n");
				return t;
			}
			t.quoted = true;
			n += quoted - 1;
		}
	}
	if (!n)
		return lex_next(l);
	end(l, &t, T_SOURCE, n);
	return t;
}

/* The length of the UTF-8 character at p, 0 when it is broken. */
static int utf8_bytes(const unsigned char *p, int left)
{
	int n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 :
		p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

	if (n > left)
		return 0;
	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))
		return 0;
	return n;
}

int lex_bad_byte(struct str text, const char **why)
{
	const unsigned char *p = (const unsigned char *)text.p;

	for (int i = 0, n; i < text.n; i += n) {
		n = utf8_bytes(p + i, text.n - i);
		*why = !n ? "a byte that is not UTF-8" : !p[i] ? "a NUL byte" : "a control character";
		if (!n || p[i] == 0x7f || (p[i] < ' ' && !is_blank((char)p[i])) ||
		    (n == 2 && p[i] == 0xc2 && p[i + 1] < 0xa0))
			return i;
	}
	return -1;
}

static int hex_digit(char c)
{
	return is_digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* The byte that the escape at s[*i], behind the backslash, stands for; moves *i
 * to its last byte. 0 when it is none. */
static char escaped(struct str s, int *i)
{
	static const char names[] = "ntrae\\\"'", bytes[] = "\n\t\r\a\033\\\"'";
	char c = *i < s.n ? s.p[*i] : 0;
	const char *name = c ? strchr(names, c) : NULL;

	if (name)
		return bytes[name - names];
	if (c == 'x' && *i + 2 < s.n && hex_digit(s.p[*i + 1]) >= 0 && hex_digit(s.p[*i + 2]) >= 0) {
		*i += 2;
		return (char)(hex_digit(s.p[*i - 1]) * 16 + hex_digit(s.p[*i]));
	}
	return 0;
}

struct str lex_unescape(struct arena *a, struct str raw, const char **why)
{
	char *p;
	int n = 0;

	if (!memchr(raw.p, '\\', (size_t)raw.n))
		return raw;
	p = arena_alloc(a, (size_t)raw.n + 1);
	for (int i = 0; i < raw.n; i++, n++) {
		p[n] = raw.p[i];
		if (raw.p[i] != '\\')
			continue;
		i++;
		p[n] = escaped(raw, &i);
		if (!p[n]) {
			*why = "the escapes are \\n \\t \\r \\a \\e \\\\ \\\" \\' \\xHH; NUL is not possible";
			return (struct str){ NULL, 0 };
		}
	}
	return (struct str){ p, n };
}

struct str lex_unquote(struct arena *a, struct token t)
{
	char *p;
	int n = 0;
	bool inside = false;

	if (!t.quoted)
		return t.text;
	p = arena_alloc(a, (size_t)t.text.n + 1);
	for (int i = 0; i < t.text.n; i++) {
		char c = t.text.p[i];

		if (c == '"') {
			inside = !inside;
			continue;
		}
		if (inside && c == '\\' && i + 1 < t.text.n)
			c = t.text.p[++i];
		p[n++] = c;
	}
	return (struct str){ p, n };
}
