/*
 * check: expressions of the syntax become typed expressions of the plan.
 *
 * A scope says what names mean at one place: which event a bare field belongs
 * to, whether there is a begin, which lets and parameters there are. check_expr
 * folds constants, reports every mistake to diag and returns a poison typed
 * expression (never NULL) after one, so that one mistake gives one message.
 */
#ifndef PLAN_CHECK_H
#define PLAN_CHECK_H

#include "base/map.h"
#include "lang/ast.h"
#include "plan/plan.h"
#include "plan/registry.h"

/* One side of a period, or a lone event: where fields are looked up. */
struct side {
	const struct cat_event *event;		/* NULL: this side is not there */
	const struct cat_syscall *syscall;	/* its parameters by name, or NULL */
	/* Several system calls at one place, alike in the parameters used: the first
	 * of them is `syscall`; `event` is then the number of the call. */
	bool many_syscalls;
	/* The same of functions: the first of those alike in the parameters used. */
	const struct cat_function *function;
	bool many_functions;
	bool knows_params;			/* a return where they can still be read */
	bool is_return;				/* of a call: has ret, knows the parameters */
	bool ret_may_none;			/* rt_sigreturn is among them: it returns nothing */
	/* Attached in the BTF form or the perf form: which of a field's two ways
	 * PX_FIELD's alt gives. Decided after all uses are known: `form` of struct
	 * form_use below. */
	struct form_use *form;
	const char *name;			/* for messages: "block:block_rq_issue" */
};

/* What the fields used of one attach point demand of its form. */
struct form_use {
	struct loc needs_btf, needs_perf;	/* first use that has no other way; text NULL: none */
	const char *btf_what, *perf_what;	/* its name */
};

/* A let of the branch so far. */
struct scope_let {
	struct str name;
	int index;				/* PX_LET */
	struct type type;
	bool may_none;
};

/* A parameter with its value, see plan/param.h. */
struct param {
	struct str name;
	char letter;
	struct str type_name;
	const char *help;
	bool given;				/* on the command line, or by its default */
	struct px *value;			/* NUMBER or TEXT; NULL when not given */
	struct ax *expr;			/* of type expression: what stands for it */
	struct ast_stage *columns;		/* of type columns: the list that does */
	struct loc loc;
};

struct check_env {
	struct arena *arena;
	struct diag *diag;
	const struct catalog *catalog;
	const struct registry *registry;
	const struct plan_options *options;
	VEC(struct param) params;
	/* some expression is a stack, a program's, a chain of wake-ups */
	bool stacks, user_stacks, user_names, wakers, hogs;
	struct p_period *keeps;		/* what is checked is kept of its keyed begin; NULL: it is not */
	bool flight;			/* and has in_flight() */
	/* view/'s check of a print format: NULL, or the complaint. */
	const char *(*check_format)(struct arena *a, struct str format, const struct column *columns,
				     int n);
};

/* Is it for a recorded trace, which has no memory and no kernel objects? */
static inline bool env_is_recorded(const struct check_env *env)
{
	return env->catalog && env->catalog->ops->told;
}

/* The columns that a table stage sees. */
struct table_scope {
	const struct column *columns;
	int n;
	int *n_delta_slots;
};

struct scope {
	struct check_env *env;
	/* A table stage: names are columns, all values real numbers or texts. NULL: of rows. */
	const struct table_scope *table;
	/* A lone event: begin.event NULL, end is the event. A period: both. What is
	 * kept of the begin (keep calls back with it): end.event NULL, keep NULL. */
	struct side begin, end;
	struct p_period *period;
	/*
	 * Period, resolving what follows the end: an expression of the begin side is
	 * handed to keep(), which returns the PX_SLOT (or PX_BEGIN_TIME, or the
	 * expression itself when its value is the same at the end). Several begins:
	 * keep resolves the expression for each of them; the scope's begin is the first.
	 * It gets whole chains of members, elements and casts, and functions that read
	 * memory (begin.rq.rq_disk.disk_name, str(begin.p)), never arithmetic.
	 */
	struct px *(*keep)(struct scope *s, const struct ax *e);
	void *keep_arg;
	/* The period has not ended: there is no end.X, and bare names are those of any
	 * begin (begin_has). */
	bool open;
	bool (*begin_has)(struct scope *s, struct str name);
	bool has_via;				/* keep() takes via.X, too */
	bool in_end;				/* the where of an end: begin.X may be used */
	/* A return that no longer has its parameters: one of them, kept at the entry. */
	struct px *(*entry_value)(struct scope *s, const struct ax *e);
	void *entry_arg;
	bool args_only;				/* an expression of the catalog over an event's
						 * arguments: fields of the format are not seen */
	bool same_thread;			/* begin and end are always on one thread */
	bool interrupt;				/* no bare pid tid comm uid cgroup task */
	int event_number;			/* value of `event` */
	int end_event_number;			/* value of `end.event` */
	bool many_begins;			/* `event` is begin.event */
	const struct enum_desc *event_names;
	uint32_t n_event_numbers;
	VEC(struct scope_let) lets;
	/* NAME.FIELD of the stage `in`: NULL when e is none. NULL: there is no such stage. */
	struct px *(*in_value)(struct scope *s, const struct ax *e);
	void *in_arg;
	/* The same of `split`: PART.time, PART.count, other, overlap. */
	struct px *(*part_value)(struct scope *s, const struct ax *e);
	void *part_arg;
	/* Fields that this branch lacks but another branch of the union has are none:
	 * is the name known to any branch? NULL: no other branches. */
	bool (*elsewhere)(struct scope *s, struct str name, struct type *type);	/* and says so */
	/* Several sources: a common name is the common value unless every one of them has
	 * a field of that name. NULL: one source, whose own fields come first. */
	bool (*everywhere)(struct scope *s, struct str name);
	void *elsewhere_arg;
};

struct px *check_expr(struct scope *s, const struct ax *e);
/* The same, and it must be a condition (word). */
struct px *check_cond(struct scope *s, const struct ax *e);
/* Warns of what was not meant as a column. */
void check_column(struct scope *s, const struct ax *e, const struct px *x);
/* A constant: number or text, no names but literals, enumerators and parameters. */
struct px *check_const(struct check_env *env, const struct ax *e);

/* Has this side a field, argument, parameter or `ret` of this name? Its type, too. */
bool check_side_has(const struct scope *s, const struct side *side, struct str name,
		    struct type *type);

/* The longest pattern of `~`: one bit of a word for each character. */
#define GLOB_BYTES_MOST 63

int check_common(struct str name);		/* enum common_id, or -1 */
/* Of a call, unless it has a parameter of that name. */
bool check_is_depth(const struct scope *s, struct str name);

/* Rules shared with the plan builder. */
bool type_comparable(const struct type *a, const struct type *b);
/* A literal of a flexible type takes that of its partner. */
void px_adopt_type(struct px *literal, const struct type *t);

/*
 * `where` terms: && is split; a term that holds a parameter that was not given
 * is left out. NULL when nothing is left.
 */
struct ax *where_prune(struct check_env *env, const struct ax *e);
bool cond_is_known(const struct check_env *env, const struct cond *c);	/* there is one, and its P */
bool cond_holds(struct check_env *env, const struct cond *c);	/* if $P; unknown P: diag */

/* ---- making expressions: check_node.c ---- */
struct px *px_new(struct check_env *env, int op, struct loc loc, const struct type *t);
/* With kids, which make it may_none when one of them may be. */
struct px *px_node(struct check_env *env, int op, struct loc loc, const struct type *t,
		   int n, struct px *const *kids);
/* The same of a question, 1 or 0 also where a kid is none. */
struct px *px_truth(struct check_env *env, int op, struct loc loc, int n, struct px *const *kids);
struct px *px_copy(struct check_env *env, const struct px *e);
struct px *px_number(struct check_env *env, struct loc loc, int64_t n, const struct type *t);
struct px *px_bool(struct check_env *env, struct loc loc, bool value);
struct px *px_none(struct check_env *env, struct loc loc);
struct px *px_poison(struct check_env *env, struct loc loc);
/* Reports a mistake; returns a poison. */
struct px *px_wrong(struct check_env *env, const char *tag, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* What is kept of the begin. */
struct px *px_slot(struct check_env *env, const struct p_period *p, int slot, struct loc loc);
/* x op y of two conditions, and x, or y where that is none: one of them may be NULL. */
struct px *px_both(struct check_env *env, int op, struct px *x, struct px *y);
struct px *px_else(struct check_env *env, struct px *x, struct px *y);

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

/* Table stages: an expression over columns, in real numbers. NULL after a mistake. */
struct tx *check_table_expr(struct check_env *env, struct table_scope table, const struct ax *e);

#endif
