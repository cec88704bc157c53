/*
 * source: what a kind of event source is. One file each in event/, one row in
 * event/event.c.
 */
#ifndef PLAN_SOURCE_H
#define PLAN_SOURCE_H

#include "lang/ast.h"
#include "lang/catalog.h"
#include "plan/plan.h"
#include "plan/registry.h"

/* Which part of a call a source names. */
enum call_end { CALL_NONE, CALL_PERIOD, CALL_ENTER, CALL_RETURN };

/* One thing that a source's text names: an event, or system calls. */
struct source_match {
	const struct cat_event *event;	/* attached here; of a call the end that is named */
	uint8_t attach;			/* enum attach; TP_BTF stands for either form */
	uint8_t call;			/* enum call_end */
	const char *name;		/* "sched:sched_switch", "syscall:open*", "cpu@99hz" */
	const char *names;		/* of a union's calls: of all its sources; NULL: name */
	const char *short_name;		/* for the column `event`: "sched_switch" */
	struct p_sample sample;
	uint64_t interval_ns;
	VEC(const struct cat_syscall *) calls;	/* of a system call source */
	/* Of a function source, with attach as it fits their number; of a period event
	 * is the return, source_func_event(CAT_FUNC_ENTER) the other end. */
	VEC(const struct cat_function *) functions;
	const char *why;		/* why this attach, for explain */
	struct loc loc;
};

typedef VEC(struct source_match *) source_matches;

struct source_env {
	struct arena *arena;
	struct diag *diag;
	const struct catalog *catalog;
	const struct plan_options *options;
	/* The value of a parameter inside a source's text: cpu@$hz. False: none such. */
	bool (*number)(void *arg, struct str param, int64_t *value);
	void *arg;
	bool params;			/* what is known of a function's parameters is asked for */
};

struct source_ops {
	const char *name;		/* "tracepoint" */
	const char *form;		/* "SYSTEM:EVENT": the texts of `culprit help sources` */
	const char *help;
	const char *example;		/* a query, compiled by tests/cmd/language.sh */
	/* Is this text a source of this kind? Rows are asked in order. */
	bool (*recognise)(const struct ast_source *s);
	/* Adds what the text names and exists here; reports nothing. */
	void (*find)(struct source_env *env, const struct ast_source *s, source_matches *out);
	/* Nothing was found: says what is wrong, with the nearest names. */
	void (*report)(struct source_env *env, const struct ast_source *s);
};

/* The event under all functions: kind CAT_FUNC_ENTER or _RETURN. */
const struct cat_event *source_func_event(enum cat_kind kind);
/* Does a text with parentheses name a program's function? A path has a '/', a library
 * ".so", a process "pid:". */
bool source_is_user_function(struct str text);
/* "f()", "f().enter", "f().return" without what is behind the name; which end is meant. */
struct str source_func_name(struct str text, enum call_end *end);

/* Are calls of x calls of y? In one process alone y has a part of those that x has in all. */
enum func_within { WITHIN_NEVER, WITHIN_SOMETIMES, WITHIN_ALWAYS };
enum func_within source_func_within(const struct cat_function *x, const struct cat_function *y);

bool source_can(const struct catalog *c, enum cat_can what);

/* The kind of this source; NULL: it is of none. */
const struct source_ops *source_find_ops(const struct registry *r, const struct ast_source *s);

#endif
