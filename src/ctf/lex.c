/* Tokens of TSDL: see lex.h. */
#include "ctf/lex.h"

#include <ctype.h>
#include <string.h>

static int peek(const struct tsdl_lex *l, int ahead)
{
	return l->at + ahead < l->text.n ? (unsigned char)l->text.p[l->at + ahead] : 0;
}

/* Over white space and comments; false: a comment does not end. */
static bool skip_space(struct tsdl_lex *l)
{
	for (; l->at < l->text.n; l->at++) {
		int c = peek(l, 0);

		if (c == '\n') {
			l->line++;
		} else if (c == '/' && peek(l, 1) == '*') {
			l->at += 2;
			while (l->at < l->text.n && !(peek(l, 0) == '*' && peek(l, 1) == '/')) {
				l->line += peek(l, 0) == '\n';
				l->at++;
			}
			if (l->at >= l->text.n)
				return false;
			l->at++;
		} else if (c == '/' && peek(l, 1) == '/') {
			while (l->at + 1 < l->text.n && peek(l, 1) != '\n')
				l->at++;
		} else if (!isspace(c)) {
			return true;
		}
	}
	return true;
}

static int digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = tolower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static void lex_number(struct tsdl_lex *l)
{
	unsigned base = 10;
	int from = l->at;

	l->kind = TSDL_INT;
	l->value = 0;
	if (peek(l, 0) == '0' && tolower(peek(l, 1)) == 'x' && digit(peek(l, 2)) < 16) {
		base = 16;
		l->at += 2;
	} else if (peek(l, 0) == '0' && tolower(peek(l, 1)) == 'b') {
		base = 2;
		l->at += 2;
	} else if (peek(l, 0) == '0') {
		base = 8;
	}
	for (int d; (unsigned)(d = digit(peek(l, 0))) < base; l->at++)
		if (__builtin_mul_overflow(l->value, base, &l->value) ||
		    __builtin_add_overflow(l->value, (uint64_t)d, &l->value))
			l->kind = TSDL_BAD;
	while (strchr("uUlL", peek(l, 0)) && peek(l, 0))
		l->at++;
	l->token = str_sub(l->text, from, l->at - from);
}

static int escape(struct tsdl_lex *l)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	int c = peek(l, 0);
	const char *known = c ? strchr(from, c) : NULL;
	int v = 0;

	l->at++;
	if (known)
		return to[known - from];
	if (c == 'x') {
		for (int i = 0; i < 2 && digit(peek(l, 0)) < 16; i++)
			v = v * 16 + digit(l->text.p[l->at++]);
		return v;
	}
	if (c >= '0' && c <= '7') {
		v = c - '0';
		for (int i = 0; i < 2 && digit(peek(l, 0)) < 8; i++)
			v = v * 8 + digit(l->text.p[l->at++]);
		return v & 255;
	}
	return c;
}

static void lex_string(struct tsdl_lex *l)
{
	int end = l->at + 1, n = 0;
	char *out;

	while (end < l->text.n && l->text.p[end] != '"')
		end += l->text.p[end] == '\\' ? 2 : 1;
	if (end >= l->text.n) {
		l->kind = TSDL_BAD;
		l->at = l->text.n;
		return;
	}
	l->kind = TSDL_STRING;
	l->token = str_sub(l->text, l->at + 1, end - l->at - 1);
	if (!memchr(l->token.p, '\\', (size_t)l->token.n)) {
		for (int i = 0; i < l->token.n; i++)
			l->line += l->token.p[i] == '\n';
		l->at = end + 1;
		return;
	}
	out = arena_alloc(l->arena, (size_t)(end - l->at));
	for (l->at++; l->at < end;) {
		int c = peek(l, 0);

		l->line += c == '\n';
		l->at++;
		out[n++] = (char)(c == '\\' ? escape(l) : c);
	}
	l->at = end + 1;
	l->token = (struct str){ out, n };
}

static void lex_punct(struct tsdl_lex *l)
{
	int n = 1;

	l->kind = TSDL_PUNCT;
	if (peek(l, 0) == ':' && peek(l, 1) == '=') {
		l->kind = TSDL_ASSIGN_TYPE;
		n = 2;
	} else if (peek(l, 0) == '.' && peek(l, 1) == '.' && peek(l, 2) == '.') {
		l->kind = TSDL_DOTS;
		n = 3;
	}
	l->token = str_sub(l->text, l->at, n);
	l->at += n;
}

void tsdl_next(struct tsdl_lex *l)
{
	int c;

	l->token = (struct str){ "", 0 };
	if (!skip_space(l)) {
		l->kind = TSDL_BAD;
		return;
	}
	l->token_line = l->line;
	c = peek(l, 0);
	if (l->at >= l->text.n) {
		l->kind = TSDL_END;
	} else if (isalpha(c) || c == '_') {
		int from = l->at;

		while (isalnum(peek(l, 0)) || peek(l, 0) == '_')
			l->at++;
		l->kind = TSDL_NAME;
		l->token = str_sub(l->text, from, l->at - from);
	} else if (isdigit(c)) {
		lex_number(l);
	} else if (c == '"') {
		lex_string(l);
	} else {
		lex_punct(l);
	}
}
