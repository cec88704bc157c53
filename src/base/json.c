/* JSON texts. See json.h. */
#include "base/json.h"

#include <ctype.h>

#include "base/utf8.h"

#define DEPTH_MOST 64
#define BYTES_MOST (64u << 20)		/* of one text */

struct parser {
	struct arena *arena;
	struct str text;
	int at, depth;
	size_t bytes_most;		/* of the arena */
	const char *why;
};

static struct json *fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return NULL;
}

static int peek(const struct parser *p)
{
	return p->at < p->text.n ? (unsigned char)p->text.p[p->at] : -1;
}

static void skip_space(struct parser *p)
{
	while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\n' || peek(p) == '\r')
		p->at++;
}

static bool take(struct parser *p, int c)
{
	skip_space(p);
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

static int hex4(struct parser *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++, p->at++) {
		int c = peek(p);

		if (c < 0 || !isxdigit(c))
			return -1;
		v = v * 16 + (isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
	}
	return v;
}

/* Behind the backslash; NULL: not an escape. What it stands for is never longer. */
static char *unescape(struct parser *p, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = peek(p), v, low;
	const char *known = c > 0 ? strchr(from, c) : NULL;

	p->at++;
	if (known) {
		*out++ = to[known - from];
		return out;
	}
	if (c != 'u' || (v = hex4(p)) < 0)
		return NULL;
	if (v >= 0xd800 && v < 0xdc00 && p->at + 6 <= p->text.n && p->text.p[p->at] == '\\' &&
	    p->text.p[p->at + 1] == 'u') {
		p->at += 2;
		low = hex4(p);
		if (low < 0xdc00 || low > 0xdfff)
			return NULL;
		v = 0x10000 + (v - 0xd800) * 1024 + (low - 0xdc00);
	}
	return out + utf8_put(out, (uint32_t)v);
}

static bool parse_text(struct parser *p, struct str *s)
{
	int end;
	char *out, *start;

	if (!take(p, '"'))
		return fail(p, "a text is missing");
	for (end = p->at; end < p->text.n && p->text.p[end] != '"'; end++)
		end += p->text.p[end] == '\\';
	if (end >= p->text.n)
		return fail(p, "a text does not end");
	start = out = arena_alloc(p->arena, (size_t)(end - p->at) + 1);
	while (p->at < end) {
		int c = peek(p);

		p->at++;
		if (c != '\\')
			*out++ = (char)c;
		else if (!(out = unescape(p, out)))
			return fail(p, "an unknown escape in a text");
	}
	p->at = end + 1;
	*s = (struct str){ start, (int)(out - start) };
	return true;
}

static struct json *parse_number(struct parser *p, struct json *j)
{
	int from = p->at;

	j->kind = JSON_INT;
	if (peek(p) == '-') {
		j->negative = true;
		p->at++;
	}
	if (!isdigit(peek(p)))
		return fail(p, "a value is missing");
	for (; isdigit(peek(p)); p->at++)
		if (__builtin_mul_overflow(j->u, 10u, &j->u) ||
		    __builtin_add_overflow(j->u, (uint64_t)(peek(p) - '0'), &j->u))
			return fail(p, "a number that does not fit in 64 bits");
	if (peek(p) == '.' || peek(p) == 'e' || peek(p) == 'E') {
		j->kind = JSON_REAL;
		while (peek(p) > 0 && (isalnum(peek(p)) || strchr(".+-", peek(p))))
			p->at++;
	}
	if (j->negative)
		j->u = -j->u;
	j->text = str_sub(p->text, from, p->at - from);
	return j;
}

static bool take_word(struct parser *p, const char *word)
{
	if (!str_has_prefix(str_sub(p->text, p->at, -1), word))
		return false;
	p->at += (int)strlen(word);
	return true;
}

static struct json *parse_value(struct parser *p);

static struct json *parse_members(struct parser *p, struct json *j, int close)
{
	struct json **tail = &j->first;

	if (take(p, close))
		return j;
	do {
		struct str name = { "", 0 };
		struct json *member;

		if (close == '}' && (!parse_text(p, &name) || !take(p, ':')))
			return fail(p, "a colon is missing");
		member = parse_value(p);
		if (!member)
			return NULL;
		member->name = name;
		*tail = member;
		tail = &member->next;
		j->n++;
	} while (take(p, ','));
	return take(p, close) ? j : fail(p, "a comma or the closing bracket is missing");
}

static struct json *parse_value(struct parser *p)
{
	struct json *j = arena_new(p->arena, struct json);

	skip_space(p);
	if (p->arena->bytes > p->bytes_most)
		return fail(p, "it is too large");
	if (++p->depth > DEPTH_MOST)
		return fail(p, "values are nested too deep");
	if (take(p, '{')) {
		j->kind = JSON_OBJECT;
		j = parse_members(p, j, '}');
	} else if (take(p, '[')) {
		j->kind = JSON_ARRAY;
		j = parse_members(p, j, ']');
	} else if (peek(p) == '"') {
		j->kind = JSON_TEXT;
		j = parse_text(p, &j->text) ? j : NULL;
	} else if (take_word(p, "true")) {
		j->kind = JSON_TRUE;
	} else if (take_word(p, "false")) {
		j->kind = JSON_FALSE;
	} else if (!take_word(p, "null")) {
		j = parse_number(p, j);
	}
	p->depth--;
	return j;
}

struct json *json_parse(struct arena *a, struct str text, int *used, const char **why)
{
	struct parser p = { .arena = a, .text = text, .bytes_most = a->bytes + BYTES_MOST };
	struct json *j = parse_value(&p);

	skip_space(&p);
	*used = p.at;
	*why = p.why;
	return j;
}

struct json *json_read(struct arena *a, struct str text)
{
	const char *why;
	int used;
	struct json *j = json_parse(a, text, &used, &why);

	return used == text.n ? j : NULL;
}

const struct json *json_member(const struct json *j, const char *name)
{
	if (!j || j->kind != JSON_OBJECT)
		return NULL;
	for (j = j->first; j; j = j->next)
		if (str_is(j->name, name))
			return j;
	return NULL;
}

struct str json_text(const struct json *j)
{
	return j && j->kind == JSON_TEXT ? j->text : (struct str){ "", 0 };
}

bool json_is(const struct json *j, const char *text)
{
	return j && j->kind == JSON_TEXT && str_is(j->text, text);
}

bool json_is_number(const struct json *j)
{
	return j && (j->kind == JSON_INT || j->kind == JSON_REAL);
}
