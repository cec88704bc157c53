/*
 * What plan/ itself asks of a source's text: which kind it is of, the two ends of a call and the
 * text behind a function's name, and of what it names whether two are one. See source.h.
 */
#include "plan/source.h"

const struct source_ops *source_find_ops(const struct registry *r, const struct ast_source *s)
{
	for (const struct source_ops *const *o = r->sources; *o; o++)
		if ((*o)->recognise(s))
			return *o;
	return NULL;
}

static const struct cat_event ends[] = {
	{ .kind = CAT_FUNC_ENTER, .system = "", .name = "function" },
	{ .kind = CAT_FUNC_RETURN, .system = "", .name = "function" },
};

const struct cat_event *source_func_event(enum cat_kind kind)
{
	return &ends[kind == CAT_FUNC_RETURN];
}

bool source_is_user_function(struct str text)
{
	return memchr(text.p, '/', (size_t)text.n) || str_has_prefix(text, "pid:") ||
	       (text.n > 3 && memmem(text.p, (size_t)text.n, ".so", 3));
}

struct str source_func_name(struct str text, enum call_end *end)
{
	static const struct {
		const char *suffix;
		enum call_end end;
	} suffixes[] = {
		{ "().enter", CALL_ENTER }, { "().return", CALL_RETURN }, { "()", CALL_PERIOD },
	};

	*end = CALL_NONE;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		int n = (int)strlen(suffixes[i].suffix);

		if (text.n > n && str_is(str_sub(text, text.n - n, -1), suffixes[i].suffix)) {
			*end = suffixes[i].end;
			return str_sub(text, 0, text.n - n);
		}
	}
	return text;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Of a program the place has several names, of the kernel the name several places. */
static bool same_place(const struct cat_function *x, const struct cat_function *y)
{
	if (x->path || y->path)
		return x->offset == y->offset && x->dev == y->dev && x->inode == y->inode &&
		       (x->inode || same_text(x->path, y->path));
	return x->address == y->address && same_text(x->symbol, y->symbol) && same_text(x->module, y->module);
}

enum func_within source_func_within(const struct cat_function *x, const struct cat_function *y)
{
	if (!same_place(x, y))
		return WITHIN_NEVER;
	if (!y->pid || x->pid == y->pid)
		return WITHIN_ALWAYS;
	return x->pid ? WITHIN_NEVER : WITHIN_SOMETIMES;
}

bool source_can(const struct catalog *c, enum cat_can what)
{
	return c->ops->can && c->ops->can(c->self, what);
}
