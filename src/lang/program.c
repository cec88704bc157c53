/*
 * A program of bpftrace as a query: PROBE, ... /FILTER/ { ACTION; ... } of the kinds that articles
 * have. For the help of a mistake: what is not one of them has none.
 */
#include "base/buf.h"
#include "lang/habit.h"
#include "lang/probe.h"

#include <ctype.h>

#define CLAUSES_MOST 8
#define TEXT_BYTES_MOST 4096		/* some of this is quadratic, and goes into itself */

struct clause {
	struct str probes, filter, actions;
	const char *source, *key;		/* key: "@start[tid]", what its begin is kept in; or NULL */
};

struct program {
	struct arena *arena;
	struct clause clauses[CLAUSES_MOST];
	int n;
	const char *every, *end;		/* "1s", or NULL */
	const char *begin;			/* of a period: "@start[tid]" */
};

/* The first of these bytes outside of quotes, parentheses and brackets; s.n: none. */
static int find_outside(struct str s, const char *bytes)
{
	int depth = 0;
	bool quoted = false;

	for (int i = 0; i < s.n; i++) {
		if (!quoted && !depth && strchr(bytes, s.p[i]))
			return i;
		if (s.p[i] == '\\' && quoted)
			i++;
		else if (s.p[i] == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (strchr("([", s.p[i]) != NULL) - (strchr(")]", s.p[i]) != NULL);
	}
	return s.n;
}

static struct str take_to(struct str *s, const char *bytes)
{
	int at = find_outside(*s, bytes);
	struct str part = str_trimmed(str_sub(*s, 0, at));

	*s = str_sub(*s, at < s->n ? at + 1 : at, -1);
	return part;
}

static bool contains(struct str s, const char *what)
{
	return memmem(s.p, (size_t)s.n, what, strlen(what)) != NULL;
}

/* The text with each of `what` replaced. */
static struct str replaced(struct arena *a, struct str s, const char *what, const char *with)
{
	struct buf b = { 0 };
	size_t n = strlen(what);
	const char *at;
	struct str out;

	for (; n && (at = memmem(s.p, (size_t)s.n, what, n)); s = str_sub(s, (int)(at - s.p) + (int)n, -1)) {
		buf_add(&b, s.p, (size_t)(at - s.p));
		buf_puts(&b, with);
	}
	buf_add(&b, s.p, (size_t)s.n);
	out = str_of(arena_strndup(a, b.p ? b.p : "", b.n));
	buf_fini(&b);
	return out;
}

/* ---- the source ---- */

static const struct {
	const char *written, *before, *behind;
} kinds[] = {
	{ "tracepoint:syscalls:sys_enter_", "syscall:", ".enter" },
	{ "tracepoint:syscalls:sys_exit_", "syscall:", ".return" },
	{ "t:syscalls:sys_enter_", "syscall:", ".enter" }, { "t:syscalls:sys_exit_", "syscall:", ".return" },
	{ "tracepoint:raw_syscalls:sys_enter", "syscall:*", ".enter" },
	{ "tracepoint:raw_syscalls:sys_exit", "syscall:*", ".return" },
	{ "tracepoint:", "", "" }, { "t:", "", "" },
	{ "kprobe:", "", "().enter" }, { "k:", "", "().enter" }, { "kfunc:", "", "().enter" }, { "fentry:", "", "().enter" },
	{ "kretprobe:", "", "().return" }, { "kr:", "", "().return" }, { "kretfunc:", "", "().return" },
	{ "fexit:", "", "().return" },
	{ "uprobe:libc:", "libc.so:", "().enter" }, { "uretprobe:libc:", "libc.so:", "().return" },
	{ "uprobe:", "", "().enter" }, { "u:", "", "().enter" },
	{ "uretprobe:", "", "().return" }, { "ur:", "", "().return" },
	{ "software:", "", "@" }, { "hardware:", "", "@" }, { "s:", "", "@" }, { "h:", "", "@" },	/* NAME:COUNT */
	{ "usdt:", "usdt:", "" }, { "profile:hz:", "cpu@", "hz" }, { "p:hz:", "cpu@", "hz" },
};

static bool put_source(struct arena *a, struct str probe, struct buf *b)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_has_prefix(probe, kinds[i].written)) {
			struct str rest = str_sub(probe, (int)strlen(kinds[i].written), -1);

			if (str_is(str_of(kinds[i].behind), "@"))
				rest = replaced(a, rest, ":", "@");
			else
				rest = str_of(arena_printf(a, "%s%.*s%s", kinds[i].before, STR_ARG(rest),
							   kinds[i].behind));
			buf_add(b, rest.p, (size_t)rest.n);
			return true;
		}
	return false;
}

static const char *source_of(struct arena *a, struct str probes)
{
	struct buf b = { 0 };
	bool ok = probes.n;
	const char *text;

	while (probes.n && ok) {
		buf_puts(&b, b.n ? ", " : "");
		ok = put_source(a, take_to(&probes, ","), &b);
	}
	text = ok ? arena_strndup(a, b.p, b.n) : NULL;
	buf_fini(&b);
	return text;
}

/* "f().enter" and "f().return" are "f()"; else NULL. */
static const char *whole_call(struct arena *a, const char *begin, const char *end)
{
	struct str b = str_of(begin), e = str_of(end);

	if (!str_glob(str_of("*.enter"), b) || !str_glob(str_of("*.return"), e) || b.n - 6 != e.n - 7 ||
	    memcmp(b.p, e.p, (size_t)b.n - 6) || memchr(b.p, ',', (size_t)b.n))
		return NULL;
	return arena_strndup(a, b.p, (size_t)b.n - 6);
}

/* ---- clauses ---- */

/* "PROBES /FILTER/ { ACTIONS }" */
static bool take_clause(struct str *s, struct clause *c)
{
	int open = find_outside(*s, "{"), close, slash;
	struct str head = str_trimmed(str_sub(*s, 0, open)), rest = str_sub(*s, open + 1, -1);

	close = find_outside(rest, "{}");
	if (open == s->n || close == rest.n || rest.p[close] != '}')
		return false;
	*c = (struct clause){ .actions = str_trimmed(str_sub(rest, 0, close)) };
	*s = str_trimmed(str_sub(rest, close + 1, -1));
	slash = find_outside(head, " \t\n/");		/* a path has its slashes without a blank before */
	while (slash < head.n && head.p[slash] == '/' && slash && !isspace((unsigned char)head.p[slash - 1]))
		slash += 1 + find_outside(str_sub(head, slash + 1, -1), " \t\n/");
	for (c->probes = head; slash < head.n; slash++)
		if (head.p[slash] == '/' && head.n > slash + 1 && head.p[head.n - 1] == '/') {
			c->probes = str_trimmed(str_sub(head, 0, slash));
			c->filter = str_trimmed(str_sub(head, slash + 1, head.n - slash - 2));
			break;
		}
	return true;
}

/* "@start[tid] = nsecs": a begin is kept. */
static const char *kept_key(struct arena *a, struct str actions)
{
	struct str rest = actions, first = take_to(&rest, ";"), value = first, key = take_to(&value, "=");

	if (str_trimmed(rest).n || !str_has_prefix(key, "@") || !contains(key, "[") || !str_is(str_trimmed(value), "nsecs"))
		return NULL;
	return arena_strndup(a, key.p, (size_t)key.n);
}

static bool read_clause(struct program *p, struct clause *c)
{
	static const char *const nothing[] = { "BEGIN", "END" };
	struct str interval = c->probes;

	for (int i = 0; i < 2; i++)
		if (str_is(c->probes, nothing[i]))
			return true;
	if (str_has_prefix(interval, "interval:s:")) {
		*(contains(c->actions, "exit(") ? &p->end : &p->every) =
			arena_printf(p->arena, "%.*ss", STR_ARG(str_sub(interval, 11, -1)));
		return true;
	}
	c->source = source_of(p->arena, c->probes);
	c->key = kept_key(p->arena, c->actions);
	if (c->source)
		p->clauses[p->n++] = *c;
	return c->source;
}

/* The first of two keeps the time that the second takes. */
static void join_period(struct program *p)
{
	struct clause *begin = &p->clauses[0], *end = &p->clauses[1];
	const char *call;

	if (p->n != 2 || !begin->key || !contains(end->actions, begin->key))
		return;
	call = whole_call(p->arena, begin->source, end->source);
	p->begin = begin->key;
	end->source = call ? call : arena_printf(p->arena, "from %s to %s", begin->source, end->source);
	if (begin->filter.n && !end->filter.n)
		end->filter = begin->filter;
	*begin = *end;
	p->n = 1;
}

/* ---- actions ---- */

/* In our words; NULL: there is more to it. */
static const char *value_of(const struct program *p, struct str s)
{
	static const char *const forms[] = { "(nsecs - %s) / 1000000", "(nsecs - %s) / 1000", "(nsecs-%s)/1000000",
					     "(nsecs-%s)/1000", "nsecs - %s", "nsecs-%s" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms) && p->begin; i++) {
		struct str form = replaced(p->arena, str_of(forms[i]), "%s", p->begin);

		s = replaced(p->arena, s, form.p, "duration");
	}
	if (memchr(s.p, '@', (size_t)s.n) || memchr(s.p, '$', (size_t)s.n))
		return NULL;
	return probe_words(p->arena, s);
}

static bool put_list(const struct program *p, struct str list, struct buf *b)
{
	for (bool first = true; list.n; first = false) {
		const char *value = value_of(p, take_to(&list, ","));

		if (!value)
			return false;
		buf_printf(b, "%s%s", first ? "" : ", ", value);
	}
	return true;
}

/* printf("%d bytes\n", args->count) */
static bool put_print(const struct program *p, struct str inner, struct buf *b)
{
	struct str format = take_to(&inner, ",");

	if (str_glob(str_of("*\\\\n\""), format))
		format = str_of(arena_printf(p->arena, "%.*s\"", format.n - 3, format.p));
	buf_printf(b, " | print %.*s%s", STR_ARG(format), inner.n ? ", " : "");
	return put_list(p, inner, b);
}

/* @n[comm] = sum(args->ret), @[comm]++ */
static bool put_table(const struct program *p, struct str action, struct buf *b)
{
	struct str value = action, table = take_to(&value, "="), keys = { 0 };
	int open = table.n ? find_outside(str_sub(table, 1, -1), "[") + 1 : 0;

	if (str_glob(str_of("*++"), table)) {
		table = str_trimmed(str_sub(table, 0, table.n - 2));
		value = str_of("count()");
	}
	if (open < table.n && table.p[table.n - 1] == ']')
		keys = str_sub(table, open + 1, table.n - open - 2);
	value = str_trimmed(value);
	if (str_has_prefix(value, "count("))
		value = str_of("count");
	else if (!str_glob(str_of("sum(*)"), value) && !str_glob(str_of("avg(*)"), value) &&
		 !str_glob(str_of("m[ai][xn](*)"), value) && !str_glob(str_of("hist(*)"), value) &&
		 !str_glob(str_of("lhist(*)"), value))
		return false;
	buf_puts(b, " | ");
	if (!put_list(p, value, b))
		return false;
	buf_puts(b, keys.n ? " by " : "");
	return put_list(p, keys, b);
}

static bool put_clause(const struct program *p, const struct clause *c, struct buf *b)
{
	struct str rest = c->actions, filter = c->filter;
	int actions = 0;

	buf_puts(b, c->source);
	if (filter.n && !(p->begin && str_is(filter, p->begin))) {
		const char *condition = value_of(p, filter);

		if (!condition)
			return false;
		buf_printf(b, " | where %s", condition);
	}
	while (str_trimmed(rest).n) {
		struct str action = take_to(&rest, ";");

		if (!action.n || str_has_prefix(action, "delete(") || str_has_prefix(action, "clear("))
			continue;
		if (actions++)
			return false;
		if (str_glob(str_of("printf(*)"), action) ? !put_print(p, str_sub(action, 7, action.n - 8), b) :
		    !str_has_prefix(action, "@") || !put_table(p, action, b))
			return false;
		if (p->every && *action.p == '@')
			buf_printf(b, " | every %s", p->every);
	}
	return actions;
}

bool habit_help_program(struct diag *d, struct str text)
{
	struct program p = { .arena = d->arena };
	struct buf b = { 0 };
	bool ok = text.n <= TEXT_BYTES_MOST;

	for (text = str_trimmed(text); text.n && ok && p.n < CLAUSES_MOST;) {
		struct clause c;

		ok = take_clause(&text, &c) && read_clause(&p, &c);
	}
	ok = ok && !text.n;
	if (ok)
		join_period(&p);
	for (int i = 0; i < p.n && ok; i++) {
		buf_puts(&b, i ? "; " : "");
		ok = put_clause(&p, &p.clauses[i], &b);
	}
	ok = ok && b.n;
	if (ok)
		diag_help(d, "write %.*s%s%s", (int)b.n, b.p, p.end ? " and the option -d " : "", p.end ? p.end : "");
	buf_fini(&b);
	return ok;
}
