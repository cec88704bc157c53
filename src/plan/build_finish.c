/*
 * The last part of building: what can be decided only when every use is known.
 * The command line's filters are in build_filter.c.
 *
 *	the form of each event (BTF arguments or perf fields)
 *	where each period keeps its begins, and whether it needs any
 *	counters, names and numbers of events, dense tables
 */
#include "plan/build.h"

#include "lang/diag_tags.h"

#define DENSE_MOST 4096

__attribute__((format(printf, 5, 6)))
static int counter_add(struct build *b, enum loss_id id, bool always, struct loc loc,
		       const char *fmt, ...)
{
	struct p_counter *c = vec_add(b->arena, &b->plan->counters);
	va_list ap;

	va_start(ap, fmt);
	*c = (struct p_counter){ id, arena_vprintf(b->arena, fmt, ap), always, loc };
	va_end(ap);
	return b->plan->counters.n - 1;
}

/* ---- forms ---- */

static void decide_form(struct build *b, struct b_event *p)
{
	struct p_event *e = p->plan;
	const struct form_use *f = &p->form;

	if (e->attach != ATTACH_TP_BTF)
		return;
	if (f->needs_btf.text && f->needs_perf.text) {
		diag_error(b->diag, DIAG_MIXED_FORMS, f->needs_perf,
			   "'%s' is only in the recorded form of %s, '%s' only in its arguments",
			   f->perf_what, e->name, f->btf_what);
		diag_help(b->diag, "use fields of one form; `culprit list -v events %s` shows both",
			  e->name);
		return;
	}
	if (f->needs_perf.text || !b->options->has.tp_btf || !e->cat->btf_id)
		e->attach = ATTACH_TP_PERF;
	if (e->attach == ATTACH_TP_PERF && f->needs_btf.text)
		diag_error(b->diag, DIAG_MIXED_FORMS, f->needs_btf,
			   "'%s' is an argument of %s, for which this kernel has no BTF", f->btf_what,
			   e->name);
	else if (e->attach == ATTACH_TP_PERF && !e->cat->perf_id)
		diag_error(b->diag, DIAG_MIXED_FORMS, f->needs_perf.text ? f->needs_perf : e->loc,
			   "%s needs tracefs here, which is not mounted (culprit doctor)",
			   e->name);
}

static int n_actions(const struct b_period *p)
{
	return p->begins.n + p->ends.n + p->vias.n;
}

/* ---- where begins are kept ---- */

static bool is_time(const struct px *e, void *arg)
{
	(void)arg;
	return e->op == PX_DURATION || e->op == PX_BEGIN_TIME;
}

static bool any_time(const struct px *e)
{
	return e && px_any(e, is_time, NULL);
}

static bool branch_uses_time(const struct p_branch *br)
{
	const struct p_query *q = br->query;
	bool used = false;

	for (int i = 0; i < br->steps.n; i++)
		used |= any_time(br->steps.v[i].expr);
	for (int i = 0; br->columns && i < q->n_columns; i++)
		used |= any_time(br->columns[i]);
	used |= any_time(br->rank);
	for (int i = 0; br->keys && i < q->n_keys; i++)
		used |= any_time(br->keys[i]);
	for (int i = 0; br->agg_args && i < q->n_aggs; i++) {
		used |= any_time(br->agg_where[i]);
		for (int k = 0; k < q->aggs[i].n_args; k++)
			used |= any_time(br->agg_args[i][k]);
	}
	return used;
}

static void find_needs(struct build *b)
{
	for (int i = 0; i < b->plan->queries.n; i++) {
		struct p_query *q = b->plan->queries.v[i];

		for (int k = 0; k < q->branches.n; k++)
			if (q->branches.v[k]->period && !q->open)
				q->branches.v[k]->period->needs_time |= branch_uses_time(q->branches.v[k]);
	}
	for (int i = 0; i < b->periods.n; i++)
		for (int k = b->periods.v[i]->begins.n; k < n_actions(b->periods.v[i]); k++) {
			const struct p_action *a = build_action_at(b->periods.v[i], k)->plan;

			if (a)
				a->period->needs_time |= any_time(a->record_guard);
		}
}

/* The task whose number the key is, if the verifier knows it as a task. */
static struct px *task_of_key(struct build *b, struct b_action *e, const struct px *key)
{
	const struct catalog *c = b->env->catalog;
	struct cat_member pid;
	uint32_t task;

	if (key->op == PX_COMMON && key->common == COMMON_TID)
		return build_text(b, e, true, "current.task");
	if (e->event->plan->attach != ATTACH_TP_BTF)
		return NULL;
	if (key->op == PX_FIELD && key->alt)
		return task_of_key(b, e, key->alt);
	if (key->op != PX_LOAD || !key->direct || key->kids[0]->type.kind != TY_PTR)
		return NULL;
	task = c->ops->struct_type(c->self, str_of("task_struct"));
	if (!task || key->kids[0]->type.ktype != task
	    || !c->ops->member(c->self, task, str_of("pid"), &pid) || pid.offset != key->offset)
		return NULL;
	return key->kids[0];
}

static bool watches_slab(const struct build *b)
{
	for (int i = 0; i < b->events.n; i++)
		if (b->events.v[i]->plan->cat->system
		    && !strcmp(b->events.v[i]->plan->cat->system, "kmem"))
			return true;
	return false;
}

static bool all_keys_cpu(struct b_period *p)
{
	for (int i = 0; i < n_actions(p); i++) {
		const struct px *k = build_action_at(p, i)->plan->keys[0];

		if (k->op != PX_COMMON || k->common != COMMON_CPU)
			return false;
	}
	return true;
}

/* Can every end reach the task's storage? Then says whose in action->task. */
static bool use_task(struct build *b, struct b_period *p)
{
	if (p->plan->listed || p->plan->split || (p->plan->looked_up && !p->same_thread)
	    || !b->options->has.task_storage || (!p->same_thread && p->plan->n_keys != 1)
	    || watches_slab(b))
		return false;
	for (int i = 0; i < n_actions(p); i++) {
		struct b_action *e = build_action_at(p, i);
		enum attach at = (enum attach)e->event->plan->attach;
		struct px *task;

		if (at == ATTACH_SAMPLE || at == ATTACH_TIMER)
			return false;
		task = p->same_thread ? build_text(b, e, true, "current.task")
				      : task_of_key(b, e, e->plan->keys[0]);
		if (!task)
			return false;
		e->plan->task = task;
	}
	for (int i = 0; i < p->readers.n; i++) {
		p->readers.v[i].look->task = build_text(b, p->readers.v[i].at, true, "current.task");
		if (!p->readers.v[i].look->task)
			return false;
	}
	return true;
}

/* The thread as a key, where its storage cannot be had. The idle thread's number
 * is 0 on every CPU. */
static void key_by_thread(struct build *b, struct b_period *p)
{
	p->plan->n_keys = 1;
	p->plan->key_types = arena_new(b->arena, struct type);
	p->plan->key_types[0] = type_int;
	for (int i = 0; i < n_actions(p); i++) {
		struct b_action *e = build_action_at(p, i);

		e->plan->keys = arena_array(b->arena, struct px *, 1);
		e->plan->keys[0] = build_thread_key(b, e);
	}
	for (int i = 0; i < p->readers.n; i++) {
		p->readers.v[i].look->keys = arena_array(b->arena, struct px *, 1);
		p->readers.v[i].look->keys[0] = build_thread_key(b, p->readers.v[i].at);
	}
}

static void decide_store(struct build *b, struct b_period *p)
{
	struct p_period *period = p->plan;

	if (!n_actions(p) || !p->begins.n || !p->ends.n)
		return;
	for (int i = 0; i < period->slots.n; i++)
		period->slot_mask |= period->slots.v[i].may_none;
	if (period->is_call && !period->slots.n && !period->needs_time && !period->needs_depth &&
	    !build_is_asked(p)) {
		period->store = STORE_ELIDED;
		period->why = "nothing of the begin is used: the return alone makes the row";
	} else if (build_func_store(b, p)) {
		;			/* it has decided */
	} else if (!p->same_thread && period->n_keys == 1 && !period->listed &&
		   !period->looked_up && !b->options->has.replay && all_keys_cpu(p)) {
		period->store = STORE_CPU;
		period->why = "the key is the CPU: one record a CPU, no look-up";
	} else if (use_task(b, p)) {
		period->store = STORE_TASK;
		period->why = p->same_thread
			? "it ends on the thread where it began: the begin is kept in the thread"
			: "the key is the number of a task that the event hands over: the begin is "
			  "kept in that task";
	} else {
		if (p->same_thread) {
			key_by_thread(b, p);
			build_exit(b, p);
		} else if (p->readers.n) {
			build_threaded(b, p);
		}
		period->store = STORE_HASH;
		period->why = period->listed ? "all that are open are asked for: begins are kept in a "
					       "table, which can be listed"
			    : "the key is a value: begins are kept in a table";
	}
}

/* ---- counters, names, tables ---- */

/* Does the command line leave begins out whose ends come all the same? A thread that was
 * never selected has no storage, so its ends are not counted there. */
static bool begins_are_selected(const struct plan_options *o, const struct p_period *p)
{
	bool owners = o->n_pids || o->n_tids || o->uid >= 0 || o->comm_glob || o->cgroup_id ||
		      o->family;

	return o->n_cpus || (p->store == STORE_HASH && owners);
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
			"calls of %s were refused by seccomp and make no row", period->name);
	if (period->store == STORE_CALLS)
		period->c_let_go = counter_add(b, LOSS_TOO_DEEP, true, period->loc,
			"calls of %s had more open inside them than the %d that a thread keeps",
			period->name, period->calls_kept);
	if (period->store == STORE_CALLS)
		period->c_abandoned = counter_add(b, LOSS_ABANDONED, false, period->loc,
			"calls of %s have no return that was seen", period->name);
	else if (b->options->has.replay)
		period->c_abandoned = counter_add(b, LOSS_ABANDONED, true, period->loc,
			"begins of %s have no end: the trace may have lost it",
			period->name);
	if (period->store != STORE_CALLS)
		period->c_restarted = counter_add(b, LOSS_RESTARTED, false, period->loc,
		"begins of %s replaced one that was still open", period->name);
	if (!conditions)
		period->c_unmatched = counter_add(b, LOSS_UNMATCHED, false, period->loc,
			"ends of %s have no begin that was seen", period->name);
}

static void count_query(struct build *b, struct p_query *q)
{
	q->c_div_zero = counter_add(b, LOSS_DIV_ZERO, true, q->loc, "divisions by zero gave 0");
	q->c_cut = counter_add(b, LOSS_CUT, true, q->loc, "strings are longer than what is kept");
	q->c_absent = counter_add(b, LOSS_ABSENT, true, q->loc,
		"strings were not in memory: shown as <absent>, arguments as ...");
	if (q->sink == SINK_AGGS) {
		q->c_dropped = counter_add(b, LOSS_DROPPED, true, q->loc,
			"rows found the table full and are in (other): --table-size");
		if (q->n_bucket_sets)
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
	p->c_stack_full = p->c_stack_deep = p->c_stack_failed = p->c_stack_short = -1;
	if (!p->stacks)
		return;
	p->c_stack_full = counter_add(b, LOSS_STACKS_DROPPED, true, (struct loc){ 0 },
		"stacks found no room for their frames: --table-size");
	p->c_stack_deep = counter_add(b, LOSS_STACKS_CUT, true, (struct loc){ 0 },
		"stacks are deeper than the %d frames that are kept", STACK_FRAMES);
	p->c_stack_failed = counter_add(b, LOSS_STACKS_LOST, true, (struct loc){ 0 },
		"stacks could not be taken by the kernel");
	if (p->user_stacks && b->options->has.unwind)
		p->c_stack_short = counter_add(b, LOSS_STACKS_SHORT, true, (struct loc){ 0 },
			"stacks are without their outer frames: each says why");
}

/* Ends from the inside, begins from the outside; else as they were written. */
static void by_rank(struct p_action **v, int n, int sign)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && sign * v[k - 1]->period->rank > sign * v[k]->period->rank; k--) {
			struct p_action *a = v[k];

			v[k] = v[k - 1];
			v[k - 1] = a;
		}
}

/* Of a call whose begin is not kept: nobody asks, or nobody sees the rows. */
static bool does_nothing(const struct p_action *a)
{
	if (!a->period || a->period->store != STORE_ELIDED)
		return false;
	return a->kind == ACT_BEGIN ? !a->too_deep : !a->branches.n;
}

static void collect_events(struct build *b)
{
	for (int i = 0; i < b->events.n; i++) {
		struct b_event *p = b->events.v[i];

		by_rank(p->actions[ACT_END].v, p->actions[ACT_END].n, 1);
		by_rank(p->actions[ACT_BEGIN].v, p->actions[ACT_BEGIN].n, -1);
		for (int kind = 0; kind <= ACT_KINDS; kind++)
			for (int k = 0; k < p->actions[kind].n; k++) {
				const struct p_action *a = p->actions[kind].v[k];

				if (!does_nothing(a))
					vec_push(b->arena, &p->plan->actions, *a);
			}
		if (p->plan->actions.n) {
			build_func_finish(b, p->plan);
			p->plan->id = b->plan->events.n;
			vec_push(b->arena, &b->plan->events, p->plan);
		}
	}
}

void build_name_events(struct build *b)
{
	struct enum_desc *names = b->plan->event_names;
	VEC(struct enum_value) all = { 0 };

	for (int i = 0; i < b->periods.n; i++)
		for (int k = 0; k < n_actions(b->periods.v[i]); k++) {
			const struct source_match *m = build_action_at(b->periods.v[i], k)->match;

			for (int n = 0; n < m->calls.n; n++)
				vec_push(b->arena, &all, ((struct enum_value){ m->calls.v[n]->name,
									      m->calls.v[n]->nr }));
		}
	for (int i = 0; i < b->rows.n; i++)
		for (int n = 0; n < b->rows.v[i]->match->calls.n; n++) {
			const struct cat_syscall *s = b->rows.v[i]->match->calls.v[n];

			vec_push(b->arena, &all, ((struct enum_value){ s->name, s->nr }));
		}
	for (int i = 0; i < b->names_of_events.n; i++)
		vec_push(b->arena, &all, b->names_of_events.v[i]);
	names->name = "event";
	names->values = all.v;
	names->n = all.n;
	b->plan->n_event_numbers = (uint32_t)(SYSCALL_MOST + b->names_of_events.n);
}

static void finish_table(struct build *b, struct p_query *q)
{
	const struct column *k = q->keys;

	q->table_rows = b->options->table_rows;
	if (b->options->interval_ns)
		q->every_ns = (uint64_t)b->options->interval_ns;
	for (int i = 0; i < q->n_keys && !q->parts.n; i++)
		if (q->keys[i].type.kind == TY_EVENT)
			q->keys[i].type.dense = b->plan->n_event_numbers;
	if (q->n_keys != 1 || q->parts.n || !k->type.dense || k->type.dense > DENSE_MOST
	    || !type_is_word(&k->type) || q->n_bucket_sets)
		return;
	for (int i = 0; i < q->branches.n; i++)
		if (!q->branches.v[i]->keys || q->branches.v[i]->keys[0]->may_none
		    || q->branches.v[i]->keys[0]->op == PX_NONE)
			return;
	q->dense = k->type.dense;
}

static void finish_exclusive(struct build *b)
{
	for (int i = 0; i < b->plan->queries.n; i++)
		b->plan->queries.v[i]->exclusive = true;
	for (int i = 0; i < b->plan->events.n; i++) {
		const struct p_event *e = b->plan->events.v[i];

		for (int k = 0; k < e->actions.n; k++)
			for (int n = 0; n < e->actions.v[k].branches.n; n++)
				e->actions.v[k].branches.v[n]->query->exclusive &= e->cat->exclusive;
	}
	for (int i = 0; i < b->periods.n; i++) {
		struct b_period *p = b->periods.v[i];

		p->plan->exclusive = true;
		for (int k = 0; k < n_actions(p); k++)
			p->plan->exclusive &= build_action_at(p, k)->event->plan->cat->exclusive;
	}
}

static void fill_slots(struct build *b, struct b_period *p)
{
	for (int k = 0; k < p->plan->slots.n; k++)
		p->plan->slots.v[k].whole = true;
	for (int i = 0; i < p->begins.n + p->vias.n; i++) {
		struct p_action *a = i < p->begins.n ? p->begins.v[i].plan
						     : p->vias.v[i - p->begins.n].plan;

		if (!a)
			continue;
		a->slots = arena_array(b->arena, struct px *, p->plan->slots.n);
		for (int k = 0; k < p->plan->slots.n; k++) {
			struct px *e = p->slots[k][i];

			a->slots[k] = e && e->op != PX_NONE ? e : NULL;
			if (a->slots[k])
				p->plan->slots.v[k].whole &= e->op == PX_COMMON &&
							       e->common == COMMON_COMM;
		}
	}
}

void build_finish(struct build *b)
{
	for (int i = 0; i < b->events.n; i++)
		decide_form(b, b->events.v[i]);
	find_needs(b);
	for (int i = 0; i < b->periods.n; i++) {
		decide_store(b, b->periods.v[i]);
		build_tree_check(b, b->periods.v[i]);
		build_too_deep(b, b->periods.v[i]);
		fill_slots(b, b->periods.v[i]);
	}
	build_early(b);
	b->plan->c_family = !b->options->family ? -1 :
		counter_add(b, LOSS_NOT_FOLLOWED, true, (struct loc){ 0 },
			    "tasks of the command, or children, could not be marked");
	count_stacks(b);
	/* Before "not culprit itself" becomes a condition: it is none that explains a lone
	 * end, see begins_are_selected. */
	for (int i = 0; i < b->periods.n; i++)
		count_period(b, b->periods.v[i]);
	build_split_count(b);
	build_filters(b);
	build_merge(b);
	collect_events(b);
	build_name_events(b);
	for (int i = 0; i < b->plan->queries.n; i++) {
		count_query(b, b->plan->queries.v[i]);
		if (p_query_is_table(b->plan->queries.v[i]))
			finish_table(b, b->plan->queries.v[i]);
	}
	for (int i = 0; i < b->periods.n; i++)
		if (b->periods.v[i]->begins.n && b->periods.v[i]->ends.n)
			vec_push(b->arena, &b->plan->periods, b->periods.v[i]->plan);
	finish_exclusive(b);
	b->plan->max_open = b->options->max_open;
}
