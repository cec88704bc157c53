/*
 * Types that are written alike are one. Metadata says the same payload for many events, and
 * each integer with all its attributes. What a text means depends on the names and clocks
 * before it: a new one forgets what was known.
 */
#include <string.h>

#include "ctf/tsdl.h"

struct known {
	struct str text;
	struct ctf_type *type;
};

/* What differs so often is hardly said again. */
#define KNOWN_MOST 16384

/* Behind the comment or string that at begins. */
static const char *skip_quoted(const char *at, const char *end)
{
	if (*at == '"') {
		for (at++; at < end && *at != '"'; at++)
			at += *at == '\\';
		return at + 1;
	}
	if (at + 1 < end && at[1] == '/') {
		at = memchr(at, '\n', (size_t)(end - at));
		return at ? at : end;
	}
	if (at + 1 < end && at[1] == '*') {
		at = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
		return at ? at + 2 : end;
	}
	return at + 1;
}

/* From the present token to where the braces that it opens are closed, or to a semicolon outside
 * of braces, without that; none: it does not end, its hash is none, or no type begins so. */
static struct str text_of(const struct tsdl *p, uint32_t *hash)
{
	const char *from = p->lex.token.p, *at = from, *end = p->lex.text.p + p->lex.text.n;
	int depth = 0;

	/* a string with escapes, and what is behind the end, is not in the text */
	if (p->lex.kind != TSDL_NAME && p->lex.kind != TSDL_PUNCT)
		return (struct str){ from, 0 };
	for (*hash = 0; at < end; at++) {
		*hash = (*hash ^ (unsigned char)*at) * 16777619u;
		if (*at == '{')
			depth++;
		else if (*at == ';' && !depth)
			return (struct str){ from, (int)(at - from) };
		else if (*at == '"' || *at == '/')
			at = skip_quoted(at, end) - 1;
		else if (*at == '}' && depth-- <= 1 && *from == '{')
			return (struct str){ from, (int)(at + 1 - from) };
	}
	return (struct str){ from, 0 };
}

static int lines_of(struct str text)
{
	int n = 0;

	for (int i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

struct ctf_type *tsdl_share(struct tsdl *p, struct tsdl_known *of, struct ctf_type *(*parse)(struct tsdl *p))
{
	uint32_t key[2] = { 0 };
	struct str text = text_of(p, &key[0]);
	const struct known *known;
	struct known *add;
	struct ctf_type *t;
	int n_names = p->names->types.n;

	key[1] = (uint32_t)text.n;
	known = map_get(&of->types, key, sizeof(key));
	if (known && str_eq(known->text, text)) {
		p->lex.at = (int)(text.p + text.n - p->lex.text.p);
		p->lex.line += lines_of(text);
		tsdl_next(&p->lex);
		known->type->shared = true;
		return known->type;
	}
	t = parse(p);
	/* a type that it gave a name would have none the next time */
	if (!t || !text.n || known || p->names->types.n != n_names)
		return t;
	if (of->types.n == KNOWN_MOST)
		tsdl_forget(of);
	add = arena_new(&of->arena, struct known);
	*add = (struct known){ text, t };
	*map_put(&of->arena, &of->types, key, sizeof(key)) = add;
	return t;
}

void tsdl_forget(struct tsdl_known *known)
{
	arena_fini(&known->arena);
	known->types = (struct map){ 0 };
}
