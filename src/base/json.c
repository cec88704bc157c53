/* One JSON value. See json.h. */
#include "base/json.h"

#define DEPTH 64

struct reader {
	struct arena *arena;
	const char *p, *end;
	int depth;
};

static struct json *read_value(struct reader *r);

static void skip_blanks(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* The four digits of \uXXXX, or -1. */
static int hex4(struct reader *r)
{
	int value = 0;

	if (r->end - r->p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = *r->p++;
		int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* Behind a backslash; NULL: no escape. What it stands for is never longer. */
static char *read_escape(struct reader *r, char *to)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *at;
	int c, low;

	if (r->p == r->end)
		return NULL;
	if (*r->p != 'u') {
		at = *r->p ? strchr(letters, *r->p) : NULL;
		if (!at)
			return NULL;
		r->p++;
		*to++ = values[at - letters];
		return to;
	}
	r->p++;
	c = hex4(r);
	if (c < 0)
		return NULL;
	if (c >= 0xd800 && c < 0xdc00 && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u') {
		r->p += 2;
		low = hex4(r);
		if (low < 0xdc00 || low >= 0xe000)
			return NULL;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return put_utf8(to, (uint32_t)c);
}

static bool read_string(struct reader *r, struct str *s)
{
	const char *from;
	char *to;

	if (!take(r, '"'))
		return false;
	from = r->p;
	while (r->p < r->end && *r->p != '"')
		r->p += *r->p == '\\' && r->end - r->p > 1 ? 2 : 1;
	if (r->p >= r->end)
		return false;
	s->p = to = arena_alloc(r->arena, (size_t)(r->p - from) + 1);
	for (r->p = from; *r->p != '"';) {
		if (*r->p != '\\') {
			*to++ = *r->p++;
			continue;
		}
		r->p++;
		to = read_escape(r, to);
		if (!to)
			return false;
	}
	r->p++;
	s->n = (int)(to - s->p);
	return true;
}

static bool read_list(struct reader *r, struct json *j, char end)
{
	struct json **last = &j->first;

	if (take(r, end))
		return true;
	do {
		struct str name = { 0 };

		if (end == '}' && (!read_string(r, &name) || !take(r, ':')))
			return false;
		*last = read_value(r);
		if (!*last)
			return false;
		(*last)->name = name;
		last = &(*last)->next;
	} while (take(r, ','));
	return take(r, end);
}

static bool read_word(struct reader *r, struct json *j)
{
	static const struct {
		const char *text;
		enum json_kind kind;
	} words[] = { { "null", JSON_NULL }, { "true", JSON_BOOL }, { "false", JSON_BOOL } };
	const char *from = r->p;

	while (r->p < r->end && ((*r->p >= '0' && *r->p <= '9') || (*r->p >= 'a' && *r->p <= 'z') ||
				 (*r->p && strchr("+-.E", *r->p))))
		r->p++;
	j->text = (struct str){ from, (int)(r->p - from) };
	for (int i = 0; i < 3; i++)
		if (str_is(j->text, words[i].text)) {
			j->kind = words[i].kind;
			return true;
		}
	j->kind = JSON_NUMBER;
	return j->text.n && (*from == '-' || (*from >= '0' && *from <= '9'));
}

static struct json *read_value(struct reader *r)
{
	struct json *j = arena_new(r->arena, struct json);
	bool ok;

	skip_blanks(r);
	if (r->p == r->end || ++r->depth > DEPTH)
		return NULL;
	if (*r->p == '"') {
		j->kind = JSON_STRING;
		ok = read_string(r, &j->text);
	} else if (*r->p == '[' || *r->p == '{') {
		j->kind = *r->p == '[' ? JSON_ARRAY : JSON_OBJECT;
		r->p++;
		ok = read_list(r, j, j->kind == JSON_ARRAY ? ']' : '}');
	} else {
		ok = read_word(r, j);
	}
	r->depth--;
	return ok ? j : NULL;
}

struct json *json_read(struct arena *a, struct str text)
{
	struct reader r = { .arena = a, .p = text.p, .end = text.p + text.n };
	struct json *j = read_value(&r);

	skip_blanks(&r);
	return j && r.p == r.end ? j : NULL;
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
	return j && j->kind == JSON_STRING ? j->text : (struct str){ "", 0 };
}
