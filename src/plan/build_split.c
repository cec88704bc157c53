/*
 * split: the row's period gets slots for the sums of its parts, and each part's begins
 * a ticket, which says which row they are credited to. What is done with them is in
 * bpf/cg_split.c. `state` is no part of these: see build_state.c.
 */
#include "plan/build_stage.h"

#include <ctype.h>

#include "lang/diag_tags.h"
#include "plan/build_period.h"
#include "plan/build_source.h"

/* ---- names ---- */

struct names {
	struct build *build;
	struct b_period *row;
};

/* The callback of the checker. */
static struct px *part_value(struct scope *s, const struct ax *e)
{
	struct names *n = s->part_arg;
	const struct p_split *split = n->row->plan->split;

	if (e->kind == AX_NAME && split->other >= 0 && str_is(e->text, "other"))
		return px_slot(n->build->env, n->row->plan, split->other, e->loc);
	if (e->kind == AX_NAME && split->overlap >= 0 && str_is(e->text, "overlap"))
		return px_slot(n->build->env, n->row->plan, split->overlap, e->loc);
	if (e->kind != AX_MEMBER || e->kids[0]->kind != AX_NAME)
		return NULL;
	for (int i = 0; i < split->n_parts; i++) {
		if (!str_is(e->kids[0]->text, split->parts[i].name))
			continue;
		if (str_is(e->text, "time"))
			return px_slot(n->build->env, n->row->plan, split->first + 2 * i, e->loc);
		if (str_is(e->text, "count"))
			return px_slot(n->build->env, n->row->plan, split->first + 2 * i + 1, e->loc);
	}
	return NULL;
}

/* ---- parts ---- */

static bool is_taken(const struct p_period *p, const struct p_ticket *ticket)
{
	for (int i = 0; i < p->tickets.n; i++) {
		const struct p_ticket *t = &p->tickets.v[i];

		if (t->row == ticket->row && t->part == ticket->part && t->cond_slot == ticket->cond_slot)
			return true;
	}
	return false;
}

/* The begins of a part get a ticket of the row: of a union one for each condition. */
static void add_tickets(struct build *b, struct b_period *row, struct b_branch *part, int number)
{
	struct b_period *p = part->period;
	struct p_period *period = p->plan;
	struct p_ticket ticket = { .row = row->plan, .part = number, .cond_slot = build_begin_cond(b, part) };

	if (is_taken(period, &ticket))
		return;
	ticket.number = (uint8_t)(1 + row->plan->split->n_tickets++ % UINT8_MAX);
	vec_push(b->arena, &period->tickets, ticket);
	for (int i = 0; i < p->begins.n; i++) {
		struct p_action *a = p->begins.v[i].plan;
		struct p_look **looks = arena_array(b->arena, struct p_look *, period->tickets.n);

		if (!a)
			continue;
		if (a->looks)
			memcpy(looks, a->looks, sizeof(*looks) * (size_t)(period->tickets.n - 1));
		looks[period->tickets.n - 1] = build_look(b, row, &p->begins.v[i]);
		a->looks = looks;
	}
	if (row->plan->rank <= period->rank)
		row->plan->rank = period->rank + 1;
}

/* Both begin and end where one function does: which of them is inside would be chance. */
static bool is_row_itself(struct build *b, struct b_period *row, struct b_period *p, struct loc loc)
{
	const struct cat_function *f = build_shared_function(row, p);

	if (p == row) {
		diag_error(b->diag, DIAG_NO_PERIOD, loc, "a row cannot be a part of itself");
	} else if (f) {
		diag_error(b->diag, DIAG_STAGE_ORDER, loc, "%s() is the row and a part of it: which of the two "
			   "begins and ends first is not known", f->name);
		diag_help(b->diag, "leave it out of one side; calls of it inside each other are parts of a "
			  "function that calls it");
	}
	return p == row || f;
}

static void add_part(struct build *b, struct b_period *row, struct p_part *to,
		     const struct ast_part *part, int number)
{
	b_branches found = { 0 };

	build_source_branches(b, part->source, &found);
	to->on_thread = true;
	for (int i = 0; i < found.n; i++) {
		struct b_period *p = found.v[i]->period;

		if (!p) {
			diag_error(b->diag, DIAG_NO_PERIOD, part->loc,
				   "a part must be a period: an event takes no time");
			return;
		}
		if (is_row_itself(b, row, p, part->loc))
			return;
		to->on_thread &= p->same_thread;
		if (p->begins.n && p->ends.n)
			add_tickets(b, row, found.v[i], number);
	}
}

static bool is_identifier(struct str name)
{
	for (int i = 0; i < name.n; i++)
		if (!isalpha((unsigned char)name.p[i]) && name.p[i] != '_'
		    && (!i || !isdigit((unsigned char)name.p[i])))
			return false;
	return name.n > 0;
}

static const char *part_name(struct build *b, const struct ast_part *part)
{
	const struct ast_source *s = part->source;
	struct str name = part->name;

	if (!name.n && s->kind != AS_SPAN && s->kind != AS_GROUP && s->kind != AS_TIMER)
		name = build_source_name(s);
	if (!is_identifier(name)) {
		diag_error(b->diag, DIAG_EXPECTED_TOKEN, part->loc, "this part needs a name");
		diag_help(b->diag, "write split NAME = (...)");
		name = str_of("part");
	}
	return arena_strndup(b->arena, name.p, (size_t)name.n);
}

static bool is_there(struct build *b, const struct ast_part *part)
{
	return cond_holds(b->env, &part->source->cond);
}

static int count_parts(struct build *b, const struct ast_stage *st)
{
	int n = 0;

	for (int i = 0; i < st->parts.n; i++)
		n += is_there(b, &st->parts.v[i]);
	if (n <= PARTS_MOST)
		return n;
	diag_error(b->diag, DIAG_LIMIT_REACHED, st->loc, "too many parts: at most %d are possible", PARTS_MOST);
	return 0;
}

/* The parts before it and the states have other names. */
static void check_part_name(struct build *b, const struct p_split *split, int at, struct loc loc)
{
	const char *name = split->parts[at].name;

	for (int i = 0; i < split->n_parts; i++) {
		if ((i >= at && i < split->n_own) || strcmp(name, split->parts[i].name))
			continue;
		diag_error(b->diag, DIAG_DUPLICATE_COLUMN, loc, i < at ? "two parts have the name '%s'" :
			   "a part and a state have the name '%s'", name);
		diag_help(b->diag, i < at ? "give the part another name: NAME = PART" :
			  "give the part another name, as io=%s", name);
		split->parts[at].name = arena_printf(b->arena, "%s_%d", name, at);	/* told once */
		return;
	}
}

static void add_parts(struct build *b, struct b_period *row, struct p_split *split,
		      const struct ast_stage *st)
{
	int n = split->n_own, before;
	bool async = false, several = false;

	for (int i = 0, at = 0; i < st->parts.n && at < n; i++) {
		if (!is_there(b, &st->parts.v[i]))
			continue;
		split->parts[at].name = part_name(b, &st->parts.v[i]);
		check_part_name(b, split, at, st->parts.v[i].loc);
		before = split->n_tickets;
		add_part(b, row, &split->parts[at], &st->parts.v[i], at);
		several |= split->n_tickets > before + 1;
		async |= !split->parts[at++].on_thread;
	}
	if (several) {
		split->numbers = build_row_slot(b, row, type_int);
		build_row_slot(b, row, type_int);
	}
	split->other = build_row_slot(b, row, type_duration);
	if (async && n > 1) {
		split->covered = build_row_slot(b, row, type_int);
		split->overlap = build_row_slot(b, row, type_duration);
	}
}

/* ---- the stage ---- */

static struct p_split *new_split(struct build *b, struct b_period *row, const struct ast_stage *st)
{
	struct p_split *split = arena_new(b->arena, struct p_split);
	int n_own = count_parts(b, st), n = n_own + (st->split_state ? build_count_states(b) : 0);

	split->covered = split->other = split->overlap = split->lock = split->under = split->c_deep = split->numbers = -1;
	split->locks = split->interrupts = n;
	split->global = b->plan->n_globals++;
	row->plan->split = split;
	row->plan->needs_time = row->plan->looked_up = true;
	split->first = row->plan->slots.n;
	split->n_parts = n;
	split->n_own = n_own;
	split->parts = arena_array(b->arena, struct p_part, n);
	for (int i = 0; i < n; i++) {
		build_row_slot(b, row, type_duration);
		build_row_slot(b, row, type_int);
	}
	split->generation = build_row_slot(b, row, type_int);
	if (n_own) {
		split->depth = build_row_slot(b, row, type_int);
		split->stack = build_row_slot(b, row, type_int);
		build_row_slot(b, row, type_int);	/* PART_STACK bytes in all */
	}
	if (st->split_state)
		build_states(b, row, st->loc);
	if (n_own || !st->split_state)
		add_parts(b, row, split, st);
	return split;
}

void build_split_stage(struct build *b, struct b_branch *w, const struct ast_stage *st)
{
	struct names *n = arena_new(b->arena, struct names);

	if (!w->period || w->open) {
		diag_error(b->diag, DIAG_NO_PERIOD, st->loc, w->open
			   ? "'split' needs finished periods: leave out 'open'"
			   : "an event has no duration to split");
		return;
	}
	if (w->scope.part_value) {
		diag_error(b->diag, DIAG_STAGE_ORDER, st->loc, "these rows have a 'split' already: only one is possible");
		return;
	}
	*n = (struct names){ b, w->period };
	if (!w->period->plan->split) {
		w->period->split_stage = st;
		new_split(b, w->period, build_param_parts(b, st));
	} else if (w->period->split_stage != st) {
		diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
			   "this definition is already split in another way");
		diag_help(b->diag, "write the source itself here, not its name");
	}
	w->scope.part_value = part_value;
	w->scope.part_arg = n;
}
