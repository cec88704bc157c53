/*
 * px: a typed expression of the plan, bound to one event (or to the two ends
 * of a period). Built by plan/check, emitted by bpf/cg_expr.
 *
 * Comparisons (and / % >> and min, max) are of signed numbers when both operands
 * are signed; && || ! take words, pointers too, and any but 0 is true.
 *
 * None: an expression whose value may be missing has may_none; the emitter
 * jumps to a label instead of making a value. What is none always was folded to
 * PX_NONE by the checker. A comparison, ~ or `in` with none is false; as a condition
 * (of && || ! and ?:) none itself is false, too.
 */
#ifndef PLAN_EXPR_H
#define PLAN_EXPR_H

#include "base/diag.h"
#include "lang/ast.h"
#include "lang/catalog.h"
#include "table/type.h"

enum px_op {
	PX_NUMBER,	/* number */
	PX_TEXT,	/* text, a constant string */
	PX_NONE,
	PX_FIELD,	/* field of the event this is bound to; alt is the same value from
			 * the BTF arguments when the event is attached in that form;
			 * kids[0], if there is one, the value in the perf form: an
			 * expression over what is stored, field->raw */
	PX_COMMON,	/* common */
	PX_SLOT,	/* value `index` kept at the begin of the period */
	PX_FRAME,	/* of a function: a number that is the same at the entry and the return
			 * of one call and at no other call open on the thread */
	PX_DEPTH,	/* of a call: how many of its period were open on the thread when it began */
	PX_TREE_ROWS,	/* of `tree`: how many rows this thread made since nothing was open, with
			 * this one */
	PX_DURATION,	/* end time - begin time */
	PX_BEGIN_TIME,
	PX_LET,		/* row-stage let `index` of the branch */
	PX_LOAD,	/* memory at kids[0] (an address) + offset: a word of type.size
			 * bytes (bit field: bit_offset, bit_size), or a STRING of at most
			 * type.bytes there */
	PX_ADDR,	/* kids[0] + offset: a STRUCT or ARRAY inside another */
	PX_ELEMENT,	/* address of element kids[1] of the array at kids[0]: stride
			 * bytes each; none when not 0 <= index < number; number < 0:
			 * a pointer's, without a bound */
	PX_UNARY, PX_BINARY,	/* op; also && || and, on strings, == != */
	PX_MATCH,	/* kids[0] ~ text (a glob) */
	PX_COND,	/* kids[0] ? kids[1] : kids[2] */
	PX_IN,		/* kids[0] in kids[1..]: all constants */
	PX_NARROW,	/* kids[0] cut to type.size bytes, sign as type */
	PX_CALL,	/* func over kids. Constant arguments are
			 * in the node: str cmdline argv: type.bytes; ip: stride, the
			 * address's bytes (4: kids[0] may be a word, else it is where
			 * they are); path: kids[0] is where the struct path is */
	PX_ELSE,	/* kids[0], or kids[1] where that is none (a string that was absent at
			 * the entry of a system call is read again at its return) */
	PX_OPEN,	/* 1 while the period of `look` is open for this event, else none */
	PX_OPEN_SLOT,	/* value `index` of its begin; none when it is not open */
	PX_OPEN_TIME,	/* when it began */
	PX_OPEN_DEPTH,	/* of a call: as PX_DEPTH */
	PX_FOLLOWED,	/* is the task kids[0] the command of `-- COMMAND` or a descendant? */
	PX_HERE,	/* `common` PID or TID as culprit's own PID namespace has it; 0: in another */
	PX_REAL,	/* real. This and the next only in table stages */
	PX_COLUMN	/* the column `index` */
};

/* Rows of lang/common.def. */
enum common_id {
#define COMMON(id, name, kind, ...) COMMON_##id,
#include "lang/common.def"
#undef COMMON
	COMMONS
};

enum space { SPACE_KERNEL, SPACE_USER, SPACE_EITHER };	/* EITHER: by the top bit, at run time */

struct func_ops;
struct p_look;

struct px {
	uint8_t op;			/* enum px_op */
	uint8_t c_op;			/* UNARY BINARY: enum op_id */
	uint8_t common;
	uint8_t space;			/* LOAD ADDR ELEMENT, CALL str: enum space */
	uint8_t bit_offset, bit_size;	/* LOAD */
	bool may_none;
	bool absent_is_none;		/* CALL str: an absent user page makes none, uncounted,
					 * instead of "<absent>" */
	/* LOAD: kids[0] is a pointer the verifier knows the type of, so the load is
	 * one instruction; else through probe_read. */
	bool direct;
	struct type type;
	struct loc loc;
	int64_t number;			/* NUMBER; ELEMENT: how many */
	double real;
	uint32_t offset, stride;
	int index;			/* and COMMON: value of `event` where it is no call; CALL in a
					 * table stage: which memory of the last interval */
	struct str text;		/* TEXT, MATCH; LOAD, ADDR: the member, for px_print */
	const struct cat_field *field;
	struct px *alt;
	const struct func_ops *func;	/* CALL */
	const struct p_look *look;	/* OPEN OPEN_SLOT OPEN_TIME */
	int n_kids;
	struct px **kids;
};

/* Where a pointer points to; -1 when it is none. */
int px_space(const struct px *e);
bool px_is_string_call(const struct px *e);	/* str(pointer) */
bool px_is_number(const struct px *e, int64_t *value);
/* Are two words compared with their signs? If one has a sign and the other fits: an unsigned one of
 * less than 64 bits does, so that -1 < some_u32. */
bool px_compares_signed(const struct px *a, const struct px *b);
bool px_equal(const struct px *a, const struct px *b);
/* Does any part of e satisfy the test? */
bool px_any(const struct px *e, bool (*test)(const struct px *e, void *arg), void *arg);
void px_print(const struct px *e, struct buf *out);

#endif
