/*
 * What a name means. In this order: a let; `duration` of a period; a field,
 * argument or parameter of the event (of a period: of the only side that has
 * it); a common name (of a period: the begin's, but `time` and `event` are of
 * the row, which is made at the end); a field that another branch of the union
 * has (none here); a literal; an enumerator of the kernel.
 *
 * Names beside an enum are looked up there first: check_partner in check_op.c.
 */
#include "plan/check_help.h"
#include "plan/check_in.h"
#include "plan/check_scope.h"
#include "plan/func.h"
#include "plan/literal.h"

/* In a period they are of the row, not of the begin. */
static const bool of_row[COMMONS] = { [COMMON_TIME] = true, [COMMON_EVENT] = true };

/* Of one that has not ended there is only the begin's event. */
static bool is_of_row(const struct scope *s, int common)
{
	return of_row[common] && !(s->open && common == COMMON_EVENT);
}

/* What is none here because only another kind of rows has it: that is said. */
static void ask_elsewhere(struct scope *s, const struct ax *e)
{
	struct type type;

	if (e->kind == AX_NAME)
		s->elsewhere(s, e->text, &type);
	for (int i = 0; i < e->n_kids; i++)
		ask_elsewhere(s, e->kids[i]);
}

static struct px *keep(struct scope *s, const struct ax *e)
{
	struct px *x = s->keep(s, e);

	if (x && x->op == PX_NONE && s->elsewhere)
		ask_elsewhere(s, e);
	return x ? x : px_poison(s->env, e->loc);
}

/* ---- bare names ---- */

static struct px *let_value(struct scope *s, const struct scope_let *l, struct loc loc)
{
	struct px *x = px_new(s->env, PX_LET, loc, &l->type);

	if (l->type.kind == TY_NONE)
		return px_none(s->env, loc);
	x->index = l->index;
	x->may_none = l->may_none;
	return x;
}

static struct px *literal_value(struct scope *s, const struct ax *e)
{
	const struct catalog *c = s->env->catalog;
	struct type t;
	int64_t n;

	if (literal_find(e->text, &n, &t))
		return px_number(s->env, e->loc, n, &t);
	if (c && c->ops->enumerator(c->self, e->text, &n, &t))
		return px_number(s->env, e->loc, n, &t);
	return NULL;
}

static struct px *unknown_name(struct scope *s, const struct ax *e)
{
	const struct side *d = scope_lone_side(s);
	struct px *x;

	if (s->table)
		return check_no_column(s, e);
	if (!side_is_there(d))
		return px_wrong(s->env, DIAG_UNKNOWN_NAME, e->loc, "no constant '%.*s'",
				    STR_ARG(e->text));
	if (str_is(e->text, "duration")) {
		x = px_wrong(s->env, DIAG_NO_PERIOD, e->loc, "an event has no duration");
		diag_help(s->env->diag, "a whole call is written without .enter and .return: syscall:read; "
			  "a period of two events: from X to Y on KEY");
		return x;
	}
	x = check_valueless(s, &s->end, e->text, e->loc);
	if (!x)
		x = check_valueless(s, &s->begin, e->text, e->loc);
	if (x)
		return x;
	if (scope_is_period(s)) {
		bool same = scope_is_call(s);

		x = px_wrong(s->env, DIAG_NO_FIELD, e->loc, "no field '%.*s' in %s%s%s%s",
			     STR_ARG(e->text), same && s->period ? s->period->name : side_name(&s->begin), same ? "" : " or ",
			     same ? "" : side_name(&s->end), s->elsewhere ? " or another source" : "");
		help_fields(s, &s->begin, s->open ? NULL : &s->end, e->text);
		return x;
	}
	x = px_wrong(s->env, DIAG_NO_FIELD, e->loc, "no field '%.*s' in %s%s", STR_ARG(e->text),
			 side_name(d), s->elsewhere ? " or another source" : "");
	help_fields(s, d, NULL, e->text);
	return x;
}

static struct px *elsewhere_value(struct scope *s, const struct ax *e)
{
	struct type t;

	return s->elsewhere && s->elsewhere(s, e->text, &t) ? px_none(s->env, e->loc) : NULL;
}

static struct px *other_value(struct scope *s, const struct ax *e)
{
	struct px *x = elsewhere_value(s, e);

	if (!x)
		x = literal_value(s, e);
	return x ? x : unknown_name(s, e);
}

/* A name of a period that isn't kept of the begin: the end's, or a mistake. */
static struct px *period_name(struct scope *s, const struct ax *e)
{
	const struct cat_field *begin = side_field(s, &s->begin, e->text);
	const struct cat_field *end = s->open ? NULL : side_field(s, &s->end, e->text);
	int common = check_common(e->text);
	struct px *x;

	/* What every event knows is the begin's, whoever has a field of that name. */
	if (begin && end && common >= 0 && !is_of_row(s, common))
		return keep(s, e);
	if (begin && end && !scope_is_call(s)) {
		x = px_wrong(s->env, DIAG_AMBIGUOUS_NAME, e->loc,
			     "both %s and %s have a field '%.*s'",
				 side_name(&s->begin), side_name(&s->end), STR_ARG(e->text));
		diag_help(s->env->diag, "write begin.%.*s or end.%.*s", STR_ARG(e->text),
			  STR_ARG(e->text));
		return x;
	}
	if (end && !begin)
		return field_value(s, &s->end, end, e->loc);
	if (begin || (s->open && s->begin_has(s, e->text)))
		return keep(s, e);
	if (common >= 0)
		return is_of_row(s, common) && !(common == COMMON_EVENT && s->many_begins)
			? common_value(s, &s->end, common, e, true) : keep(s, e);
	return other_value(s, e);
}

/* The common value, though this source may have a field of that name. */
static struct px *shared_common(struct scope *s, const struct ax *e, int common)
{
	struct ax *current;

	if (!scope_is_period(s) || is_of_row(s, common))
		return common_value(s, scope_lone_side(s), common, e, true);
	current = arena_new(s->env->arena, struct ax);
	*current = *e;
	current->kind = AX_SIDE;
	current->side = SIDE_CURRENT;
	return keep(s, current);
}

bool check_is_depth(const struct scope *s, struct str name)
{
	return s->period && s->period->is_call && str_is(name, "depth") &&
	       !side_field(s, &s->begin, name);
}

/* A thread is in one system call at a time. */
static struct px *depth_value(struct scope *s, const struct ax *e)
{
	if (!s->begin.function)
		return px_number(s->env, e->loc, 0, &type_int);
	s->period->needs_depth = true;
	return px_new(s->env, PX_DEPTH, e->loc, &type_int);
}

static struct px *duration_value(struct scope *s, const struct ax *e)
{
	struct px *x = px_new(s->env, PX_DURATION, e->loc, &type_duration);

	x->may_none = s->period && s->period->may_lack_begin && !s->open;
	return x;
}

struct px *check_name(struct scope *s, const struct ax *e)
{
	const struct side *d = scope_lone_side(s);
	const struct scope_let *let = scope_let(s, e->text);
	const struct cat_field *f;
	int common;

	if (let)
		return let_value(s, let, e->loc);
	if (side_is_there(&s->begin) && side_is_there(&s->end) && str_is(e->text, "duration"))
		return duration_value(s, e);
	if (check_is_depth(s, e->text))
		return depth_value(s, e);
	common = check_common(e->text);
	if (common >= 0 && s->everywhere && !s->everywhere(s, e->text))
		return shared_common(s, e, common);
	if (scope_is_period(s))
		return period_name(s, e);
	f = side_field(s, d, e->text);
	if (f)
		return field_value(s, d, f, e->loc);
	if (s->entry_value && side_has_param(d, e->text))
		return s->entry_value(s, e);
	if (common >= 0 && (side_is_there(d) || s->args_only))
		return common_value(s, d, common, e, true);
	return other_value(s, e);
}

/* ---- begin.X end.X current.X ---- */

static struct px *side_value(struct scope *s, const struct side *d, const struct ax *e)
{
	const struct cat_field *f = side_field(s, d, e->text);
	int common = check_common(e->text);
	struct px *x;

	if (f)
		return field_value(s, d, f, e->loc);
	if (common >= 0)
		return common_value(s, d, common, e, true);
	x = elsewhere_value(s, e);
	if (!x)
		x = check_valueless(s, d, e->text, e->loc);
	if (x)
		return x;
	x = px_wrong(s->env, DIAG_NO_FIELD, e->loc, "no field '%.*s' in %s", STR_ARG(e->text),
			 side_name(d));
	help_fields(s, d, NULL, e->text);
	return x;
}

static struct px *current_value(struct scope *s, const struct side *d, const struct ax *e)
{
	int common = check_common(e->text);
	struct px *x;

	if (common >= 0 && side_is_there(d))
		return common_value(s, d, common, e, false);
	x = px_wrong(s->env, DIAG_NO_FIELD, e->loc, "no common field '%.*s'", STR_ARG(e->text));
	help_names(s->env, e->text, "common fields", common_names, COMMONS);
	return x;
}

struct px *check_side(struct scope *s, const struct ax *e)
{
	bool period = side_is_there(&s->begin) && side_is_there(&s->end);

	switch (e->side) {
	case SIDE_VIA:
		if (s->has_via && s->keep)
			return keep(s, e);
		return px_wrong(s->env, DIAG_NO_VIA, e->loc, "this period has no via: from X via Y to Z");
	case SIDE_END:
		if (s->open)
			return px_wrong(s->env, DIAG_NO_END, e->loc,
					"an open period has no end yet: use its begin's fields");
		if (period) {
			struct scope at_end = *s;

			at_end.event_number = s->end_event_number;
			return side_value(&at_end, &s->end, e);
		}
		return px_wrong(s->env, DIAG_NO_END, e->loc, "%s", side_is_there(&s->begin)
				    ? "the end is not known when the begin happens"
				    : "this is an event, not a period: it has no 'end.'");
	case SIDE_BEGIN:
		if (side_is_there(&s->begin) && !side_is_there(&s->end))
			return side_value(s, &s->begin, e);
		if (period && s->keep)
			return keep(s, e);
		return px_wrong(s->env, DIAG_NO_BEGIN, e->loc,
				"this is an event, not a period: it has no 'begin.'");
	}
	if (scope_is_period(s) && check_common(e->text) >= 0 &&
	    !is_of_row(s, check_common(e->text)))
		return keep(s, e);
	return current_value(s, scope_lone_side(s), e);
}

struct px *check_side_current(struct scope *s, const struct ax *e)
{
	const struct ax *side = e->kids[0];
	const struct side *d;

	if (side->kind != AX_SIDE || side->side == SIDE_CURRENT || !str_is(side->text, "current"))
		return NULL;
	d = side->side == SIDE_BEGIN ? &s->begin : &s->end;
	if (side_field(s, d, side->text))
		return NULL;
	if (side->side == SIDE_BEGIN && s->keep && side_is_there(&s->begin) &&
	    side_is_there(&s->end))
		return keep(s, e);
	if (side->side == SIDE_VIA && s->has_via && s->keep)
		return keep(s, e);
	if (side->side == SIDE_VIA || !side_is_there(d) || (side->side == SIDE_END &&
						       !side_is_there(&s->begin)))
		return check_side(s, side);
	return current_value(s, d, e);
}

/* ---- what is of the begin ---- */

static bool name_is_begin(const struct scope *s, const struct ax *e)
{
	const struct cat_field *begin = side_field(s, &s->begin, e->text);
	int common = check_common(e->text);

	if (!scope_is_period(s) || scope_let(s, e->text) || str_is(e->text, "duration"))
		return false;
	if (!s->open && side_field(s, &s->end, e->text))
		return begin && scope_is_call(s);
	return begin || (s->open && s->begin_has((struct scope *)s, e->text)) ||
	       (common >= 0 && !is_of_row(s, common));
}

/* NAME.X where a row is `in` NAME: of another period's begin. */
static bool is_of_another(const struct scope *s, const struct ax *e)
{
	return e->kind == AX_MEMBER && e->kids[0]->kind == AX_NAME && !name_is_begin(s, e->kids[0]) &&
	       !name_is_bound(s, e->kids[0]->text);
}

/* Are all its names of the begin, or constants? *any: one is. */
static bool is_begin(const struct scope *s, const struct ax *e, bool *any)
{
	if (is_of_another(s, e))
		return false;
	switch (e->kind) {
	case AX_NAME:
		if (name_is_begin(s, e)) {
			*any = true;
			return true;
		}
		return !name_is_bound(s, e->text);
	case AX_SIDE:
		if (e->side == SIDE_BEGIN || (e->side == SIDE_CURRENT && scope_is_period(s))) {
			*any = true;
			return true;
		}
		return false;
	}
	for (int i = 0; i < e->n_kids; i++)
		if (!is_begin(s, e->kids[i], any))
			return false;
	return true;
}

static bool all_of_begin(const struct scope *s, const struct ax *e)
{
	bool any = false;

	return side_is_there(&s->begin) && side_is_there(&s->end) && is_begin(s, e, &any) && any;
}

/* The same of the via. */
static bool is_via(const struct scope *s, const struct ax *e, bool *any)
{
	if (is_of_another(s, e))
		return false;
	if (e->kind == AX_NAME)
		return !name_is_bound(s, e->text);
	if (e->kind == AX_SIDE) {
		*any |= e->side == SIDE_VIA;
		return e->side == SIDE_VIA;
	}
	for (int i = 0; i < e->n_kids; i++)
		if (!is_via(s, e->kids[i], any))
			return false;
	return true;
}

static bool all_of_via(const struct scope *s, const struct ax *e)
{
	bool any = false;

	return s->has_via && is_via(s, e, &any) && any;
}

/*
 * Members, elements, casts and functions that read memory are evaluated when
 * the begin (or the via) happens: the object may be gone at the end. Arithmetic is not:
 * several expressions share what was kept.
 */
struct px *check_kept(struct scope *s, const struct ax *e)
{
	switch (e->kind) {
	case AX_MEMBER: case AX_INDEX: case AX_AS_STRUCT: case AX_AS_INT:
		break;
	case AX_CALL:
		if (func_reads_memory(s->env->registry, e->text))
			break;
		return NULL;
	default:
		return NULL;
	}
	return s->keep && (all_of_begin(s, e) || all_of_via(s, e)) ? keep(s, e) : NULL;
}
