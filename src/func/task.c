/* Tasks: their states, who woke them, the container they are in. */
#include "func/func.h"
#include "func/rules.h"

static struct px *type_taskstate(struct func_call *c)
{
	for (int i = 0; i < c->n; i++)
		if (!func_is_number(c->args[i]))
			return func_not_number(c, i);
	if (c->args[0]->type.en == &task_state_enum)
		return px_wrong(c->env, DIAG_NOT_A_NUMBER, c->e->loc, "this is a state's name already: leave taskstate() out");
	c->x->type = type_task_state;
	return c->x;
}

/*
 * A task's state, include/linux/sched.h. With the preempt argument the state is
 * the task's own word; alone it is what the tracepoint's format tells, where 0x80
 * is idle and 0x100 preempted (TASK_REPORT_MAX). The first row that fits counts:
 * all bits of `bits` for idle, any for the others.
 */
struct state_row {
	int32_t bits;
	bool all;
	uint8_t state;
};

static const struct state_row raw_states[] = {
	{ 0x402, true, STATE_IDLE },		/* UNINTERRUPTIBLE | NOLOAD */
	{ 0x01, false, STATE_SLEEPING },
	{ 0x02, false, STATE_DISK },
	{ 0x04, false, STATE_STOPPED },
	{ 0x08, false, STATE_TRACED },
	{ 0xb0, false, STATE_DEAD },		/* EXIT_DEAD EXIT_ZOMBIE TASK_DEAD */
	{ 0x40, false, STATE_IDLE },		/* PARKED */
	{ 0xb000, false, STATE_DISK },		/* RTLOCK_WAIT FREEZABLE FROZEN */
};

static const struct state_row format_states[] = {
	{ 0x100, false, STATE_PREEMPTED },
	{ 0x402, true, STATE_IDLE },
	{ 0x80, false, STATE_IDLE },
	{ 0x01, false, STATE_SLEEPING },
	{ 0x02, false, STATE_DISK },
	{ 0x04, false, STATE_STOPPED },
	{ 0x08, false, STATE_TRACED },
	{ 0x30, false, STATE_DEAD },
	{ 0x40, false, STATE_IDLE },
};

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* R0 = the state of R1; R0 is already what it is when no row fits. */
static void state_rows(struct cg *cg, const struct state_row *rows, int n, as_label end)
{
	for (int i = 0; i < n; i++) {
		as_label next = as_new_label(cg->as);

		as_mov(cg->as, R2, R1);
		as_alu_imm(cg->as, BPF_AND, R2, rows[i].bits);
		if (rows[i].all)
			as_jump_if_imm(cg->as, BPF_JNE, R2, rows[i].bits, next);
		else
			as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, next);
		as_imm(cg->as, R0, rows[i].state);
		as_jump(cg->as, end);
		as_bind(cg->as, next);
	}
}

static void emit_taskstate(struct cg *cg, const struct px *e, as_label none)
{
	as_label end = as_new_label(cg->as);
	int slot = cg_frame(cg, 8);

	cg_word(cg, e->kids[0], none);
	if (e->n_kids > 1) {
		as_store(cg->as, 8, R10, slot, R0);
		cg_word(cg, e->kids[1], none);
		as_mov(cg->as, R1, R0);
		as_imm(cg->as, R0, STATE_PREEMPTED);
		as_jump_if_imm(cg->as, BPF_JNE, R1, 0, end);
		as_load(cg->as, 8, R1, R10, slot);
		as_imm(cg->as, R0, STATE_RUNNING);
		state_rows(cg, raw_states, ROWS(raw_states), end);
	} else {
		as_mov(cg->as, R1, R0);
		as_imm(cg->as, R0, STATE_RUNNING);
		state_rows(cg, format_states, ROWS(format_states), end);
	}
	as_bind(cg->as, end);
	cg_frame_free(cg, 8);
}

const struct func_ops func_taskstate = {
	.name = "taskstate",
	.takes = "(state[, preempt])",
	.help = "a raw task state (and preempt) as running, disk, ...",
	.example = "sched:sched_switch | count by taskstate(prev.__state, preempt)",
	.min_args = 1,
	.max_args = 2,
	.type = type_taskstate,
	.emit_word = emit_taskstate,
};

/* What auxiliary programs keep is not of what comes out of a trace. */
static bool is_replayed(const struct check_env *env)
{
	return env->options && env->options->has.replay;
}

/* A chain of hops; a stack of its own kind. */
static struct px *chain_of(struct func_call *c)
{
	if (is_replayed(c->env))
		return px_wrong(c->env, DIAG_UNABLE, c->e->loc, "%s() needs the running kernel, not a trace",
				c->x->func->name);
	c->env->stacks = c->env->wakers = true;
	c->x->type = (struct type){ .kind = TY_STACK, .bytes = STACK_ID_BYTES };
	c->x->may_none = true;
	return c->x;
}

static struct px *type_wakers(struct func_call *c)
{
	return func_is_number(c->args[0]) ? chain_of(c) : func_not_number(c, 0);
}

static struct px *type_preempted_by(struct func_call *c)
{
	if (c->args[0]->type.kind == TY_STRING)
		return chain_of(c);
	return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc, "preempted_by() needs a thread's name, "
			"but this has type %s", type_name(&c->args[0]->type));
}

const struct func_ops func_preempted_by = {
	.name = "preempted_by",
	.takes = "(comm)",
	.help = "the thread that got the CPU, as the end of a chain of wakers",
	.example = "sched:sched_switch | where prev_state == preempted | count by prev_comm, preempted_by(next_comm)",
	.min_args = 1,
	.max_args = 1,
	.type = type_preempted_by,
	.emit_text = cg_preempted_by,
};

const struct func_ops func_wakers = {
	.name = "wakers",
	.takes = "(tid)",
	.help = "who woke a thread, who woke that one, up to 8",
	.example = "sched:sched_switch | where next_pid != 0 | count by next_comm, wakers(next_pid)",
	.min_args = 1,
	.max_args = 1,
	.type = type_wakers,
	.reads_memory = true,
	.emit_text = cg_wakers,
};

/* Over a trace it is the thread that the interrupt came over, as the trace has it. */
static struct px *type_waker(struct func_call *c)
{
	struct px *name = c->args[0];

	if (is_replayed(c->env) && name->type.kind == TY_STRING)
		return name;
	if (name->op != PX_COMMON || name->common != COMMON_COMM)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"waker() needs the name of the running thread: current.comm");
	c->env->wakers = true;
	c->x->type = (struct type){ .kind = TY_STRING, .bytes = 32 };
	return c->x;
}

const struct func_ops func_waker = {
	.name = "waker",
	.takes = "(current.comm)",
	.help = "the running thread's name, or which interrupt, softirq or timer runs over it",
	.example = "sched:sched_waking | count by comm, who = waker(current.comm)",
	.min_args = 1,
	.max_args = 1,
	.type = type_waker,
	.reads_memory = true,
	.emit_text = cg_waker,
};

static struct px *type_hog(struct func_call *c)
{
	if (c->args[0]->type.kind != TY_TIME)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc, "%s() needs a time, as begin.time, "
				"but this has type %s", c->x->func->name, type_name(&c->args[0]->type));
	if (is_replayed(c->env))
		return px_wrong(c->env, DIAG_UNABLE, c->e->loc, "%s() needs the running kernel, not a trace",
				c->x->func->name);
	c->env->hogs = true;
	c->x->may_none = true;
	c->x->type = c->x->func == &func_hog ? (struct type){ .kind = TY_STRING, .bytes = 16 }
					     : (struct type){ .kind = TY_TID, .size = 4, .is_signed = true };
	return c->x;
}

const struct func_ops func_hog = {
	.name = "hog",
	.takes = "(time)",
	.help = "the name of the thread that had this CPU longest since then",
	.example = "from sched:sched_wakeup on pid to sched:sched_switch on next_pid | count by hog(begin.time)",
	.min_args = 1,
	.max_args = 1,
	.type = type_hog,
	.emit_text = cg_hog,
};

const struct func_ops func_hog_tid = {
	.name = "hog_tid",
	.takes = "(time)",
	.help = "its number",
	.example = "from sched:sched_wakeup on pid to sched:sched_switch on next_pid | count by hog_tid(begin.time)",
	.min_args = 1,
	.max_args = 1,
	.type = type_hog,
	.emit_word = cg_hog_tid,
};

static struct px *type_in_flight(struct func_call *c)
{
	if (!c->env->keeps)
		return px_wrong(c->env, DIAG_NO_BEGIN, c->e->loc, "in_flight() is of the begin of a period with a key: "
				"from X to Y on KEY | print in_flight(begin.FIELD)");
	if (!type_is_word(&c->args[0]->type))
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc, "in_flight() counts by a number, but this has "
				"type %s", type_name(&c->args[0]->type));
	c->env->flight = true;
	c->x->may_none = true;
	c->x->type = type_int;
	return c->x;
}

const struct func_ops func_in_flight = {
	.name = "in_flight",
	.takes = "(begin.field)",
	.help = "how many such periods with the same field are open when it begins, it among them",
	.example = "from block:block_rq_issue to block:block_rq_complete on rq | print in_flight(begin.dev), duration",
	.min_args = 1,
	.max_args = 1,
	.type = type_in_flight,
	.reads_memory = true,
	.emit_word = cg_in_flight,
};

static struct px *type_container(struct func_call *c) { return func_as_kind(c, TY_CGROUP); }

const struct func_ops func_container = {
	.name = "container",
	.takes = "(cgroup)",
	.help = "the container of a cgroup",
	.example = "syscall:* | count by container(cgroup)",
	.min_args = 1,
	.max_args = 1,
	.type = type_container,
	.emit_word = func_emit_same,
};
