/*
 * op: the operators, rows of op.def, and what they make of numbers. Constant folding and
 * the expressions of tables compute with the same rows.
 */
#ifndef TABLE_OP_H
#define TABLE_OP_H

#include <stdbool.h>
#include <stdint.h>

enum op_id {
#define OP(id, ...) OP_##id,
#include "table/op.def"
#undef OP
	OPS
};

enum op_class {
	CLASS_ARITH, CLASS_BITS, CLASS_SHIFT, CLASS_COMPARE, CLASS_EQUAL, CLASS_LOGIC, CLASS_MATCH
};

struct op_numbers {
	int64_t a, b;			/* of one operand: a */
	bool is_signed;
};

struct op {
	const char *text;
	uint8_t prec, arity;
	uint8_t class;			/* enum op_class */
	uint8_t holds;			/* a comparison: for which order, see op_holds */
	/* In 64 bits, as a program does; what is divided by 0 is 0. */
	int64_t (*whole)(struct op_numbers n);
	/* NAN: none. NULL: as the whole numbers. */
	long double (*real)(long double a, long double b);
};

extern const struct op op_table[OPS];

static inline enum op_class op_class(int op)
{
	return op_table[op].class;
}

static inline const char *op_text(int op)
{
	return op_table[op].text;
}

/* The operator of this sign and arity, or -1. */
int op_find(const char *text, int arity);
static inline bool op_compares(int op)
{
	return op_table[op].holds;
}
/* Does a comparison hold where the order, of which only the sign counts, is a - b? */
bool op_holds(int op, int order);
/* The value of whole numbers, comparisons too. */
int64_t op_whole(int op, struct op_numbers n);
/* The same of real ones, of an operator that does not compare, as a number of 64 bits where it is one of
 * bits. NAN: none. */
long double op_real(int op, long double a, long double b, bool is_signed);
/* Is x one of 64 bits, signed or not? Its bits. */
bool op_fits_word(long double x, int64_t *bits);

#endif
