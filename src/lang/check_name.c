/*
 * What a name means. In this order: a let; `duration` of a period; a field,
 * argument or parameter of the event (of a period: of the only side that has
 * it); a common name (of a period: the begin's, but `time` and `event` are of
 * the row, which is made at the end); a field that another branch of the union
 * has (none here); a literal; an enumerator of the kernel.
 *
 * Names beside an enum are looked up there first: check_partner in check_op.c.
 */
#include "lang/check_in.h"
#include "lang/literal.h"

#define HELP_NAMES_MOST 24

static const char *const common_names[] = {
#define COMMON(id, name, kind, help) [COMMON_##id] = name,
#include "lang/common.def"
#undef COMMON
};

static const uint8_t common_kinds[] = {
#define COMMON(id, name, type_kind, help) [COMMON_##id] = TY_##type_kind,
#include "lang/common.def"
#undef COMMON
};

/* In an interrupt they would be of whoever was interrupted. */
static const bool of_thread[COMMONS] = {
	[COMMON_PID] = true, [COMMON_TID] = true, [COMMON_PPID] = true, [COMMON_COMM] = true,
	[COMMON_UID] = true, [COMMON_GID] = true, [COMMON_CGROUP] = true,
	[COMMON_USTACK] = true, [COMMON_TASK] = true,
};

/* In a period they are of the row, not of the begin. */
static const bool of_row[COMMONS] = { [COMMON_TIME] = true, [COMMON_EVENT] = true };

static const struct cat_field field_ret = {
	.name = "ret", .type = { .kind = TY_INT, .is_signed = true, .size = 8 },
	.loc = LOC_SYSRET, .size = 8,
};

/* ---- finding ---- */

static bool is_there(const struct side *d)
{
	return d->event || d->syscall;
}

static bool is_period(const struct scope *s)
{
	return is_there(&s->begin) && is_there(&s->end) && !s->in_end;
}

/* The side of a lone event, of the begin alone, of the end's `where`. */
static const struct side *lone_side(const struct scope *s)
{
	return is_there(&s->end) ? &s->end : &s->begin;
}

static int common_find(struct str name)
{
	for (int i = 0; i < COMMONS; i++)
		if (str_is(name, common_names[i]))
			return i;
	return -1;
}

static const struct cat_field *find_in(const struct cat_field *f, int n, struct str name)
{
	for (int i = 0; i < n; i++)
		if (str_is(name, f[i].name))
			return &f[i];
	return NULL;
}

static const struct cat_field *side_field(const struct scope *s, const struct side *d,
					  struct str name)
{
	const struct cat_field *f = NULL;

	if (d->syscall) {
		f = find_in(d->syscall->params, d->syscall->n_params, name);
		return !f && d->is_return && str_is(name, "ret") ? &field_ret : f;
	}
	if (!d->event)
		return NULL;
	if (!s->args_only)
		f = find_in(d->event->fields, d->event->n_fields, name);
	return f ? f : find_in(d->event->args, d->event->n_args, name);
}

static const struct scope_let *let_find(const struct scope *s, struct str name)
{
	for (int i = s->lets.n - 1; i >= 0; i--)
		if (str_eq(s->lets.v[i].name, name))
			return &s->lets.v[i];
	return NULL;
}

bool name_is_bound(const struct scope *s, struct str name)
{
	bool any = is_there(&s->begin) || is_there(&s->end);

	return let_find(s, name) || side_field(s, &s->begin, name) ||
	       side_field(s, &s->end, name) || (any && common_find(name) >= 0) ||
	       (is_period(s) && str_is(name, "duration"));
}

/* ---- help ---- */

void help_names(struct check_env *env, struct str name, const char *what,
		const char *const *names, int n)
{
	const char *near = n ? str_nearest(name, names, n) : NULL;
	struct buf b = { 0 };

	if (near)
		buf_printf(&b, "did you mean '%s'?%s", near, n ? " " : "");
	if (n)
		buf_printf(&b, "%s:", what);
	for (int i = 0; i < n && i < HELP_NAMES_MOST; i++)
		buf_printf(&b, " %s", names[i]);
	if (n > HELP_NAMES_MOST)
		buf_puts(&b, " ...");
	if (b.n)
		diag_help(env->diag, "%s", b.p);
	buf_fini(&b);
}

typedef VEC(const char *) name_list;

static void list_fields(struct check_env *env, name_list *l, const struct cat_field *f, int n)
{
	for (int i = 0; i < n; i++)
		vec_push(env->arena, l, f[i].name);
}

static void list_side(struct check_env *env, name_list *l, const struct side *d)
{
	if (d->syscall) {
		list_fields(env, l, d->syscall->params, d->syscall->n_params);
		if (d->is_return)
			vec_push(env->arena, l, "ret");
	} else if (d->event) {
		list_fields(env, l, d->event->fields, d->event->n_fields);
		list_fields(env, l, d->event->args, d->event->n_args);
	}
}

/* Fields first, then the common names; only the fields are listed when they
 * are not near. */
static void help_fields(struct scope *s, const struct side *a, const struct side *b,
			struct str name)
{
	name_list l = { 0 }, near = { 0 };
	const char *common;

	list_side(s->env, &l, a);
	if (b)
		list_side(s->env, &l, b);
	for (int i = 0; i < COMMONS; i++)
		vec_push(s->env->arena, &near, common_names[i]);
	for (int i = 0; i < s->lets.n; i++)
		vec_push(s->env->arena, &near, arena_strndup(s->env->arena, s->lets.v[i].name.p,
							     (size_t)s->lets.v[i].name.n));
	common = str_nearest(name, near.v, near.n);
	if (common && !(l.n && str_nearest(name, l.v, l.n)))
		diag_help(s->env->diag, "did you mean '%s'?", common);
	else
		help_names(s->env, name, "fields", l.v, l.n);
}

static const char *side_name(const struct side *d)
{
	return d->name ? d->name : d->event ? d->event->name : "this source";
}

/* ---- values ---- */

static struct px *poison_error(struct scope *s, const char *tag, const struct ax *e,
			       const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static struct px *poison_error(struct scope *s, const char *tag, const struct ax *e,
			       const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(s->env->diag, tag, e->loc, "%s", arena_vprintf(s->env->arena, fmt, ap));
	va_end(ap);
	return px_poison(s->env, e->loc);
}

/* An expression of the catalog over the arguments of event, or NULL when this
 * kernel hasn't what it needs. */
static struct px *check_path(struct scope *s, const struct cat_event *event, const char *path)
{
	struct arena *a = s->env->arena;
	struct diag quiet = { .arena = a };
	struct check_env env = *s->env;
	struct scope args = { .env = &env, .end = { .event = event }, .args_only = true };
	struct source_text *text = arena_new(a, struct source_text);
	struct ax *e;
	struct px *x;

	*text = (struct source_text){ .name = "field", .text = str_of(path) };
	env.diag = &quiet;
	e = parse_expr(a, &quiet, text);
	if (!e || quiet.errors)
		return NULL;
	x = check_expr(&args, e);
	return quiet.errors || px_is_poison(x) ? NULL : x;
}

/* The word x cut and extended as t says; a string as long as t. */
static struct px *as_declared(struct check_env *env, struct px *x, const struct type *t)
{
	if (t->kind == TY_STRING && x->type.kind == TY_STRING && t->bytes)
		x->type.bytes = t->bytes;
	if (!type_is_word(t) || !px_is_word(x) || t->kind == TY_ARRAY || t->kind == TY_STRUCT)
		return x;
	if (x->type.size == t->size && x->type.is_signed == t->is_signed) {
		x->type = *t;
		return x;
	}
	return fold(env, px_node(env, PX_NARROW, x->loc, t, 1, &x));
}

static void use_form(const struct side *d, const struct cat_field *f, const struct px *alt,
		     struct loc loc)
{
	struct form_use *u = d->form;

	if (!u)
		return;
	if ((f->loc == LOC_ARG || (f->loc == LOC_NONE && alt)) && !u->needs_btf.text) {
		u->needs_btf = loc;
		u->btf_what = f->name;
	} else if (f->loc == LOC_FORMAT && !alt && !u->needs_perf.text) {
		u->needs_perf = loc;
		u->perf_what = f->name;
	}
}

static struct px *field_value(struct scope *s, const struct side *d, const struct cat_field *f,
			      struct loc loc)
{
	struct px *x = px_new(s->env, PX_FIELD, loc, &f->type), *alt = NULL;

	x->field = f;
	x->may_none = f->loc == LOC_RECORD;
	if (f->from_args && d->event)
		alt = check_path(s, d->event, f->from_args);
	if (alt) {
		x->alt = as_declared(s->env, alt, &f->type);
		x->may_none |= alt->may_none;
	}
	use_form(d, f, alt, loc);
	return px_as_string(s->env, x);
}

static struct type common_type_of(const struct scope *s, int id)
{
	const struct catalog *c = s->env->catalog;
	struct type t = { .kind = common_kinds[id], .size = 8 };

	switch (id) {
	case COMMON_COMM:
		t.bytes = 16;		/* TASK_COMM_LEN */
		break;
	case COMMON_CPU:
		t.size = 4;
		t.dense = s->env->options ? s->env->options->cpus_possible : 0;
		break;
	case COMMON_PID: case COMMON_TID: case COMMON_PPID:
		t.is_signed = true;
		t.size = 4;
		break;
	case COMMON_UID: case COMMON_GID:
		t.size = 4;
		break;
	case COMMON_EVENT:
		t.en = s->event_names;
		t.dense = s->n_event_numbers;
		break;
	case COMMON_TASK:
		t.ktype = c ? c->ops->struct_type(c->self, str_of("task_struct")) : 0;
		break;
	}
	return t;
}

/* At the event of side d: asked by its bare name, or as `current.`. */
static struct px *common_value(struct scope *s, const struct side *d, int id,
			       const struct ax *e, bool bare)
{
	const struct catalog *c = s->env->catalog;
	const struct cat_field *f = NULL;
	struct type t = common_type_of(s, id);
	struct px *x;

	if (t.kind == TY_STACK)
		return poison_error(s, DIAG_LATER, e, "stacks come in a later version");
	if (bare && of_thread[id] && !s->args_only &&
	    ((d->event && d->event->interrupt) || (s->interrupt && !is_there(&s->begin)))) {
		x = poison_error(s, DIAG_INTERRUPT_FIELD, e, "%s runs in an interrupt: "
				 "the running thread is whoever was interrupted", side_name(d));
		diag_help(s->env->diag, "write current.%s to have the interrupted one's",
			  common_names[id]);
		return x;
	}
	if (c && c->ops->common && !s->args_only)
		f = c->ops->common(c->self, str_of(common_names[id]));
	if (f && f->loc != LOC_NONE)
		return field_value(s, d, f, e->loc);
	x = f && f->from_args ? check_path(s, NULL, f->from_args) : NULL;
	if (x)
		return as_declared(s->env, x, &t);
	x = px_new(s->env, PX_COMMON, e->loc, &t);
	x->common = (uint8_t)id;
	return x;
}

static struct px *keep(struct scope *s, const struct ax *e)
{
	struct px *x = s->keep(s, e);

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
	const struct side *d = lone_side(s);
	struct px *x;

	if (!is_there(d))
		return poison_error(s, DIAG_UNKNOWN_NAME, e, "no constant '%.*s'",
				    STR_ARG(e->text));
	if (str_is(e->text, "duration")) {
		x = poison_error(s, DIAG_NO_PERIOD, e, "an event has no duration");
		diag_help(s->env->diag, "make periods of two events: from X to Y on KEY");
		return x;
	}
	if (is_period(s)) {
		x = poison_error(s, DIAG_NO_FIELD, e, "no field '%.*s' in %s or %s",
				 STR_ARG(e->text), side_name(&s->begin), side_name(&s->end));
		help_fields(s, &s->begin, &s->end, e->text);
		return x;
	}
	x = poison_error(s, DIAG_NO_FIELD, e, "no field '%.*s' in %s", STR_ARG(e->text),
			 side_name(d));
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
	const struct cat_field *end = side_field(s, &s->end, e->text);
	int common = common_find(e->text);
	struct px *x;

	if (begin && end && !(s->begin.syscall && s->end.syscall)) {
		x = poison_error(s, DIAG_AMBIGUOUS_NAME, e, "both %s and %s have a field '%.*s'",
				 side_name(&s->begin), side_name(&s->end), STR_ARG(e->text));
		diag_help(s->env->diag, "write begin.%.*s or end.%.*s", STR_ARG(e->text),
			  STR_ARG(e->text));
		return x;
	}
	if (end && !begin)
		return field_value(s, &s->end, end, e->loc);
	if (begin)
		return keep(s, e);
	if (common >= 0)
		return of_row[common] ? common_value(s, &s->end, common, e, true) : keep(s, e);
	return other_value(s, e);
}

struct px *check_name(struct scope *s, const struct ax *e)
{
	const struct side *d = lone_side(s);
	const struct scope_let *let = let_find(s, e->text);
	const struct cat_field *f;
	int common;

	if (let)
		return let_value(s, let, e->loc);
	if (is_there(&s->begin) && is_there(&s->end) && str_is(e->text, "duration"))
		return px_new(s->env, PX_DURATION, e->loc, &type_duration);
	if (is_period(s))
		return period_name(s, e);
	f = side_field(s, d, e->text);
	if (f)
		return field_value(s, d, f, e->loc);
	common = common_find(e->text);
	if (common >= 0 && (is_there(d) || s->args_only))
		return common_value(s, d, common, e, true);
	return other_value(s, e);
}

/* ---- begin.X end.X current.X ---- */

static struct px *side_value(struct scope *s, const struct side *d, const struct ax *e)
{
	const struct cat_field *f = side_field(s, d, e->text);
	int common = common_find(e->text);
	struct px *x;

	if (f)
		return field_value(s, d, f, e->loc);
	if (common >= 0)
		return common_value(s, d, common, e, true);
	x = elsewhere_value(s, e);
	if (x)
		return x;
	x = poison_error(s, DIAG_NO_FIELD, e, "no field '%.*s' in %s", STR_ARG(e->text),
			 side_name(d));
	help_fields(s, d, NULL, e->text);
	return x;
}

static struct px *current_value(struct scope *s, const struct side *d, const struct ax *e)
{
	int common = common_find(e->text);
	struct px *x;

	if (common >= 0 && is_there(d))
		return common_value(s, d, common, e, false);
	x = poison_error(s, DIAG_NO_FIELD, e, "no common field '%.*s'", STR_ARG(e->text));
	help_names(s->env, e->text, "common fields", common_names, COMMONS);
	return x;
}

struct px *check_side(struct scope *s, const struct ax *e)
{
	bool period = is_there(&s->begin) && is_there(&s->end);

	switch (e->side) {
	case SIDE_VIA:
		return poison_error(s, DIAG_NO_VIA, e, "there is no via here");
	case SIDE_END:
		if (period)
			return side_value(s, &s->end, e);
		return poison_error(s, DIAG_NO_END, e, "%s", is_there(&s->begin)
				    ? "the end is not known when the begin happens"
				    : "this is no period: it has no end");
	case SIDE_BEGIN:
		if (is_there(&s->begin) && !is_there(&s->end))
			return side_value(s, &s->begin, e);
		if (period && s->keep)
			return keep(s, e);
		return poison_error(s, DIAG_NO_BEGIN, e, "this is no period: it has no begin");
	}
	if (is_period(s) && common_find(e->text) >= 0 && !of_row[common_find(e->text)])
		return keep(s, e);
	return current_value(s, lone_side(s), e);
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
	if (side->side == SIDE_BEGIN && is_there(&s->begin) && is_there(&s->end) && s->keep)
		return keep(s, e);
	if (side->side == SIDE_VIA || !is_there(d) || (side->side == SIDE_END &&
						       !is_there(&s->begin)))
		return check_side(s, side);
	return current_value(s, d, e);
}

/* ---- what is of the begin ---- */

static bool name_is_begin(const struct scope *s, const struct ax *e)
{
	const struct cat_field *begin = side_field(s, &s->begin, e->text);
	int common = common_find(e->text);

	if (!is_period(s) || let_find(s, e->text) || str_is(e->text, "duration"))
		return false;
	if (side_field(s, &s->end, e->text))
		return begin && s->begin.syscall && s->end.syscall;
	return begin || (common >= 0 && !of_row[common]);
}

/* Are all its names of the begin, or constants? *any: one is. */
static bool is_begin(const struct scope *s, const struct ax *e, bool *any)
{
	switch (e->kind) {
	case AX_NAME:
		if (name_is_begin(s, e)) {
			*any = true;
			return true;
		}
		return !name_is_bound(s, e->text);
	case AX_SIDE:
		if (e->side == SIDE_BEGIN || (e->side == SIDE_CURRENT && is_period(s))) {
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

bool check_is_begin(const struct scope *s, const struct ax *e)
{
	bool any = false;

	return is_there(&s->begin) && is_there(&s->end) && is_begin(s, e, &any) && any;
}

/*
 * Members, elements, casts and functions that read memory are evaluated when
 * the begin happens: the object may be gone at the end. Arithmetic is not:
 * several expressions share what was kept.
 */
struct px *check_kept(struct scope *s, const struct ax *e)
{
	switch (e->kind) {
	case AX_MEMBER: case AX_INDEX: case AX_AS_STRUCT: case AX_AS_INT:
		break;
	case AX_CALL:
		if (func_reads_memory(func_find(e->text)))
			break;
		return NULL;
	default:
		return NULL;
	}
	return s->keep && check_is_begin(s, e) ? keep(s, e) : NULL;
}
