/* The parts of a probe as other tools write it: see probe.h. */
#include "lang/probe.h"

#define TEXT_BYTES_MOST 4096		/* some of this is quadratic, and goes into itself */

/* Behind the text in quotes that begins at `at`. */
static int quoted_end(struct str s, int at)
{
	char quote = s.p[at++];

	while (at < s.n && s.p[at] != quote)
		at += s.p[at] == '\\' ? 2 : 1;
	return at < s.n ? at + 1 : s.n;
}

/* The first of these bytes that is outside of quotes and parentheses; s.n: none. */
static int find_outside(struct str s, const char *bytes)
{
	int depth = 0;

	for (int i = 0; i < s.n;) {
		if (!depth && strchr(bytes, s.p[i]))
			return i;
		depth += (s.p[i] == '(') - (s.p[i] == ')');
		i = s.p[i] == '"' || s.p[i] == '\'' ? quoted_end(s, i) : i + 1;
	}
	return s.n;
}

/* Takes what is before the byte, and the byte. */
static struct str take_to(struct str *s, const char *byte)
{
	int at = find_outside(*s, byte);
	struct str part = str_sub(*s, 0, at);

	*s = str_sub(*s, at < s->n ? at + 1 : at, -1);
	return str_trimmed(part);
}

static void split_list(struct arena *a, struct str s, probe_list *list)
{
	while (s.n)
		vec_push(a, list, take_to(&s, ","));
}

static bool is_kind(struct str s)
{
	return !s.n || (s.n == 1 && strchr("prtu", *s.p));
}

/* "p:c:read(int fd)"; the function alone is of the kernel. */
static bool read_place(struct str s, struct probe *p)
{
	int open = find_outside(s, "(");
	struct str name = str_sub(s, 0, open);
	const char *colon = memchr(name.p, ':', (size_t)name.n), *second;
	int first = colon ? (int)(colon - name.p) : -1;

	if (open < s.n) {
		int end = find_outside(str_sub(s, open + 1, -1), ")");

		p->signature = str_trimmed(str_sub(s, open + 1, end));
	}
	second = colon ? memchr(colon + 1, ':', (size_t)(name.n - first - 1)) : NULL;
	if (second) {
		p->kind = str_sub(name, 0, first);
		p->library = str_sub(name, first + 1, (int)(second - colon) - 1);
		p->function = str_sub(name, (int)(second - name.p) + 1, -1);
	} else {
		p->library = str_sub(name, 0, first < 0 ? 0 : first);
		p->function = str_sub(name, first + 1, -1);
	}
	return is_kind(p->kind) && p->function.n && !memchr(p->function.p, ':', (size_t)p->function.n);
}

/* The end of the name: a parenthesis directly behind it is the signature's, behind a blank the
 * condition's. */
static int place_end(struct str text)
{
	return find_outside(text, " \t\n\"");
}

bool probe_read_trace(struct arena *a, struct str text, struct probe *p)
{
	int end;
	struct str rest;

	*p = (struct probe){ 0 };
	text = str_trimmed(text);
	end = place_end(text);
	rest = str_trimmed(str_sub(text, end, -1));
	if (text.n > TEXT_BYTES_MOST || !read_place(str_sub(text, 0, end), p))
		return false;
	if (!rest.n)
		return p->kind.n || p->signature.n;
	if (*rest.p == '(') {
		int close = find_outside(str_sub(rest, 1, -1), ")");

		p->condition = str_trimmed(str_sub(rest, 1, close));
		rest = str_trimmed(str_sub(rest, close + 2, -1));
	} else if (*rest.p != '"') {
		return false;
	}
	if (!rest.n)
		return true;
	if (*rest.p != '"')
		return false;
	end = quoted_end(rest, 0);
	p->format = str_sub(rest, 0, end);
	rest = str_trimmed(str_sub(rest, end, -1));
	if (rest.n && *rest.p == ',')
		rest = str_sub(rest, 1, -1);
	split_list(a, rest, &p->values);
	return true;
}

bool probe_read_argdist(struct arena *a, struct str text, struct probe *p)
{
	int label = find_outside(text, "#"), n = 0;
	struct str rest = str_sub(text, 0, label), place, parts[3] = { 0 };
	int open = find_outside(rest, "("), end;

	*p = (struct probe){ 0 };
	end = open < rest.n ? open + 1 + find_outside(str_sub(rest, open + 1, -1), ")") + 1 : rest.n;
	place = str_sub(rest, 0, end);
	rest = str_sub(rest, end, -1);
	if (text.n > TEXT_BYTES_MOST || !read_place(str_trimmed(place), p) || (!p->kind.n && !p->signature.n && !rest.n))
		return false;
	if (rest.n && *rest.p != ':')
		return false;
	for (rest = str_sub(rest, 1, -1); rest.n && n < 3;)
		parts[n++] = take_to(&rest, ":");
	split_list(a, parts[0], &p->types);
	split_list(a, parts[1], &p->values);
	p->condition = parts[2];
	return true;
}
