/*
 * -- COMMAND: its tasks are those that have storage in the map `followed`. The
 * loader gives it to the command's own task; a program on sched_process_fork
 * hands it down; it dies with the task. With --children it also gives it to what
 * the processes of -p start.
 */
#include "bpf/cg_aux.h"
#include "bpf/cg_expr.h"
#include "bpf/cg_map.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_state.h"

#include "lang/diag_tags.h"


/* R0 = 1 or 0 */
void cg_followed(struct cg *cg, const struct px *e, as_label none)
{
	as_label no = as_new_label(cg->as);

	if (cg->image->followed < 0) {
		cg_fail(cg, "only tasks that are followed: there are none");
		return;
	}
	cg_word(cg, e->kids[0], none);
	cg_storage(cg, cg->image->followed, R0, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, no);
	as_imm(cg->as, R0, 1);
	as_bind(cg->as, no);
}

/* To `mark` when this thread, of a process with the right number, is of the one that began then. */
static void if_it_began(struct cg *cg, uint64_t began_ns, as_label mark)
{
	int32_t leader, began;

	if (!began_ns || !cg_member_offset(cg, "task_struct", "group_leader", &leader) ||
	    !cg_member_offset(cg, "task_struct", "start_boottime", &began)) {
		as_jump(cg->as, mark);
		return;
	}
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 8, R0, R0, leader);
	as_load(cg->as, 8, R0, R0, began);
	as_imm(cg->as, R1, (int64_t)began_ns);
	as_alu(cg->as, BPF_SUB, R0, R1);
	as_jump_if_imm(cg->as, BPF_JLT, R0, PLAN_TICK_NS, mark);
}

/* To `mark` when this thread, which forks, is of a process that was named. */
static void of_named_process(struct cg *cg, as_label mark)
{
	const struct plan_options *o = cg->options;

	for (int i = 0; o->children && i < o->n_pids; i++) {
		as_label next = as_new_label(cg->as);

		cg_common(cg, COMMON_PID);
		as_jump_if_imm(cg->as, BPF_JNE, R0, (int32_t)o->pids[i], next);
		if_it_began(cg, o->pids_began_ns ? o->pids_began_ns[i] : 0, mark);
		as_bind(cg->as, next);
	}
}

/* fork(parent, child): if (get(parent) && !get(child, create)) not followed++; the
 * kernel refuses it while a program that was preempted here makes storage. */
void cg_follow_program(struct cg *cg)
{
	const struct cat_event *fork = cg_aux_event(cg, "sched", "sched_process_fork");
	as_label out, mark;

	if (!fork) {
		diag_error(cg->diag, DIAG_NO_EVENT, (struct loc){ 0 },
			   "new tasks of the command can't be followed here: no event "
			   "sched:sched_process_fork with types");
		return;
	}
	cg_aux_begin(cg, "a task that is followed makes another");
	out = as_new_label(cg->as);
	mark = as_new_label(cg->as);
	cg->state->zero_off = cg_frame(cg, 8);
	of_named_process(cg, mark);
	as_load(cg->as, 8, R2, R6, 0);
	cg_storage(cg, cg->image->followed, R2, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, out);
	as_bind(cg->as, mark);
	as_load(cg->as, 8, R2, R6, 8);
	cg_storage(cg, cg->image->followed, R2, BPF_LOCAL_STORAGE_GET_F_CREATE);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, out);
	cg_count(cg, cg->plan->c_unfollowed);
	as_bind(cg->as, out);
	cg_aux_end(cg, fork, "follow", "hands the mark of the command's tasks down");
}
