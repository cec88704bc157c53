/*
 * check_in: what the parts of the expression checker offer each other.
 *
 *	check.c		the nodes of the syntax, one by one
 *	check_node.c	those of what is made of it
 *	check_name.c	names: lets, fields, common ones, literals
 *	check_field.c	the values of fields and common names
 *	check_member.c	members, elements, casts
 *	check_told.c	the same in a recorded trace
 *	check_table.c	columns: what names and functions are in a table stage
 *	check_op.c	the operators' type rules
 *	check_list.c	`in` and `~`
 *	check_fold.c	constants
 *	check_compare.c	comparisons that were meant in another way
 *	func.c		functions, see func.h
 */
#ifndef PLAN_CHECK_IN_H
#define PLAN_CHECK_IN_H

#include "plan/check.h"
#include "lang/diag_tags.h"

#define STRING_BYTES_USUAL 128

/* Inside: as check_expr, but a struct or an array may result. */
struct px *check_ax(struct scope *s, const struct ax *e);
/* The same of what is only read through: where a trace has a text it has no address of it, and what
 * the programs have instead must not become a value. */
struct px *check_base(struct scope *s, const struct ax *e);
/* The same beside a value of type t: a name or text is looked up in t's names first. */
struct px *check_partner(struct scope *s, const struct ax *e, const struct type *t);

/* Reports a mistake; returns a poison. */
struct px *px_wrong(struct check_env *env, const char *tag, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* What to write for e in place of comparing it with a text. */
void check_help_no_text(struct check_env *env, const struct px *e);
/* Types that go together: warns of what is compared in vain. False: it is a mistake. */
bool check_compared(struct scope *s, const char *op, const struct px *a, const struct px *b);
/* A bits operator beside a comparison. False: it is a mistake. */
bool check_bits(struct scope *s, const struct ax *e, struct px *const kids[2]);
/* duration / 1000000 was meant as milliseconds. */
void check_warn_unit_left(struct scope *s, const struct px *value, const struct px *by);

static inline bool px_is_poison(const struct px *e)
{
	return e->type.kind == TY_POISON;
}

static inline bool px_is_none(const struct px *e)
{
	return e->op == PX_NONE;
}

static inline bool px_is_word(const struct px *e)
{
	return type_is_word(&e->type);
}

/* ---- check_name.c: what a bare name is of ---- */
bool scope_is_period(const struct scope *s);
bool scope_is_call(const struct scope *s);	/* the parameters are the same at both ends */
/* The side of a lone event, of the begin alone, of the end's `where`. */
const struct side *scope_lone_side(const struct scope *s);

/* ---- check_field.c ---- */
static inline bool side_is_there(const struct side *d)
{
	return d->event || d->syscall;
}

extern const char *const common_names[];
bool side_has_param(const struct side *d, struct str name);
/* f, which may be NULL, unless it is one that the begin of a call does not tell. */
const struct cat_field *side_tells(const struct side *d, const struct cat_field *f);
const struct cat_field *side_field(const struct scope *s, const struct side *d, struct str name);
/* Its fields, arguments and parameters. */
typedef VEC(const char *) name_list;
void side_list(struct check_env *env, name_list *l, const struct side *d);
const char *side_name(const struct side *d);
struct px *field_value(struct scope *s, const struct side *d, const struct cat_field *f,
		       struct loc loc);
/* At the event of side d: by its bare name, or as `current.`. */
struct px *common_value(struct scope *s, const struct side *d, int id, const struct ax *e,
			bool bare);

/* ---- check_name.c ---- */
struct px *check_name(struct scope *s, const struct ax *e);
struct px *check_side(struct scope *s, const struct ax *e);
/* begin.current.X: e is its AX_MEMBER; NULL when it is something else. */
struct px *check_side_current(struct scope *s, const struct ax *e);
/* Is a bare name a let, a field or a common one here? */
bool name_is_bound(const struct scope *s, struct str name);
/* Kept whole at the begin: its value, or NULL when e isn't all of the begin. */
struct px *check_kept(struct scope *s, const struct ax *e);
/* "did you mean 'X'? names: ..." as help of the last mistake. */
void help_names(struct check_env *env, struct str name, const char *what,
		const char *const *names, int n);

/* ---- check_member.c ---- */
struct px *check_member(struct scope *s, const struct ax *e);
struct px *check_index(struct scope *s, const struct ax *e);
struct px *check_as_struct(struct scope *s, const struct ax *e);
struct px *check_as_int(struct scope *s, const struct ax *e);
/* A char pointer of the kernel or an array of char becomes its string. */
struct px *px_as_string(struct check_env *env, struct px *e);
bool px_is_text_address(struct check_env *env, const struct px *e);	/* a program's, too */
struct px *px_as_address(struct px *e);		/* a string at a char pointer: the pointer again */

/* ---- check_told.c ---- */
/* Of a recorded event: what the trace tells of members, elements and calls as a whole; NULL:
 * e is no such expression. */
struct px *check_told(struct scope *s, const struct ax *e);
/* A mistake, if side d recorded by the name what queries have no values of (an array); or NULL. */
struct px *check_valueless(struct scope *s, const struct side *d, struct str name,
			   struct loc loc);

/* ---- check_table.c ---- */
/* In a table stage: a column, or what only tables have; NULL: e is as everywhere. */
struct px *check_table(struct scope *s, const struct ax *e);
bool table_has_column(const struct table_scope *t, struct str name);
struct px *check_no_column(struct scope *s, const struct ax *e);	/* a mistake: names those there are */

/* ---- check_op.c: types beside each other ---- */
bool type_is_memory(const struct type *t);		/* a struct, an array */
bool type_has_names(const struct type *t);		/* its values do */
/* A text; in a table any value that is no number is its text. */
bool scope_is_text(const struct scope *s, const struct px *e);
bool scope_comparable(const struct scope *s, const struct px *a, const struct px *b);
struct px *px_mismatch(struct scope *s, struct loc loc, const struct px *a, const char *what,
		       const struct px *b);
/* fold(); not in a table, which computes in real numbers when it is there. */
struct px *folded(struct scope *s, struct px *e);

/* ---- check_op.c ---- */
struct px *check_unary(struct scope *s, const struct ax *e);
struct px *check_binary(struct scope *s, const struct ax *e);
struct px *check_choice(struct scope *s, const struct ax *e);
/* Makes a literal of the two fit the other; false and a mistake if they don't go
 * together. */
bool px_unify(struct scope *s, struct loc loc, struct px *a, struct px *b);
/* What a choice between the two is: literals adopted before. */
struct type type_common(const struct px *a, const struct px *b);

/* ---- check_list.c ---- */
struct px *check_in_list(struct scope *s, const struct ax *e);
struct px *check_match(struct scope *s, const struct ax *e);

/* ---- check_fold.c ---- */
/* The same value, simpler where it is constant. */
struct px *fold(struct check_env *env, struct px *e);
int64_t narrow_number(int64_t n, const struct type *t);

/* ---- func.c ---- */
struct px *check_call(struct scope *s, const struct ax *e);

#endif
