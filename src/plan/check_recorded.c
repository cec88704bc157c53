/*
 * What a recorded trace tells of an expression that follows pointers live, or that goes
 * into a field's structure: one value of the event, found by the expression's text
 * ("prev.tgid", "path(file(fd))", "fds[0].events"). Which there are the catalog knows.
 */
#include "plan/check_help.h"
#include "plan/check_in.h"
#include "plan/check_scope.h"

#include <string.h>

#define TEXT_MOST 256
#define NAMES_LISTED 24

/* The text without blanks and side; *root is its first name. False: it has none that an
 * event could tell. */
static bool record_text(const struct ax *e, struct buf *out, const struct ax **root)
{
	switch (e->kind) {
	case AX_NAME: case AX_SIDE:
		if (*root)
			return false;
		*root = e;
		buf_add(out, e->text.p, (size_t)e->text.n);
		return !(e->kind == AX_SIDE && e->side == SIDE_CURRENT);
	case AX_MEMBER:
		if (!record_text(e->kids[0], out, root))
			return false;
		buf_printf(out, ".%.*s", STR_ARG(e->text));
		break;
	case AX_INDEX:
		if (e->kids[1]->kind != AX_INT || !record_text(e->kids[0], out, root))
			return false;
		buf_printf(out, "[%lld]", (long long)e->kids[1]->number);
		break;
	case AX_CALL:
		if (e->n_kids != 1)
			return false;
		buf_printf(out, "%.*s(", STR_ARG(e->text));
		if (!record_text(e->kids[0], out, root))
			return false;
		buf_putc(out, ')');
		break;
	default:
		return false;
	}
	return out->n <= TEXT_MOST;
}

static const struct cat_field *find(const struct scope *s, const struct side *d, struct str text)
{
	const struct catalog *c = s->env->catalog;

	return side_is_there(d) ? side_tells(d, c->ops->told(c->self, d->event, d->syscall, text)) : NULL;
}

static struct px *in_period(struct scope *s, const struct ax *e, struct str text)
{
	const struct cat_field *begin = find(s, &s->begin, text);
	const struct cat_field *end = s->open ? NULL : find(s, &s->end, text);
	struct px *x;

	if (begin && end && !scope_is_call(s)) {
		x = px_wrong(s->env, DIAG_AMBIGUOUS_NAME, e->loc, "both %s and %s have '%.*s'",
			     side_name(&s->begin), side_name(&s->end), STR_ARG(text));
		diag_help(s->env->diag, "write begin.%.*s or end.%.*s", STR_ARG(text),
			  STR_ARG(text));
		return x;
	}
	if (begin && s->keep)
		return s->keep(s, e);
	return end ? field_value(s, &s->end, end, e->loc) : NULL;
}

/* The side that is written before the root's name, or the only one. */
static const struct side *side_of(const struct scope *s, const struct ax *root)
{
	static const struct side nowhere;
	bool begin = side_is_there(&s->begin), end = side_is_there(&s->end);

	if (root->kind == AX_NAME)
		return scope_lone_side(s);
	if (root->side == SIDE_BEGIN)
		return begin && !end ? &s->begin : &nowhere;
	return root->side == SIDE_END && begin && end && !s->open ? &s->end : &nowhere;
}

struct names {
	struct check_env *env;
	name_list list;
};

static void add_name(void *arg, const char *text)
{
	struct names *n = arg;

	for (int i = 0; i < n->list.n; i++)
		if (!strcmp(n->list.v[i], text))
			return;
	if (n->list.n < NAMES_LISTED)
		vec_push(n->env->arena, &n->list, arena_strdup(n->env->arena, text));
}

/* The members that were recorded below the name; none: there is nothing to say. */
static struct names below(struct scope *s, const struct side *d, struct str name)
{
	const struct catalog *c = s->env->catalog;
	const char *begin = arena_printf(s->env->arena, "%.*s.", STR_ARG(name));
	struct names n = { .env = s->env };

	c->ops->list_told(c->self, d->event, d->syscall, str_of(begin), add_name, &n);
	return n;
}

struct px *check_valueless(struct scope *s, const struct side *d, struct str name,
			   struct loc loc)
{
	const struct catalog *c = s->env->catalog;
	const char *kind = c && c->ops->valueless && side_is_there(d) ?
		c->ops->valueless(c->self, d->event, d->syscall, name) : NULL;
	struct names n;
	struct px *x;

	if (!kind)
		return NULL;
	x = px_wrong(s->env, DIAG_NO_FIELD, loc, "'%.*s' of %s is %s, of which queries have no values",
		     STR_ARG(name), side_name(d), kind);
	n = below(s, d, name);
	if (n.list.n)
		help_names(s->env, name, "write one of its members", n.list.v, n.list.n);
	else
		diag_help(s->env->diag, "`culprit run --trace PATH EVENT` prints it");
	return x;
}

/* The trace tells of the root, but not this. */
static struct px *not_recorded(struct scope *s, const struct ax *e, const struct ax *root,
			   struct str text)
{
	const struct side *d = side_of(s, root);
	struct names n;
	struct px *x;

	if (!side_is_there(d))
		return NULL;
	x = check_valueless(s, d, text, e->loc);
	if (x)
		return x;
	n = below(s, d, root->text);
	if (!n.list.n)
		return NULL;
	x = px_wrong(s->env, DIAG_NO_MEMBER, e->loc, "the trace has no '%.*s' of %s",
		     STR_ARG(text), side_name(d));
	help_names(s->env, text, "recorded are", n.list.v, n.list.n);
	return x;
}

struct px *check_recorded(struct scope *s, const struct ax *e)
{
	const struct catalog *c = s->env->catalog;
	const struct ax *root = NULL;
	const struct cat_field *f;
	struct buf text = { 0 };
	struct px *x = NULL;
	struct str all;

	if (!c || !c->ops->told || (e->kind != AX_MEMBER && e->kind != AX_INDEX &&
				    e->kind != AX_CALL))
		return NULL;
	if (record_text(e, &text, &root) && root) {
		all = str_of(arena_strndup(s->env->arena, text.p, text.n));
		if (root->kind == AX_NAME && scope_is_period(s)) {
			x = in_period(s, e, all);
		} else {
			f = find(s, side_of(s, root), all);
			x = f ? field_value(s, side_of(s, root), f, e->loc) : NULL;
		}
		if (!x && e->kind == AX_MEMBER)
			x = not_recorded(s, e, root, all);
	}
	buf_fini(&text);
	return x;
}
