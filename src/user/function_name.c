/*
 * Names of functions as a user writes them: `ns::f`, `ns::f(int)`, `_ZN2ns1fEi`.
 *
 * The demangler is libiberty's, with a limit of its own: a name of some hundred bytes
 * can stand for gigabytes of text, so what it prints is counted and it is left by
 * longjmp. To save time a mangled name is looked at only when it has the last
 * identifier of the pattern in it.
 */
#include "user/function_name.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

/* The demangler keeps its parts on the stack, some hundred bytes for each character. */
#define MANGLED_BYTES_MOST 4096

struct sink {
	jmp_buf full;
	char *to;
	size_t n;
};

static void sink_add(const char *text, size_t n, void *arg)
{
	struct sink *s = arg;

	if (n >= FUNCTION_NAME_BYTES_MOST - s->n)
		longjmp(s->full, 1);
	memcpy(s->to + s->n, text, n);
	s->n += n;
}

static bool is_mangled(struct str s)
{
	return str_has_prefix(s, "_Z") || str_has_prefix(s, "_R") || str_has_prefix(s, "__Z");
}

/* The length of the text in `to`; 0: it is not a mangled name. */
static int demangle(struct str symbol, bool parameters, char *to)
{
	int options = DMGL_ANSI | (parameters ? DMGL_PARAMS : 0);
	char name[MANGLED_BYTES_MOST];
	struct sink s;

	if (!is_mangled(symbol) || symbol.n >= MANGLED_BYTES_MOST)
		return 0;
	memcpy(name, symbol.p, (size_t)symbol.n);
	name[symbol.n] = 0;
	s.to = to;
	s.n = 0;
	if (setjmp(s.full))
		return 0;
	if (!rust_demangle_callback(name, options, sink_add, &s)) {
		s.n = 0;
		if (!cplus_demangle_v3_callback(name, options, sink_add, &s))
			return 0;
	}
	to[s.n] = 0;
	return (int)s.n;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* What the mangled form spells otherwise than the demangled one. */
static bool has_special(struct str s)
{
	static const char *const words[] = { "operator", "~", "{", "anonymous", "[", "\\", " for " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(s.p, (size_t)s.n, words[i], strlen(words[i])))
			return true;
	return false;
}

struct function_name function_name_pattern(struct str pattern)
{
	struct function_name u = { .pattern = pattern, .glob = str_is_glob(pattern) };
	const char *open = memchr(pattern.p, '(', (size_t)pattern.n);
	int end = open ? (int)(open - pattern.p) : pattern.n, begin;

	u.parameters = open != NULL;
	if (has_special(pattern))
		return u;
	while (end > 0 && !is_word(pattern.p[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && is_word(pattern.p[begin - 1]))
		begin--;
	/* behind a template's '<' or a constructor's name nothing is sure */
	if (memchr(pattern.p, '<', (size_t)pattern.n))
		return u;
	u.literal = str_sub(pattern, begin, end - begin);
	return u;
}

static bool same(const struct function_name *u, struct str name)
{
	/* `operator*` is a name, too */
	return str_eq(u->pattern, name) || (u->glob && str_glob(u->pattern, name));
}

struct str function_name_plain(struct str symbol)
{
	static const char *const copies[] = { ".isra.", ".constprop.", ".part.", ".lto_priv." };
	const char *dot = symbol.n > 1 ? memchr(symbol.p + 1, '.', (size_t)symbol.n - 1) : NULL;
	struct str rest;

	if (!dot)
		return symbol;
	rest = str_sub(symbol, (int)(dot - symbol.p), -1);
	if (memmem(rest.p, (size_t)rest.n, ".cold", 5))
		return (struct str){ symbol.p, 0 };
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (str_has_prefix(rest, copies[i]))
			return str_sub(symbol, 0, (int)(dot - symbol.p));
	return symbol;
}

bool function_name_matches(const struct function_name *u, struct str symbol, char *scratch)
{
	struct str plain = function_name_plain(symbol);
	int n;

	if (!plain.n)
		return false;
	if (same(u, plain) || (plain.n != symbol.n && same(u, symbol)))
		return true;
	if (!is_mangled(plain) || (u->literal.n && !memmem(plain.p, (size_t)plain.n, u->literal.p,
							   (size_t)u->literal.n)))
		return false;
	n = demangle(plain, false, scratch);
	if (n && same(u, (struct str){ scratch, n }))
		return true;
	n = n && u->parameters ? demangle(plain, true, scratch) : 0;
	return n && same(u, (struct str){ scratch, n });
}

const char *function_name_shown(struct arena *a, struct str symbol)
{
	char *text = xmalloc(FUNCTION_NAME_BYTES_MOST);
	struct str plain = function_name_plain(symbol);
	int n = demangle(plain, false, text);
	const char *shown = arena_strndup(a, n ? text : plain.p, (size_t)(n ? n : plain.n));

	free(text);
	return shown;
}
