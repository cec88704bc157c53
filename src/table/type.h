/*
 * type: what a value means, from the query to the last view.
 *
 * Every value has one. It says which operations make sense (adding a duration
 * to a size is an error before anything is attached) and how a view shows it.
 * Values of a "word" kind are one 64-bit integer wherever they are (register,
 * key, record, cell); the others are `bytes` bytes.
 */
#ifndef TABLE_TYPE_H
#define TABLE_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* Rows of table/type.def: TYPE(kind, name, is_word, number_rule).
 * The name is what messages, `list` and JSON's schema call it. */
enum type_kind {
#define TYPE(kind, name, word) TY_##kind,
#include "table/type.def"
#undef TYPE
	TY_KINDS
};

/* The names of an enum's or flag word's values. Sorted by nothing; small. */
struct enum_desc {
	const char *name;		/* "req_op", "task_state" */
	const struct enum_value {
		const char *name;
		int64_t value;
	} *values;
	int n;
};

struct type {
	uint8_t kind;			/* enum type_kind */
	bool is_signed;			/* of the 64-bit value, for / % >> < > */
	bool user;			/* PTR: into user space; STRING behind a PTR: a program's */
	bool maybe_user;		/* PTR: of a caller, with no word of whose memory */
	bool quoted;			/* ARGS: shown with quotes where a shell needs them */
	uint8_t size;			/* word kinds: bytes as declared, 1 2 4 8 */
	uint8_t of;			/* HIST, BUCKET: enum type_kind of the values,
					 * DURATION in ns; 0: plain integers */
	uint32_t bytes;			/* STRING, BYTES: room for it, with the NUL */
	uint32_t dense;			/* values are 0 .. dense - 1; 0: not known so */
	const struct enum_desc *en;	/* ENUM, FLAGS, SYSCALL, EVENT: names, or NULL */
	uint32_t ktype;			/* PTR: what it points to; STRUCT, ARRAY: what it
					 * is; a type number of the catalog, 0: none */
};

/* What stands for a stack wherever it is kept: a hash of its frames, which are once in
 * a table. `stack` is two, the kernel's and the program's; all zero: there is none. */
#define STACK_ID_BYTES 16

/* struct img_head, before the text of ARGS and PATH where it is stored. In cells they are
 * the text as it is shown. */
#define TEXT_HEAD_BYTES 8

const char *type_name(const struct type *t);	/* "duration" */
bool type_is_word(const struct type *t);
/* Before the text where it is stored: TEXT_HEAD_BYTES of ARGS and PATH, else 0. */
uint32_t type_head_bytes(const struct type *t);

extern const struct type type_int, type_uint, type_bool, type_duration, type_size, type_time,
	type_real, type_none, type_poison;

/* The canonical states of a task, whatever the kernel calls them: running
 * preempted sleeping disk stopped traced idle dead (language.md). */
extern const struct enum_desc task_state_enum;
extern const struct type type_task_state;
enum task_state {
	STATE_RUNNING, STATE_PREEMPTED, STATE_SLEEPING, STATE_DISK, STATE_STOPPED,
	STATE_TRACED, STATE_IDLE, STATE_DEAD, STATES
};

#endif
