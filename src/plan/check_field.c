/*
 * The values of fields, arguments, parameters and common names of an event.
 *
 * A field has up to three ways: as the format stores it, as an expression over
 * what the format stores instead (raw), and as one over the arguments of the
 * C call. All are checked here; which is used is decided when the form of the
 * attach point is. What this kernel can't give (no such member) is no way, and
 * no mistake of the query.
 */
#include "plan/check_in.h"
#include "plan/check_scope.h"
#include "plan/check_text.h"

static const uint8_t common_kinds[] = {
#define COMMON(id, name, type_kind, ...) [COMMON_##id] = TY_##type_kind,
#include "lang/common.def"
#undef COMMON
};

/* In an interrupt they would be of whoever was interrupted. */
static const bool of_thread[COMMONS] = {
	[COMMON_PID] = true, [COMMON_TID] = true, [COMMON_PPID] = true, [COMMON_COMM] = true,
	[COMMON_UID] = true, [COMMON_GID] = true, [COMMON_CGROUP] = true,
	[COMMON_USTACK] = true, [COMMON_STACK] = true, [COMMON_TASK] = true,
};

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

/* The expression over what the format stores instead of the value, or NULL. */
static struct px *check_raw(struct scope *s, const struct cat_field *f)
{
	struct cat_event *stored = arena_new(s->env->arena, struct cat_event);

	stored->name = f->name;
	stored->args = f->raw;
	stored->n_args = 1;
	return check_path(s, stored, f->from_raw);
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

struct px *field_value(struct scope *s, const struct side *d, const struct cat_field *f,
			      struct loc loc)
{
	struct px *x = px_new(s->env, PX_FIELD, loc, &f->type), *alt = NULL;

	if (f->unable)
		return px_wrong(s->env, DIAG_NOT_A_NUMBER, loc, "%s is %s", f->name, f->unable);
	x->field = f;
	/* a decoded event may lack each of its fields, also what a call returned */
	x->may_none = f->loc == LOC_RECORD ||
		      (f->loc == LOC_SYSRET && (d->ret_may_none ||
			(s->env->options && s->env->options->has.replay)));
	if (f->from_args && d->event)
		alt = check_path(s, d->event, f->from_args);
	if (alt) {
		x->alt = as_declared(s->env, alt, &f->type);
		x->may_none |= alt->may_none;
	}
	if (f->raw && f->from_raw) {
		struct px *stored = check_raw(s, f);

		if (stored) {
			stored = as_declared(s->env, stored, &f->type);
			x->n_kids = 1;
			x->kids = arena_array(s->env->arena, struct px *, 1);
			x->kids[0] = stored;
		}
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
	case COMMON_KSTACK: case COMMON_USTACK:
		t.bytes = STACK_ID_BYTES;
		break;
	case COMMON_STACK:
		t.bytes = 2 * STACK_ID_BYTES;
		break;
	case COMMON_TASK:
		t.ktype = c ? c->ops->struct_type(c->self, str_of("task_struct")) : 0;
		break;
	}
	return t;
}

/* At the event of side d: asked by its bare name, or as `current.`. */
struct px *common_value(struct scope *s, const struct side *d, int id,
			       const struct ax *e, bool bare)
{
	const struct catalog *c = s->env->catalog;
	const struct cat_field *f = NULL;
	struct type t = common_type_of(s, id);
	struct px *x;

	if (bare && of_thread[id] && !s->args_only &&
	    ((d->event && d->event->interrupt) || (s->interrupt && !side_is_there(&s->begin)))) {
		x = px_wrong(s->env, DIAG_INTERRUPT_FIELD, e->loc, "%s runs in an interrupt: "
				 "it belongs to no thread", side_name(d));
		diag_help(s->env->diag, "write current.%s for the thread that was interrupted",
			  common_names[id]);
		return x;
	}
	if (c && c->ops->common && !s->args_only)
		f = c->ops->common(c->self, str_of(common_names[id]));
	if (f && f->unable)
		return px_wrong(s->env, DIAG_UNABLE, e->loc, "%s is %s", f->name, f->unable);
	if (f && f->loc != LOC_NONE)
		return field_value(s, d, f, e->loc);
	x = f && f->from_args ? check_path(s, NULL, f->from_args) : NULL;
	if (x) {
		x = as_declared(s->env, x, &t);
		x->loc = e->loc;	/* mistakes are shown in the query's own text */
		return x;
	}
	if (f)
		return px_wrong(s->env, DIAG_NO_FIELD, e->loc, "%s needs the kernel's types "
				"(BTF), which cannot be read here (culprit doctor)", common_names[id]);
	x = px_new(s->env, PX_COMMON, e->loc, &t);
	x->common = (uint8_t)id;
	if (t.kind == TY_STACK) {
		/* a thread in its program has none in the kernel, a kernel's thread no other */
		x->may_none = id != COMMON_STACK;
		s->env->stacks = true;
		s->env->user_stacks |= id != COMMON_KSTACK;
	}
	if (id == COMMON_EVENT)
		x->index = s->event_number;
	return x;
}
