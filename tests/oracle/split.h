/*
 * split: what a row's duration was made of, told for each time between two
 * moments by what was open then.
 */
#ifndef ORACLE_SPLIT_H
#define ORACLE_SPLIT_H

#include "oracle/eval.h"

/* A part that began where a row was open: the row's, wherever it ends. */
struct credit {
	const struct opened *row, *part;
	int number;			/* of the row's parts */
};

typedef VEC(struct credit) credit_list;

static void credit_add(credit_list *all, struct eval *v, const struct p_action *act, const struct opened *part)
{
	for (int i = 0; i < act->period->tickets.n && act->looks; i++) {
		const struct p_ticket *t = &act->period->tickets.v[i];
		const struct opened *row = find_looked(v, act->looks[i]);

		if (row && (t->cond_slot < 0 || is_true(part->begun->slots[t->cond_slot])))
			vec_push(v->arena, all, ((struct credit){ row, part, t->part }));
	}
}

static bool is_open_at(const struct opened *o, uint64_t time_ns)
{
	return o->begun->at->time_ns <= time_ns && time_ns < o->until_ns;
}

/* Adds so long to what is open then: to the innermost on the thread, and to each other part once. */
static void split_moment(const credit_list *all, const struct opened *row, uint64_t time_ns, uint64_t ns,
			 uint64_t *times, uint64_t *covered)
{
	const struct p_split *s = row->period->split;
	const struct credit *innermost = NULL;
	bool is_open[PARTS_MOST] = { false }, any = false;

	for (int i = 0; i < all->n; i++) {
		const struct credit *c = &all->v[i];

		if (c->row != row || !is_open_at(c->part, time_ns))
			continue;
		any = true;
		if (!s->parts[c->number].on_thread)
			is_open[c->number] = true;
		else if (!innermost || innermost->part->from < c->part->from)
			innermost = c;
	}
	if (innermost)
		is_open[innermost->number] = true;
	for (int i = 0; i < s->n_own; i++)
		times[i] += is_open[i] ? ns : 0;
	*covered += any ? ns : 0;
}

static void keep(struct begun *row, int slot, uint64_t number_)
{
	if (slot >= 0)
		row->slots[slot] = number(number_);
}

/* The row that ends at this moment, with the times of its parts. */
static const struct begun *split_row(struct arena *a, const credit_list *all, const struct opened *row,
				     const struct moment *end)
{
	const struct p_split *s = row->period->split;
	struct begun *kept = arena_new(a, struct begun);
	uint64_t times[PARTS_MOST] = { 0 }, counts[PARTS_MOST] = { 0 }, covered = 0, sum = 0;

	*kept = *row->begun;
	for (const struct moment *m = row->begun->at; m < end; m++)
		split_moment(all, row, m->time_ns, m[1].time_ns - m->time_ns, times, &covered);
	for (int i = 0; i < all->n; i++)
		counts[all->v[i].number] += all->v[i].row == row;
	for (int i = 0; i < s->n_own; i++) {
		keep(kept, s->first + 2 * i, times[i]);
		keep(kept, s->first + 2 * i + 1, counts[i]);
		sum += times[i];
	}
	keep(kept, s->other, end->time_ns - row->begun->at->time_ns - covered);
	keep(kept, s->overlap, sum - covered);
	return kept;
}

#endif
