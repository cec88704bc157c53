/* A probe of another tool in the words of the language: see probe.h. */
#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "lang/probe.h"

struct names {
	struct arena *arena;
	const struct catalog *c;		/* NULL: nothing is known */
	const struct probe *probe;
	const struct cat_field *params;		/* or the event's fields */
	int n_params;
	bool found, of_syscall, numbered;	/* numbered: arg0 is the first, as here */
	bool whole;				/* what is asked for needs the call from its begin on */
	bool missed;				/* a parameter whose name is not known */
};

static const char *text_of(struct names *n, struct str s)
{
	return arena_strndup(n->arena, s.n ? s.p : "", (size_t)s.n);
}

/* ---- the source ---- */

static void take_params(struct names *n, const struct cat_field *params, int n_params)
{
	n->found = true;
	n->params = params;
	n->n_params = n_params;
}

static void take_function(void *arg, const struct cat_function *f)
{
	struct names *n = arg;

	if (!n->found)
		take_params(n, f->params, f->n_params - f->n_spare);
}

static bool has_function(struct names *n, const char *path)
{
	struct cat_user u = {
		.text = str_of(arena_printf(n->arena, "%s:%.*s", path, STR_ARG(n->probe->function))),
		.params = true, .probes = str_is(n->probe->kind, "u"),
	};

	if (n->c && n->c->ops->user_functions)
		n->c->ops->user_functions(n->c->self, &u, take_function, n);
	return n->found;
}

/* "c" is libc.so, "bash" a program that the shell finds. */
static const char *find_file(struct names *n)
{
	static const char *const folders[] = { "/usr/bin/", "/bin/", "/usr/sbin/", "/usr/local/bin/" };
	struct str name = n->probe->library;
	const char *library, *path;

	if (memchr(name.p, '/', (size_t)name.n) || str_glob(str_of("*.so*"), name)) {
		path = text_of(n, name);
		has_function(n, path);
		return path;
	}
	library = arena_printf(n->arena, "lib%.*s.so", STR_ARG(name));
	if (has_function(n, library))
		return library;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		path = arena_printf(n->arena, "%s%.*s", folders[i], STR_ARG(name));
		if (has_function(n, path))
			return path;
	}
	return str_is(name, "pthread") && has_function(n, "libc.so") ? "libc.so" : library;
}

/* "sys_read" "__x64_sys_read" "SyS_read" -> "read"; other names as they are. */
static struct str call_name(struct str function)
{
	static const char *const before[] = { "__x64_sys_", "__se_sys_", "__sys_", "sys_", "SyS_" };

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (str_has_prefix(function, before[i]))
			return str_sub(function, (int)strlen(before[i]), -1);
	return function;
}

static const char *syscall_source(struct names *n, struct str call)
{
	const struct cat_syscall *s = n->c ? n->c->ops->syscall(n->c->self, call) : NULL;

	n->of_syscall = true;
	if (s)
		take_params(n, s->params, s->n_params);
	return arena_printf(n->arena, "syscall:%.*s", STR_ARG(call));
}

static const char *kernel_source(struct names *n)
{
	struct str f = n->probe->function, call = call_name(f);

	if (n->c && n->c->ops->functions)
		n->c->ops->functions(n->c->self, (struct str){ "", 0 }, f, take_function, n);
	if (call.n < f.n && (!n->found || !str_has_prefix(f, "__sys_")))
		return syscall_source(n, call);
	if (!n->found && n->c && n->c->ops->syscall(n->c->self, call))
		return syscall_source(n, call);
	return arena_printf(n->arena, "%.*s()", STR_ARG(f));
}

/* "syscalls:sys_enter_read" is an end of a call here. */
static const char *event_source(struct names *n)
{
	static const struct {
		const char *before, *end;
	} ends[] = { { "sys_enter_", "enter" }, { "sys_exit_", "return" } };
	const struct probe *p = n->probe;
	const struct cat_event *e;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends) && str_is(p->library, "syscalls"); i++)
		if (str_has_prefix(p->function, ends[i].before))
			return arena_printf(n->arena, "%s.%s", syscall_source(n, str_sub(p->function,
					    (int)strlen(ends[i].before), -1)), ends[i].end);
	e = n->c ? n->c->ops->event(n->c->self, p->library, p->function) : NULL;
	if (e)
		take_params(n, e->fields, e->n_fields);
	return arena_printf(n->arena, "%.*s:%.*s", STR_ARG(p->library), STR_ARG(p->function));
}

static const char *find_source(struct names *n)
{
	const struct probe *p = n->probe;

	if (str_is(p->kind, "t"))
		return event_source(n);
	if (str_is(p->kind, "u"))
		return arena_printf(n->arena, "usdt:%s:%.*s", find_file(n), STR_ARG(p->function));
	if (p->library.n)
		return arena_printf(n->arena, "%s:%.*s()", find_file(n), STR_ARG(p->function));
	return kernel_source(n);
}

/* ---- values ---- */

static struct str word_at(struct str s, int at)
{
	int end = at;

	while (end < s.n && (isalnum((unsigned char)s.p[end]) || s.p[end] == '_' || s.p[end] == '$'))
		end++;
	return str_sub(s, at, end - at);
}

/* The parameter of this number, from 0. */
static void put_param(struct names *n, int number, struct buf *b)
{
	if (number < n->n_params)
		buf_puts(b, n->params[number].name);
	else if (n->of_syscall)
		buf_printf(b, "arg%d", number + 1);
	else
		buf_printf(b, "arg%d", number);
	n->missed = n->missed || (n->of_syscall && number >= n->n_params);
}

/* Which parameter of "int fd, const void *buf" has this name; -1: none. */
static int in_signature(const struct names *n, struct str name)
{
	struct str s = n->probe->signature;
	int number = 0;

	for (int i = 0; i < s.n;) {
		struct str word = word_at(s, i);
		int end = i + (word.n ? word.n : 1), next = end;

		while (next < s.n && strchr(" \t[]", s.p[next]))
			next++;
		if (word.n && str_eq(word, name) && (next == s.n || s.p[next] == ','))
			return number;
		number += !word.n && s.p[i] == ',';
		i = end;
	}
	return -1;
}

static const struct word {
	const char *written, *here;
	bool whole;
} words[] = {
	{ "retval", "ret", false }, { "$retval", "ret", false }, { "$latency", "duration", true },
	{ "$pid", "pid", false }, { "$PID", "pid", false }, { "$tgid", "pid", false }, { "$tid", "tid", false },
	{ "$TID", "tid", false }, { "$uid", "uid", false }, { "$cpu", "cpu", false }, { "$comm", "comm", false },
	{ "$COMM", "comm", false }, { "$task", "task", false }, { "nsecs", "time", false }, { "func", "event", false },
	{ "probe", "event", false }, { "curtask", "task", false }, { "execname", "comm", false },
	{ "ksym", "sym", false }, { "ntop", "ip", false },
};

static int put_text(struct names *n, struct str s, struct buf *b);

/* "NAME(INNER)": the bytes up to and with its closing parenthesis; 0: there are none. */
static int inside(struct str s, int at, struct str *inner)
{
	int depth = 0;

	if (at >= s.n || s.p[at] != '(')
		return 0;
	for (int i = at; i < s.n; i++) {
		depth += (s.p[i] == '(') - (s.p[i] == ')');
		if (!depth) {
			*inner = str_sub(s, at + 1, i - at - 1);
			return i + 1;
		}
	}
	return 0;
}

/* $entry(x) is x; STRCMP("x", y) is str(y) == "x". */
static int put_call(struct names *n, struct str s, int at, struct str word, struct buf *b)
{
	struct str inner;
	int end = inside(s, at + word.n, &inner);
	const char *comma = end ? memchr(inner.p, ',', (size_t)inner.n) : NULL;

	if (end && str_is(word, "$entry")) {
		n->whole = true;
		put_text(n, inner, b);
		return end;
	}
	if (comma && str_is(word, "STRCMP")) {
		int skip = (int)(comma - inner.p) + 1;

		while (skip < inner.n && inner.p[skip] == ' ')
			skip++;
		buf_puts(b, "str(");
		put_text(n, str_sub(inner, skip, -1), b);
		buf_printf(b, ") == %.*s", (int)(comma - inner.p), inner.p);
		return end;
	}
	return 0;
}

/* "args->f" and "args.f" are f. */
static int after_args(struct str s, int at, struct str word)
{
	struct str rest = str_sub(s, at + word.n, -1);

	if (!str_is(word, "args"))
		return 0;
	return str_has_prefix(rest, "->") ? at + word.n + 2 : str_has_prefix(rest, ".") ? at + word.n + 1 : 0;
}

static int put_word(struct names *n, struct str s, int at, struct buf *b)
{
	struct str word = word_at(s, at);
	int number = in_signature(n, word), end = put_call(n, s, at, word, b);

	if (!end)
		end = after_args(s, at, word);
	if (end)
		return end;
	if (number < 0 && !n->numbered && word.n == 4 && str_has_prefix(word, "arg") && word.p[3] >= '1' && word.p[3] <= '6')
		number = word.p[3] - '1';
	if (number >= 0) {
		put_param(n, number, b);
		return at + word.n;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (str_is(word, words[i].written)) {
			buf_puts(b, words[i].here);
			n->whole = n->whole || words[i].whole;
			return at + word.n;
		}
	buf_add(b, word.p, (size_t)word.n);
	return at + word.n;
}

/* "((struct T *)x)" is (x as struct T); 0: it is not one. */
static int put_cast(struct names *n, struct str s, int at, struct buf *b)
{
	struct str outer, type, value;
	int end = inside(s, at, &outer), behind = end ? inside(outer, 0, &type) : 0;

	if (!behind || !str_has_prefix(type, "struct ") || type.p[type.n - 1] != '*')
		return 0;
	for (type.n--; type.p[type.n - 1] == ' ';)
		type.n--;
	value = str_sub(outer, behind, -1);
	buf_putc(b, '(');
	put_text(n, value, b);
	buf_printf(b, " as %.*s)", STR_ARG(type));
	return end;
}

static int quoted_bytes(struct str s, int at)
{
	int end = at + 1;

	while (end < s.n && s.p[end] != s.p[at])
		end += s.p[end] == '\\' ? 2 : 1;
	return (end < s.n ? end + 1 : s.n) - at;
}

static int put_one(struct names *n, struct str s, int at, struct buf *b)
{
	char c = s.p[at];
	int end;

	if (isdigit((unsigned char)c)) {
		struct str number = word_at(s, at);

		buf_add(b, number.p, (size_t)number.n);
		return at + number.n;
	}
	if (word_at(s, at).n)
		return put_word(n, s, at, b);
	if (c == '\'' && at + 2 < s.n && s.p[at + 2] == '\'') {
		buf_printf(b, "%d", s.p[at + 1]);
		return at + 3;
	}
	if (c == '"') {
		end = quoted_bytes(s, at);
		buf_add(b, s.p + at, (size_t)end);
		return at + end;
	}
	if (str_has_prefix(str_sub(s, at, -1), "->")) {
		buf_putc(b, '.');
		return at + 2;
	}
	if (c == '@' && str_is(word_at(s, at + 1), "user"))
		return at + 5;
	end = c == '(' ? put_cast(n, s, at, b) : 0;
	if (end)
		return end;
	buf_putc(b, c);
	return at + 1;
}

static int put_text(struct names *n, struct str s, struct buf *b)
{
	int at = 0;

	while (at < s.n)
		at = put_one(n, s, at, b);
	return at;
}

static const char *value_here(struct names *n, struct str s)
{
	struct buf b = { 0 };
	const char *text;

	put_text(n, s, &b);
	text = arena_strndup(n->arena, b.p ? b.p : "", b.n);
	buf_fini(&b);
	return text;
}

const char *probe_words(struct arena *a, struct str text)
{
	static const struct probe none;
	struct names n = { .arena = a, .probe = &none, .numbered = true };

	return value_here(&n, text);
}

/* ---- texts and names of addresses ---- */

static bool is_text(const struct names *n, const char *value)
{
	for (int i = 0; i < n->n_params; i++)
		if (!strcmp(n->params[i].name, value))
			return n->params[i].type.kind == TY_STRING;
	return !strcmp(value, "comm") || strchr(value, '(') || strchr(value, '"');
}

/* The format with what is not C's; which function each value needs. */
static const char *format_here(struct names *n, struct str format, const char **functions, int most)
{
	struct buf b = { 0 };
	const char *text;
	int value = 0;

	for (int i = 0; i < format.n; i++) {
		char c = format.p[i];

		buf_putc(&b, c);
		if (c != '%')
			continue;
		for (i++; i < format.n && strchr("-+ #0123456789.hljzt", format.p[i]); i++)
			buf_putc(&b, format.p[i]);
		c = i < format.n ? format.p[i] : 0;
		if (!c)
			break;
		buf_putc(&b, c == 'K' || c == 'U' ? 's' : c);
		if (c != '%' && value < most)
			functions[value++] = c == 's' ? "str" : c == 'K' ? "sym" : c == 'U' ? "usym" : NULL;
	}
	text = arena_strndup(n->arena, b.p ? b.p : "", b.n);
	buf_fini(&b);
	return text;
}

static bool is_char_pointer(struct str type)
{
	return str_glob(str_of("*char*[*]*"), type);
}

/* Columns have names of their own, which those of each row of trace have, too. */
static bool is_twice(const struct probe_here *here, int at)
{
	static const char *const shown[] = { "time", "pid", "tid", "comm", "function" };

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown) && here->format; i++)
		if (!strcmp(shown[i], here->values.v[at]))
			return true;
	for (int i = 0; i < at; i++)
		if (!strcmp(here->values.v[i], here->values.v[at]))
			return true;
	return false;
}

static void translate_values(struct names *n, const struct probe *p, struct probe_here *here)
{
	const char **functions = arena_array(n->arena, const char *, p->values.n + 1);

	if (p->format.n)
		here->format = format_here(n, p->format, functions, p->values.n);
	for (int i = 0; i < p->values.n; i++) {
		const char *value = value_here(n, p->values.v[i]), *function = functions[i];

		if (i < p->types.n && is_char_pointer(p->types.v[i]))
			function = "str";
		if (function && !(*function == 's' && function[1] == 't' && is_text(n, value)))
			value = arena_printf(n->arena, "%s(%s)", function, value);
		vec_push(n->arena, &here->values, value);
	}
	for (int i = p->values.n - 1; i >= 0; i--)
		if (is_twice(here, i))
			here->values.v[i] = arena_printf(n->arena, "c%d = %s", i + 1, here->values.v[i]);
}

void probe_translate(struct arena *a, const struct catalog *c, const struct probe *p,
		     struct probe_here *here)
{
	struct names n = { .arena = a, .c = c, .probe = p };
	bool call = !str_is(p->kind, "t") && !str_is(p->kind, "u");

	*here = (struct probe_here){ .source = find_source(&n) };
	translate_values(&n, p, here);
	if (p->condition.n)
		here->condition = value_here(&n, p->condition);
	if (call && !n.whole)
		here->source = arena_printf(a, "%s.%s", here->source, str_is(p->kind, "r") ? "return" : "enter");
	here->nameless = n.missed;
}
