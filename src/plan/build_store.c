/* Where each period keeps its begins, whether it needs any, and what is kept of them. */
#include "plan/build_store.h"

#include "plan/build_event.h"
#include "plan/build_period.h"
#include "plan/build_scope.h"

/* ---- what is needed ---- */

static bool is_time(const struct px *e, void *arg)
{
	(void)arg;
	return e->op == PX_DURATION || e->op == PX_BEGIN_TIME;
}

static bool any_time(const struct px *e)
{
	return e && px_any(e, is_time, NULL);
}

static void find_needs(struct build *b)
{
	for (int i = 0; i < b->plan->queries.n; i++) {
		struct p_query *q = b->plan->queries.v[i];

		for (int k = 0; k < q->branches.n; k++)
			if (q->branches.v[k]->period && !q->open)
				q->branches.v[k]->period->needs_time |=
					build_branch_any(q->branches.v[k], is_time, NULL);
	}
	for (int i = 0; i < b->periods.n; i++)
		for (int k = b->periods.v[i]->begins.n; k < build_n_actions(b->periods.v[i]); k++) {
			const struct p_action *a = build_action_at(b->periods.v[i], k)->plan;

			if (a)
				a->period->needs_time |= any_time(a->record_guard);
		}
}

/* ---- where ---- */

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

static bool is_in_allocator(const struct build *b)
{
	for (int i = 0; i < b->events.n; i++)
		if (b->events.v[i]->plan->cat->in_allocator)
			return true;
	return false;
}

static bool all_keys_cpu(struct b_period *p)
{
	for (int i = 0; i < build_n_actions(p); i++) {
		const struct px *k = build_action_at(p, i)->plan->keys[0];

		if (k->op != PX_COMMON || k->common != COMMON_CPU)
			return false;
	}
	return true;
}

/* Can every end reach the task's storage? Then says whose in action->task. */
static bool use_task(struct build *b, struct b_period *p)
{
	if (p->plan->listable || p->plan->split || p->plan->in_flight || (p->plan->looked_up && !p->same_thread)
	    || !b->options->has.task_storage || (!p->same_thread && p->plan->n_keys != 1)
	    || is_in_allocator(b))
		return false;
	for (int i = 0; i < build_n_actions(p); i++) {
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

static void decide_store(struct build *b, struct b_period *p)
{
	struct p_period *period = p->plan;

	if (!build_n_actions(p) || !p->begins.n || !p->ends.n)
		return;
	for (int i = 0; i < period->slots.n; i++)
		period->slot_mask |= period->slots.v[i].may_none && !period->slots.v[i].unread;
	if (period->is_call && !plan_n_kept(period) && !period->needs_time && !period->needs_depth &&
	    build_end_tells_begin(b->options) && !build_is_asked(p) && !build_misses_returns(b, p->begins.v[0].match) &&
	    !(p->n_branches && build_returns_in_child(b, p))) {
		period->store = STORE_ELIDED;
		period->why = "nothing of the begin is used: the return alone makes the row";
	} else if (build_func_store(b, p)) {
		;			/* it has decided */
	} else if (!p->same_thread && period->n_keys == 1 && !period->listable &&
		   !period->looked_up && !b->options->has.replay && !period->in_flight && all_keys_cpu(p)) {
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
			build_key_by_thread(b, p);
			build_exit(b, p);
			build_move(b, p);
		} else if (p->readers.n) {
			build_latest_by_thread(b, p);
		}
		period->store = STORE_HASH;
		period->why = period->listable ? "all that are open are asked for: begins are kept in a "
					       "table, which can be listed"
			    : "the key is a value: begins are kept in a table";
	}
}

/* ---- what ---- */

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

			a->slots[k] = e && e->op != PX_NONE && !p->plan->slots.v[k].unread ? e : NULL;
			if (a->slots[k])
				p->plan->slots.v[k].whole &= e->op == PX_COMMON &&
							       e->common == COMMON_COMM;
		}
	}
}

void build_stores(struct build *b)
{
	build_func_returns(b);
	find_needs(b);
	for (int i = 0; i < b->periods.n; i++) {
		decide_store(b, b->periods.v[i]);
		build_tree_check(b, b->periods.v[i]);
		build_too_deep(b, b->periods.v[i]);
		fill_slots(b, b->periods.v[i]);
	}
}
