/*
 * Types beside each other. A literal takes the type of its partner; an integer of no special meaning
 * goes with everything; other types only with their own.
 */
#include "plan/check_type.h"

#include <string.h>

#include "lang/diag_tags.h"
#include "plan/check_help.h"

/* Numbers without a meaning of their own, the wider the higher; 0: another type. */
static int plain_rank(const struct type *t)
{
	static const uint8_t ranks[] = {
		[TY_BOOL] = 1, [TY_INT] = 2, [TY_REAL] = 3, [TY_RATE] = 4, [TY_SHARE] = 4,
	};

	return t->kind < sizeof(ranks) ? ranks[t->kind] : 0;
}

bool type_is_plain(const struct type *t)
{
	return plain_rank(t);
}

static bool is_thread(const struct type *t)
{
	return t->kind == TY_PID || t->kind == TY_TID;
}

bool type_is_pointer(const struct type *t)
{
	return t->kind == TY_PTR || t->kind == TY_KADDR || t->kind == TY_UADDR;
}

bool type_is_memory(const struct type *t)
{
	return t->kind == TY_STRUCT || t->kind == TY_ARRAY;
}

bool type_comparable(const struct type *a, const struct type *b)
{
	if (a->kind == TY_POISON || b->kind == TY_POISON || a->kind == TY_NONE ||
	    b->kind == TY_NONE)
		return true;
	if (type_is_memory(a) || type_is_memory(b))
		return false;
	if (type_is_plain(a) || type_is_plain(b))
		return type_is_word(a) && type_is_word(b);
	if (type_is_pointer(a) && type_is_pointer(b))
		return true;
	if (a->kind != b->kind)
		return false;
	if ((a->kind == TY_ENUM || a->kind == TY_FLAGS) && a->en && b->en && a->en != b->en)
		return a->en->name && b->en->name && !strcmp(a->en->name, b->en->name);
	return true;
}

/* A literal of INT becomes what the other is; a typed one only as signed as it. */
void px_adopt_type(struct px *literal, const struct type *t)
{
	if (literal->op != PX_NUMBER || !type_is_word(t) || t->kind == TY_POISON ||
	    t->kind == TY_NONE || type_is_memory(t))
		return;
	literal->type.is_signed = t->is_signed;
	if (!type_is_plain(&literal->type) || t->kind == TY_BOOL)
		return;
	literal->type = *t;
	literal->type.size = 8;
}

void px_adopt_types(struct px *a, struct px *b)
{
	if (a->op == PX_NUMBER && (b->op != PX_NUMBER || type_is_plain(&a->type)))
		px_adopt_type(a, &b->type);
	else if (b->op == PX_NUMBER)
		px_adopt_type(b, &a->type);
}

static const char *article(const struct type *t)
{
	return strchr("aeio", type_name(t)[0]) ? "an" : "a";
}

bool type_has_names(const struct type *t)
{
	return t->en && (t->kind == TY_ENUM || t->kind == TY_FLAGS || t->kind == TY_EVENT ||
			 t->kind == TY_BLKFLAGS);
}

struct px *px_mismatch(struct scope *s, struct loc loc, const struct px *a, const char *what,
		       const struct px *b)
{
	bool threads = (a->type.kind == TY_PID && b->type.kind == TY_TID) ||
		       (a->type.kind == TY_TID && b->type.kind == TY_PID);

	if (threads) {
		const struct px *pid = a->type.kind == TY_PID ? a : b;
		struct str text = loc_text(pid->loc);

		diag_error(s->env->diag, DIAG_PID_TID_COMPARE, loc,
			   "a thread (tid) %s a process (pid)", what);
		if (str_is(text, "pid") || str_is(text, "current.pid"))
			diag_help(s->env->diag, "the kernel's fields named pid hold a thread: "
				  "write %s instead of %.*s",
				  str_is(text, "pid") ? "tid" : "current.tid", STR_ARG(text));
		else
			diag_help(s->env->diag, "the kernel's fields named pid hold a thread: "
				  "compare with tid, or write `as s32` after one to compare the numbers");
		return px_poison(s->env, loc);
	}
	diag_error(s->env->diag, DIAG_TYPE_MISMATCH, loc, "%s %s %s %s %s", article(&a->type),
		   type_name(&a->type), what, article(&b->type), type_name(&b->type));
	if (a->type.kind == TY_STRING || b->type.kind == TY_STRING)
		check_help_no_text(s->env, a->type.kind == TY_STRING ? b : a);
	return px_poison(s->env, loc);
}

bool px_unify(struct scope *s, struct loc loc, struct px *a, struct px *b)
{
	if (px_is_poison(a) || px_is_poison(b))
		return false;
	if (!type_comparable(&a->type, &b->type)) {
		px_mismatch(s, loc, a, "does not go together with", b);
		return false;
	}
	px_adopt_types(a, b);
	return true;
}

bool types_are_signed(const struct type *a, const struct type *b)
{
	return (a->is_signed && (b->is_signed || b->size < 8))
	    || (b->is_signed && (a->is_signed || a->size < 8));
}

struct type type_common(const struct px *a, const struct px *b)
{
	struct type t = a->type;

	if (px_is_none(a))
		return b->type;
	if (px_is_none(b))
		return t;
	if (!type_is_word(&t)) {
		if (b->type.bytes > t.bytes)
			t.bytes = b->type.bytes;
		return t;
	}
	if (type_is_plain(&t) && (!type_is_plain(&b->type) || plain_rank(&t) < plain_rank(&b->type)))
		t = b->type;
	t.is_signed = types_are_signed(&a->type, &b->type);
	t.size = a->type.size > b->type.size ? a->type.size : b->type.size;
	if (a->type.is_signed != b->type.is_signed)	/* the largest of one, the least of the other */
		t.size = 8;
	t.dense = a->type.dense && b->type.dense
		? (a->type.dense > b->type.dense ? a->type.dense : b->type.dense) : 0;
	return t;
}

bool scope_is_text(const struct scope *s, const struct px *e)
{
	return s->table ? !px_is_word(e) : e->type.kind == TY_STRING;
}

bool scope_comparable(const struct scope *s, const struct px *a, const struct px *b)
{
	/* a table has no `as` that would make a number of a thread or a process */
	bool numbers = is_thread(&a->type) && is_thread(&b->type);

	return (s->table && (numbers || (scope_is_text(s, a) && scope_is_text(s, b)))) ||
	       type_comparable(&a->type, &b->type);
}
