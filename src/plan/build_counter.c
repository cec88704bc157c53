/*
 * The counters of what can be lost. Before "not culprit itself" becomes a condition
 * (build_filter.c): it is none that explains a lone end, see begins_are_selected.
 */
#include "plan/build_event.h"

#include "plan/build_period.h"
#include "table/stack.h"

__attribute__((format(printf, 5, 6)))
static int counter_add(struct build *b, enum loss_id id, bool always, struct loc loc,
		       const char *fmt, ...)
{
	struct p_counter *c = vec_add(b->arena, &b->plan->counters);
	va_list ap;

	va_start(ap, fmt);
	*c = (struct p_counter){ .id = id, .what = arena_vprintf(b->arena, fmt, ap), .always = always, .loc = loc };
	va_end(ap);
	return b->plan->counters.n - 1;
}

/* Does the command line leave begins out whose ends come all the same? A thread that was
 * never selected has no storage, so its ends are not counted there. */
static bool begins_are_selected(const struct plan_options *o, const struct p_period *p)
{
	bool owners = o->n_pids || o->follow;

	return !build_end_tells_begin(o) || (p->store == STORE_HASH && owners);
}

static void count_period(struct build *b, struct b_period *p)
{
	struct p_period *period = p->plan;
	bool conditions = begins_are_selected(b->options, period);

	if (p->begins.n && p->begins.v[0].plan && p->begins.v[0].plan->too_deep)
		period->c_too_deep = counter_add(b, LOSS_TOO_DEEP, true, period->loc,
			"calls of %s began with 64 traced calls open on their thread: the kernel shows "
			"no more returns", period->name);
	if (period->store == STORE_ELIDED || period->store == STORE_COOKIE || !p->begins.n)
		return;
	for (int i = 0; i < p->begins.n; i++)
		conditions |= p->begins.v[i].plan && p->begins.v[i].plan->guard != NULL;
	period->c_dropped = counter_add(b, LOSS_DROPPED, true, period->loc,
		period->store == STORE_HASH ? "begins of %s found no room: --max-open makes more"
					    : "begins of %s found no memory in the kernel just then",
		period->name);
	if (period->is_call && p->begins.v[0].side.syscall)
		period->c_denied = counter_add(b, LOSS_DENIED, true, period->loc,
			"calls of %s were refused by seccomp: what their entry would tell is none", period->name);
	if (period->store == STORE_CALLS)
		period->c_let_go = counter_add(b, LOSS_TOO_DEEP, true, period->loc,
			"calls of %s had more open inside them than the %d that a thread keeps",
			period->name, period->calls_kept);
	if (period->is_call && build_misses_returns(b, p->begins.v[0].match))
		period->c_abandoned = counter_add(b, LOSS_ABANDONED, false, period->loc,
			"calls of %s have no return that was seen: the kernel had no slot left for it, "
			"or the thread ended inside; few functions (fentry) need no slots", period->name);
	else if (period->store == STORE_CALLS)
		period->c_abandoned = counter_add(b, LOSS_ABANDONED, false, period->loc,
			"calls of %s have no return that was seen", period->name);
	else if (b->options->has.replay)
		period->c_abandoned = counter_add(b, LOSS_ABANDONED, true, period->loc,
			"begins of %s have no end: the trace may have lost it",
			period->name);
	if (period->store != STORE_CALLS)
		period->c_restarted = counter_add(b, LOSS_RESTARTED, false, period->loc,
		"begins of %s replaced one that was still open", period->name);
	/* what a lost begin leaves is counted where it is lost; else it is a child's */
	if (conditions || build_returns_in_child(b, p))
		return;
	period->c_unmatched = counter_add(b, LOSS_UNMATCHED, false, period->loc,
		"ends of %s have no begin that was seen", period->name);
	/* a thread is in one call at a time, so it is no other's end */
	vec_last(&b->plan->counters).of_before = period->is_call && p->begins.v[0].side.syscall &&
						 !b->options->has.replay;
}

static void count_split(struct build *b, const struct p_period *row, struct p_split *split)
{
	split->c_deep = counter_add(b, LOSS_TOO_DEEP, true, row->loc, "parts of %s began inside more than %d others",
				    row->name, PART_STACK);
	for (int i = 0; i < split->n_own; i++)
		split->parts[i].c_cut = counter_add(b, LOSS_PARTS_CUT, false, row->loc,
			"rows of %s ended before their part %s: its time is cut there", row->name, split->parts[i].name);
}

static void count_splits(struct build *b)
{
	for (int i = 0; i < b->periods.n; i++) {
		const struct p_period *row = b->periods.v[i]->plan;

		if (row->split && row->split->n_own)
			count_split(b, row, row->split);
	}
}

/* Are its rows left out where they find no room, as nobody knows whose periods they are of? */
static bool is_over(const struct build *b, const struct p_query *q)
{
	bool found = q->over;

	for (int i = 0; i < b->plan->queries.n; i++)
		found |= b->plan->queries.v[i]->over == q;
	return found;
}

static void count_query(struct build *b, struct p_query *q)
{
	q->c_div_zero = counter_add(b, LOSS_DIV_ZERO, true, q->loc, "divisions by zero gave 0");
	q->c_cut = counter_add(b, LOSS_CUT, true, q->loc, "strings are longer than what is kept");
	q->c_absent = counter_add(b, LOSS_ABSENT, true, q->loc,
		"strings were not in memory: shown as <absent>, arguments as ...");
	if (q->sink == SINK_AGGS) {
		q->c_dropped = counter_add(b, LOSS_DROPPED, true, q->loc,
			is_over(b, q) ? "rows of 'in .. over' found the table full and are missing: --table-size"
				      : "rows found the table full and are in (other): --table-size");
		if (p_query_has_buckets(q))
			q->c_no_bucket = counter_add(b, LOSS_DROPPED, true, q->loc,
				"values found the table full and are in no hist, percentile or distinct: "
				"--table-size");
		return;
	}
	if (q->sink == SINK_WORST) {
		q->c_dropped = counter_add(b, LOSS_DROPPED, true, q->loc,
			"rows came while others were being stored");
		return;
	}
	q->c_lost = counter_add(b, LOSS_LOST, true, q->loc,
		"rows found the ring buffer full and are missing");
	if (q->limit_per_s)
		q->c_kept_back = counter_add(b, LOSS_KEPT_BACK, true, q->loc,
			"rows above the limit of %llu/s are not shown", (unsigned long long)q->limit_per_s);
}

static void count_stacks(struct build *b)
{
	struct plan *p = b->plan;

	p->stacks = b->env->stacks;
	p->user_stacks = b->env->user_stacks;
	p->user_names = b->env->user_stacks || b->env->user_names;
	p->wakers = b->env->wakers;
	p->hogs = b->env->hogs;
	p->c_stack_full = p->c_stack_deep = p->c_stack_failed = p->c_stack_short = p->c_stack_unread = -1;
	if (!p->stacks)
		return;
	p->c_stack_full = counter_add(b, LOSS_STACKS_DROPPED, true, (struct loc){ 0 },
		"stacks found no room for their frames: --table-size");
	p->c_stack_deep = counter_add(b, LOSS_STACKS_CUT, true, (struct loc){ 0 },
		"stacks are deeper than the %d frames that are kept", STACK_FRAMES);
	p->c_stack_failed = counter_add(b, LOSS_STACKS_LOST, true, (struct loc){ 0 },
		"stacks could not be taken by the kernel");
	if (!p->user_stacks || !b->options->has.unwind)
		return;
	p->c_stack_short = counter_add(b, LOSS_STACKS_SHORT, true, (struct loc){ 0 },
		"stacks are without their outer frames: each says why");
	p->c_stack_unread = counter_add(b, LOSS_STACKS_UNREAD, true, (struct loc){ 0 },
		"stacks end at code that was just mapped and not read yet: outer frames are missing");
}

void build_counters(struct build *b)
{
	b->plan->c_unfollowed = !b->options->follow ? -1 :
		counter_add(b, LOSS_NOT_FOLLOWED, true, (struct loc){ 0 },
			    "tasks of the command, or children, could not be marked");
	count_stacks(b);
	for (int i = 0; i < b->periods.n; i++)
		count_period(b, b->periods.v[i]);
	count_splits(b);
	for (int i = 0; i < b->plan->queries.n; i++)
		count_query(b, b->plan->queries.v[i]);
}
