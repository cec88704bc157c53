/* What was meant in another way: what to write instead. See check_help.h. */
#include "plan/check_help.h"

#include <string.h>

#include "base/near.h"
#include "lang/diag_tags.h"
#include "lang/habit.h"
#include "plan/check_scope.h"
#include "plan/check_text.h"

/* ---- names ---- */

#define NAMES_MOST 24

/* " fd buf ...": at most NAMES_MOST. */
static void add_names(struct buf *b, const char *const *names, int n)
{
	for (int i = 0; i < n && i < NAMES_MOST; i++)
		buf_printf(b, " %s", names[i]);
	if (n > NAMES_MOST)
		buf_puts(b, " ...");
}

void help_names(struct check_env *env, struct str name, const char *what,
		const char *const *names, int n)
{
	const char *near = n ? str_nearest(name, names, n) : NULL;
	struct buf b = { 0 };

	if (near)
		buf_printf(&b, "did you mean '%s'? ", near);
	if (n)
		buf_printf(&b, "%s:", what);
	add_names(&b, names, n);
	if (b.n)
		diag_help(env->diag, "%s", b.p);
	buf_fini(&b);
}

/* What each row of the scope has besides its fields. */
static void list_common(const struct scope *s, name_list *l)
{
	if (scope_is_period(s))
		vec_push(s->env->arena, l, "duration");
	if (s->period && s->period->is_call)
		vec_push(s->env->arena, l, "depth");
	for (int i = 0; i < COMMONS; i++)
		vec_push(s->env->arena, l, common_names[i]);
}

/* The names that the query itself gives. */
static void list_own(const struct scope *s, name_list *l)
{
	struct arena *a = s->env->arena;

	for (int i = 0; i < s->lets.n; i++)
		vec_push(a, l, arena_strndup(a, s->lets.v[i].name.p, (size_t)s->lets.v[i].name.n));
	for (int i = 0; i < s->env->params.n; i++)
		vec_push(a, l, arena_printf(a, "$%.*s", STR_ARG(s->env->params.v[i].name)));
}

/* The names are listed where the nearest is a field's, or none is near. */
void help_fields(struct scope *s, const struct side *a, const struct side *b, struct str name)
{
	struct arena *arena = s->env->arena;
	name_list fields = { 0 }, common = { 0 }, all = { 0 };
	struct buf help = { 0 };
	const char *near;
	bool listed;

	if (habit_help(s->env->diag, HABIT_NAME, name))
		return;
	side_list(s->env, &fields, a);
	if (b)
		side_list(s->env, &fields, b);
	list_common(s, &common);
	for (int i = 0; i < fields.n; i++)
		vec_push(arena, &all, fields.v[i]);
	for (int i = 0; i < common.n; i++)
		vec_push(arena, &all, common.v[i]);
	list_own(s, &all);
	near = str_nearest(name, all.v, all.n);
	listed = near ? str_nearest(name, fields.v, fields.n) == near
		      : !a->function || !a->function->no_names;
	if (near)
		buf_printf(&help, "did you mean '%s'?%s", near, listed ? " " : "");
	else if (!listed)
		buf_printf(&help, "its parameters are arg0 to arg5, without names: %s",
			   a->function->no_names);
	if (listed) {
		buf_puts(&help, fields.n ? "fields:" : "of each row:");
		add_names(&help, fields.v, fields.n);
		buf_puts(&help, fields.n ? "; of each row:" : "");
		add_names(&help, common.v, common.n);
	}
	diag_help(s->env->diag, "%s", help.p);
	buf_fini(&help);
}

/* ---- values ---- */

/* What has which type, and its text between these two; behind NULL: without it. */
static const struct row {
	uint8_t type;
	const char *before, *behind;
} rows[] = {
	{ TY_PTR,      "for the text that it points to write str(", ")" },
	{ TY_UADDR,    "for the text that it points to write str(", ")" },
	{ TY_INT,      "a text is no number: write -ENOENT, SIGTERM or 0x40 without quotes, or a function that names it, "
		       "as errno(ret) (culprit help functions)", NULL },
	{ TY_ERRNO,    "write the name without quotes: ENOENT", NULL },
	{ TY_SIGNAL,   "write the name without quotes: SIGTERM", NULL },
	{ TY_DURATION, "write it without quotes: 1ms", NULL },
	{ TY_SIZE,     "write it without quotes: 4KiB", NULL },
	{ TY_TIME,     "write it without quotes: 1ms", NULL },
	{ TY_PATH,     "count by it and filter the table: | count by file = ", " | where file ~ \"*.log\"" },
	{ TY_ARGS,     "count by it and filter the table: | count by args = ", " | where args ~ \"*-v*\"" },
	{ TY_IP,       "count by it and filter the table: | count by addr = ", " | where addr == \"10.0.0.1\"" },
	{ TY_ENUM,     "compare it with one of its names or a pattern: ~ \"...*\"", NULL },
	{ TY_FLAGS,    "compare it with one of its names or a pattern: ~ \"...*\"", NULL },
	{ TY_EVENT,    "compare it with one of its names or a pattern: ~ \"...*\"", NULL },
	{ TY_BLKFLAGS, "compare it with one of its names or a pattern: ~ \"...*\"", NULL },
};

void check_help_no_text(struct check_env *env, const struct px *e)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		if (r->type != e->type.kind)
			continue;
		if (r->behind)
			diag_help(env->diag, "%s%.*s%s", r->before, STR_ARG(loc_text(e->loc)), r->behind);
		else
			diag_help(env->diag, "%s", r->before);
		return;
	}
}

void check_column(struct scope *s, const struct ax *e, const struct px *x)
{
	struct str name = e->text;

	if (e->kind != AX_NAME)
		return;
	if (x->op == PX_NUMBER && !px_is_poison(x)) {
		diag_warning(s->env->diag, DIAG_CONSTANT_COLUMN, e->loc,
			     "no field '%.*s' here: it is a constant of the kernel, %lld", STR_ARG(name), (long long)x->number);
		diag_help(s->env->diag, "culprit help SOURCE shows the fields");
	} else if (px_is_text_address(s->env, x)) {
		diag_warning(s->env->diag, DIAG_ADDRESS_COLUMN, e->loc, "%.*s is the address of a text", STR_ARG(name));
		diag_help(s->env->diag, "for the text write str(%.*s)", STR_ARG(name));
	}
}

/* bcc's users think in microseconds. */
static void warn_bare(struct scope *s, const struct px *d, const struct px *n)
{
	if (d->type.kind != TY_DURATION || n->op != PX_NUMBER || n->type.kind != TY_INT || !n->number)
		return;
	diag_warning(s->env->diag, DIAG_BARE_NUMBER, n->loc, "no unit: %.*s means %.*s ns",
		     STR_ARG(loc_text(n->loc)), STR_ARG(loc_text(n->loc)));
	diag_help(s->env->diag, "write the unit: ns us ms s m h");
}

/* The kernel's numbers of states differ between its versions, and are not these. */
static bool is_state_number(struct scope *s, const struct px *state, const struct px *n)
{
	if (state->type.en != &task_state_enum || n->op != PX_NUMBER || n->type.kind != TY_INT)
		return false;
	diag_error(s->env->diag, DIAG_TYPE_MISMATCH, n->loc, "a task's state is not compared with a number");
	diag_help(s->env->diag, "write its name: running preempted sleeping disk stopped traced idle dead");
	return true;
}

static void warn_pattern(struct scope *s, const char *op, const struct px *text)
{
	if (text->op != PX_TEXT || !memchr(text->text.p, '*', (size_t)text->text.n))
		return;
	diag_warning(s->env->diag, DIAG_PATTERN_COMPARED, text->loc, "'%s' compares letter by letter, * too",
		     op);
	diag_help(s->env->diag, "for a pattern write A ~ B, and !(A ~ B) for what does not match");
}

/* Calls of the kernel return -ENOENT. */
static void warn_errno(struct scope *s, const struct px *a, const struct px *n)
{
	if (!(s->begin.syscall || s->end.syscall) || a->type.kind != TY_INT || a->op == PX_NUMBER ||
	    n->op != PX_NUMBER || n->type.kind != TY_ERRNO || n->number <= 0)
		return;
	diag_warning(s->env->diag, DIAG_POSITIVE_ERRNO, n->loc, "calls of the kernel return errors as negative numbers");
	diag_help(s->env->diag, "write %.*s == -%.*s, or errno(%.*s) == %.*s", STR_ARG(loc_text(a->loc)),
		  STR_ARG(loc_text(n->loc)), STR_ARG(loc_text(a->loc)), STR_ARG(loc_text(n->loc)));
}

/* What a value as it is loaded can be, from and to. */
static bool range_of(const struct px *e, __int128 *least, __int128 *most)
{
	int bits = e->bit_size ? e->bit_size : 8 * e->type.size;

	if (!px_is_word(e) || e->type.kind == TY_BOOL || e->type.en || e->op == PX_NUMBER || e->op == PX_UNARY ||
	    e->op == PX_BINARY || e->op == PX_CALL || !bits)
		return false;
	bits -= e->type.is_signed;
	*most = ((__int128)1 << bits) - 1;
	*least = e->type.is_signed ? -*most - 1 : 0;
	return true;
}

/* fd < 0 of an unsigned fd. */
static void warn_range(struct scope *s, const char *op, const struct px *e, const struct px *n, bool number_first)
{
	bool less = *op == (number_first ? '>' : '<'), more = *op == (number_first ? '<' : '>'), or_same = op[1] == '=';
	__int128 least, most, number = n->number;
	struct str text = loc_text(n->loc);

	if (n->op != PX_NUMBER || s->table || !range_of(e, &least, &most) || !strcmp(op, "!="))
		return;
	if (n->number < 0 && !(text.n && *text.p == '-'))
		number = (uint64_t)n->number;		/* 0xffffffffffffffff */
	if ((more || number >= least + (less && !or_same)) && (less || number <= most - (more && !or_same)))
		return;
	diag_warning(s->env->diag, DIAG_NEVER_HOLDS, n->loc, "never true: '%.*s' is from %lld to %llu",
		     STR_ARG(loc_text(e->loc)), (long long)least, (unsigned long long)most);
	if (number < 0 && !least)
		diag_help(s->env->diag, "for the same bits with a sign write (%.*s as s%d)", STR_ARG(loc_text(e->loc)),
			  8 * e->type.size);
}

/* flags & 1 == 0: C's precedence, which nobody means. */
static void help_bits(struct scope *s, const struct ax *e, const struct ax *compared)
{
	const struct ax *a = compared->kids[0], *b = compared->kids[1];
	struct str whole = loc_text(compared->loc), bits = str_of(op_text(e->op));
	int end = a->loc.at + a->loc.n - compared->loc.at, begin = b->loc.at - compared->loc.at;

	if (compared == e->kids[1])
		diag_help(s->env->diag, "write (%.*s %.*s %.*s)%.*s", STR_ARG(loc_text(e->kids[0]->loc)), STR_ARG(bits),
			  STR_ARG(loc_text(a->loc)), whole.n - end, whole.p + end);
	else
		diag_help(s->env->diag, "write %.*s(%.*s %.*s %.*s)", begin, whole.p, STR_ARG(loc_text(b->loc)),
			  STR_ARG(bits), STR_ARG(loc_text(e->kids[1]->loc)));
}

bool check_bits(struct scope *s, const struct ax *e, struct px *const kids[2])
{
	for (int i = 0; i < 2; i++) {
		const struct ax *k = e->kids[i];
		bool compares = k->kind == AX_IN || (k->kind == AX_BINARY && op_compares(k->op));

		if (!compares || kids[1 - i]->type.kind == TY_BOOL)
			continue;
		diag_error(s->env->diag, DIAG_BITS_COMPARED, k->loc, "this comparison is made first, '%s' takes its result",
			   op_text(e->op));
		help_bits(s, e, k);
		return false;
	}
	return true;
}

bool check_compared(struct scope *s, const char *op, const struct px *a, const struct px *b)
{
	if (is_state_number(s, a, b) || is_state_number(s, b, a))
		return false;
	warn_pattern(s, op, b);
	warn_bare(s, a, b);
	warn_bare(s, b, a);
	warn_errno(s, a, b);
	warn_errno(s, b, a);
	warn_range(s, op, a, b, false);
	warn_range(s, op, b, a, true);
	return true;
}

void check_warn_unit_left(struct scope *s, const struct px *value, const struct px *by)
{
	static const struct {
		uint8_t type;
		int64_t number;
		const char *unit;
	} units[] = {
		{ TY_DURATION, 1000, "us" }, { TY_DURATION, 1000000, "ms" }, { TY_DURATION, 1000000000, "s" },
		{ TY_SIZE, 1024, "KiB" }, { TY_SIZE, 1048576, "MiB" },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (by->op != PX_NUMBER || by->type.kind != TY_INT || value->type.kind != units[i].type ||
		    by->number != units[i].number)
			continue;
		diag_warning(s->env->diag, DIAG_UNIT_LEFT, by->loc, "%s divided by a plain number is %s still",
			     units[i].type == TY_SIZE ? "a size" : "a time", units[i].type == TY_SIZE ? "a size" : "a time");
		diag_help(s->env->diag, "values are shown with a unit that fits; for a plain number write / 1%s", units[i].unit);
	}
}
