/*
 * rules: what the aggregations have in common: type rules and small emitters.
 */
#ifndef AGG_RULES_H
#define AGG_RULES_H

#include "bpf/cg.h"
#include "plan/agg.h"

/* Something that can be added up: a number, a duration, a size. */
bool agg_is_quantity(const struct type *t);
/* The rule of sum avg stddev hist lhist pN: reports and returns false otherwise. */
bool agg_check_quantity(struct diag *d, const struct p_agg *a, struct px *const *args);
/* The type of a value made of values of type t: duration and size stay. */
struct type agg_result_type(const struct type *t);
/* The same as a real number: duration and size stay, an integer becomes a real. */
struct type agg_real_type(const struct type *t);

/* A sum of 64-bit values, signed or not: 128 bits never overflow. */
struct agg_sum_state {
	uint64_t low, high;
};
/* state at off += R1, argument 0. Clobbers R0 R1 R2. */
void agg_emit_sum(struct cg *cg, const struct p_agg *a, uint32_t off);
void agg_sum_merge(struct agg_sum_state *into, const struct agg_sum_state *from);
__int128 agg_sum_of(const struct agg_sum_state *s);

/* R1 = an order-preserving map of R1 to unsigned numbers. Clobbers R2. */
void agg_emit_order(struct cg *cg, const struct type *t);

static inline struct cell agg_none(void)
{
	return (struct cell){ .kind = CELL_NONE };
}

static inline struct cell agg_int(int64_t i)
{
	return (struct cell){ .kind = CELL_INT, .i = i };
}

static inline struct cell agg_number(double r)
{
	return (struct cell){ .kind = CELL_REAL, .r = r };
}

#endif
