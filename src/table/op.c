/* The values of the operators. See op.h and op.def. */
#include "table/op.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- of whole numbers: two's complement ---- */

static int64_t whole_add(struct op_numbers n) { return (int64_t)((uint64_t)n.a + (uint64_t)n.b); }
static int64_t whole_sub(struct op_numbers n) { return (int64_t)((uint64_t)n.a - (uint64_t)n.b); }
static int64_t whole_mul(struct op_numbers n) { return (int64_t)((uint64_t)n.a * (uint64_t)n.b); }
static int64_t whole_and(struct op_numbers n) { return n.a & n.b; }
static int64_t whole_or(struct op_numbers n) { return n.a | n.b; }
static int64_t whole_xor(struct op_numbers n) { return n.a ^ n.b; }
static int64_t whole_not(struct op_numbers n) { return !n.a; }
static int64_t whole_inv(struct op_numbers n) { return ~n.a; }
static int64_t whole_neg(struct op_numbers n) { return (int64_t)(0 - (uint64_t)n.a); }

static int64_t whole_div(struct op_numbers n)
{
	if (!n.b)
		return 0;
	if (!n.is_signed)
		return (int64_t)((uint64_t)n.a / (uint64_t)n.b);
	return n.b == -1 ? whole_neg(n) : n.a / n.b;
}

static int64_t whole_mod(struct op_numbers n)
{
	if (!n.b)
		return 0;
	if (!n.is_signed)
		return (int64_t)((uint64_t)n.a % (uint64_t)n.b);
	return n.b == -1 ? 0 : n.a % n.b;
}

static int64_t whole_shl(struct op_numbers n)
{
	return (int64_t)((uint64_t)n.a << (n.b & 63));
}

static int64_t whole_shr(struct op_numbers n)
{
	return n.is_signed ? n.a >> (n.b & 63) : (int64_t)((uint64_t)n.a >> (n.b & 63));
}

/* ---- of real numbers ---- */

static long double real_add(long double a, long double b) { return a + b; }
static long double real_sub(long double a, long double b) { return a - b; }
static long double real_mul(long double a, long double b) { return a * b; }
static long double real_div(long double a, long double b) { return b == 0 ? NAN : a / b; }

static long double real_mod(long double a, long double b)
{
	int64_t times;

	if (b == 0 || !op_fits_word(a / b, &times))
		return NAN;
	return a - b * (a / b < 0 ? (long double)times : (long double)(uint64_t)times);
}

static long double real_neg(long double a, long double b)
{
	(void)b;
	return -a;
}

/* ---- the table ---- */

enum { LESS = 1, SAME = 2, MORE = 4 };

#define WHOLE(f) .whole = whole_##f
#define REAL(f) .whole = whole_##f, .real = real_##f
#define HOLDS(orders) .holds = orders
#define NOTHING .whole = NULL

const struct op op_table[OPS] = {
#define OP(id, text_, prec_, arity_, class_, value, ...) \
	[OP_##id] = { .text = text_, .prec = prec_, .arity = arity_, .class = CLASS_##class_, value },
#include "table/op.def"
#undef OP
};

int op_find(const char *text, int arity)
{
	for (int i = 0; i < OPS; i++)
		if (op_table[i].arity == arity && !strcmp(op_table[i].text, text))
			return i;
	return -1;
}

bool op_holds(int op, int order)
{
	return op_table[op].holds & (order < 0 ? LESS : order ? MORE : SAME);
}

int64_t op_whole(int op, struct op_numbers n)
{
	int order = n.is_signed ? (n.a > n.b) - (n.a < n.b)
				: ((uint64_t)n.a > (uint64_t)n.b) - ((uint64_t)n.a < (uint64_t)n.b);

	return op_table[op].holds ? op_holds(op, order) : op_table[op].whole(n);
}

bool op_fits_word(long double x, int64_t *bits)
{
	if (!(x >= -9223372036854775808.0L && x < 18446744073709551616.0L))
		return false;
	*bits = x < 9223372036854775808.0L ? (int64_t)x : (int64_t)(uint64_t)x;
	return true;
}

long double op_real(int op, long double a, long double b, bool is_signed)
{
	/* a number that has no room for a sign has none */
	struct op_numbers n = { .is_signed = is_signed && a < 0x1p63L &&
					     (b < 0x1p63L || op_class(op) == CLASS_SHIFT) };
	int64_t bits;

	if (op_table[op].real)
		return op_table[op].real(a, b);
	if (!op_fits_word(a, &n.a) || !op_fits_word(b, &n.b))
		return NAN;
	bits = op_table[op].whole(n);
	return n.is_signed ? (long double)bits : (long double)(uint64_t)bits;
}
