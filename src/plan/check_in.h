/*
 * check_in: expressions in expressions. The parts of the checker that call each other:
 *
 *	check.c		the nodes of the syntax, one by one
 *	check_name.c	names: lets, fields, common ones, literals
 *	check_field.c	the values of fields and common names
 *	check_member.c	members, elements, casts
 *	check_recorded.c	the same in a recorded trace
 *	check_table.c	columns: what names and functions are in a table stage
 *	check_op.c	the operators
 *
 * What they all need is below them: check_node.c, check_fold.c, check_scope.c, check_type.c, check_text.c,
 * check_help.c.
 */
#ifndef PLAN_CHECK_IN_H
#define PLAN_CHECK_IN_H

#include "lang/diag_tags.h"
#include "plan/check.h"

/* ---- check.c ---- */
/* Inside: as check_expr, but a struct or an array may result. */
struct px *check_ax(struct scope *s, const struct ax *e);
/* The same of what is only read through: where a trace has a text it has no address of it, and what
 * the programs have instead must not become a value. */
struct px *check_base(struct scope *s, const struct ax *e);

/* ---- check_op.c ---- */
/* check_ax beside a value of type t: a name or text is looked up in t's names first. */
struct px *check_partner(struct scope *s, const struct ax *e, const struct type *t);
struct px *check_unary(struct scope *s, const struct ax *e);
struct px *check_binary(struct scope *s, const struct ax *e);
struct px *check_choice(struct scope *s, const struct ax *e);
struct px *check_in_list(struct scope *s, const struct ax *e);

/* ---- check_name.c ---- */
struct px *check_name(struct scope *s, const struct ax *e);
struct px *check_side(struct scope *s, const struct ax *e);
/* begin.current.X: e is its AX_MEMBER; NULL when it is something else. */
struct px *check_side_current(struct scope *s, const struct ax *e);
/* Kept whole at the begin: its value, or NULL when e isn't all of the begin. */
struct px *check_kept(struct scope *s, const struct ax *e);

/* ---- check_field.c ---- */
struct px *field_value(struct scope *s, const struct side *d, const struct cat_field *f,
		       struct loc loc);
/* At the event of side d: by its bare name, or as `current.`. */
struct px *common_value(struct scope *s, const struct side *d, int id, const struct ax *e,
			bool bare);

/* ---- check_member.c ---- */
struct px *check_member(struct scope *s, const struct ax *e);
struct px *check_index(struct scope *s, const struct ax *e);
struct px *check_as_struct(struct scope *s, const struct ax *e);
struct px *check_as_int(struct scope *s, const struct ax *e);

/* ---- check_recorded.c ---- */
/* Of a recorded event: what the trace tells of members, elements and calls as a whole; NULL:
 * e is no such expression. */
struct px *check_recorded(struct scope *s, const struct ax *e);
/* A mistake, if side d recorded by the name what queries have no values of (an array); or NULL. */
struct px *check_valueless(struct scope *s, const struct side *d, struct str name,
			   struct loc loc);

/* ---- check_table.c ---- */
/* In a table stage: a column, or what only tables have; NULL: e is as everywhere. */
struct px *check_table(struct scope *s, const struct ax *e);
struct px *check_no_column(struct scope *s, const struct ax *e);	/* a mistake: names those there are */

/* ---- check_fold.c ---- */
/* The same value, simpler where it is constant. */
struct px *fold(struct check_env *env, struct px *e);
/* The same; not in a table, which computes in real numbers when it is there. */
struct px *folded(struct scope *s, struct px *e);

#endif
