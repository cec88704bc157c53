/*
 * How threads and processes of a recorded trace end: with which code, and which threads of a process are
 * left. A process ends with its last thread; its first may end long before.
 */
#include "trace/impl.h"

/* A code of exit() as wait() shows it. */
static uint64_t wait_code(const struct ctf_value *code)
{
	return (code->u & 0xff) << 8;
}

/* error_code */
static void learn_exit(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	(void)cpu;
	if (!r->thread || !v[0]->has)
		return;
	r->thread->exits = true;
	r->thread->exit_code = wait_code(v[0]);
}

static void learn_group_exit(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *leader;

	if (!r->thread || !v[0]->has || !(r->thread->valid & RECORD_BIT(RECORD_PID)))
		return;
	leader = rec_thread_of(r, (int64_t)r->thread->words[RECORD_PID - RECORD_FIELDS_MOST],
			       cpu);
	leader->group_exits = true;
	leader->group_exit_code = wait_code(v[0]);
}

/* ---- the threads of a process ---- */

static void leave(struct recorded *r, struct rec_thread *t, uint32_t cpu)
{
	struct rec_thread *leader = t->member_of ? rec_thread_find(r, t->member_of, cpu) : NULL;

	if (leader && leader->n_members)
		leader->n_members--;
	t->member_of = 0;
}

static void join(struct recorded *r, int64_t tid, int64_t pid, uint32_t cpu)
{
	struct rec_thread *t = rec_thread_of(r, tid, cpu);

	if (tid == pid || t->member_of == pid)
		return;
	leave(r, t, cpu);
	t->member_of = pid;
	rec_thread_of(r, pid, cpu)->n_members++;
}

/* child_tid child_pid */
static void learn_birth(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *t;

	if (!v[0]->has || !v[1]->has)
		return;
	t = rec_thread_of(r, v[0]->i, cpu);
	leave(r, t, cpu);
	t->has_ended = false;
	t->n_members = 0;
	join(r, v[0]->i, v[1]->i, cpu);
}

/* tid pid */
static void learn_member(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	if (v[0]->has && v[1]->has)
		join(r, v[0]->i, v[1]->i, cpu);
}

/* tid */
static void learn_end(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	struct rec_thread *t = v[0]->has ? rec_thread_of(r, v[0]->i, cpu) : NULL;

	if (!t)
		return;
	leave(r, t, cpu);
	t->has_ended = true;
}

/* tid old_tid: what execs is its process's first thread from now on */
static void learn_move(struct recorded *r, uint32_t cpu, const struct ctf_value *const *v)
{
	if (!v[0]->has || !v[1]->has || v[0]->i == v[1]->i)
		return;
	leave(r, rec_thread_of(r, v[1]->i, cpu), cpu);
	rec_thread_of(r, v[0]->i, cpu)->has_ended = false;
}

bool rec_threads_left(const struct recorded *r, int64_t tid, int64_t pid, uint32_t cpu, uint64_t *n)
{
	const struct rec_thread *t = rec_thread_find(r, tid, cpu), *leader = rec_thread_find(r, pid, cpu);

	if (!t || !leader)
		return false;
	*n = leader->n_members - (t->member_of == pid && leader->n_members) + (t != leader && !leader->has_ended);
	return true;
}

const struct rec_role rec_exit_roles[] = {
	{ "syscall_entry_exit", "error_code", WHEN_KNOWN, false, MODEL_EXITS, learn_exit },
	{ "syscall_entry_exit_group", "error_code", WHEN_KNOWN, false, MODEL_EXITS,
	  learn_group_exit },
	{ "sched_process_fork", "child_tid child_pid", WHEN_KNOWN, false, MODEL_EXITS, learn_birth },
	{ "lttng_statedump_process_state", "tid pid", WHEN_FIRST, false, MODEL_EXITS, learn_member },
	{ "sched_process_exec", "tid old_tid", WHEN_FIRST, false, MODEL_EXITS, learn_move },
	{ "sched_process_exit", "tid", WHEN_DONE, false, MODEL_EXITS, learn_end },
	{ 0 }
};
