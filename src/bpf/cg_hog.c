/*
 * hog() and hog_tid(): who had this CPU longest since a time, the running thread among them.
 *
 * An auxiliary program at switches keeps on each CPU the runs that can still be the answer: one that
 * was followed by a longer one never is again. So they are ever shorter, the newest last, and the first
 * that ended after a time is the longest that did; only if a part of it is cut off the next may be longer.
 * Of more than RUNS_MOST the oldest are forgotten.
 */
#include "bpf/cg_aux.h"
#include "bpf/cg_field.h"
#include "bpf/cg_map.h"
#include "bpf/cg_state.h"

#include "lang/diag_tags.h"

#define RUNS_MOST 32
#define COMM_BYTES 16

/* Of a CPU: u64: how many runs count; u64: when the running thread came, 0: not known; the runs. */
enum { N_RUNS = 0, SINCE = 8, RUNS = 16 };
/* Of a run: u64: when it ended; u64: its time; u64: its thread; its name. */
enum { RUN_END = 0, RUN_NS = 8, RUN_TID = 16, RUN_COMM = 24, RUN_BYTES = 40 };

void cg_hog_map(struct cg *cg)
{
	cg->state->runs_map = cg_add_map(cg, (struct img_map){
		.name = "runs", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
		.value_bytes = RUNS + RUNS_MOST * RUN_BYTES, .max_entries = 1,
		.purpose = "who had each CPU longest since when" });
}

/* ---- the value ---- */

/*
 *	for (i = 0; i < RUNS_MOST; i++)
 *		if (runs[i].end > from) {
 *			R1 = min(runs[i].ns, runs[i].end - from); R2 = &runs[i] - R0;
 *			if (i + 1 < n && runs[i + 1].ns > R1) { R1 = runs[i + 1].ns; R2 += RUN_BYTES; }
 *			break;
 *		}
 * R0: the CPU's; R1 is 0 where there is none. R5: from. What stands behind the n ended before the last of them.
 */
static void find_longest(struct cg *cg)
{
	as_label end = as_new_label(cg->as);

	as_load(cg->as, 8, R4, R0, N_RUNS);
	for (int i = 0; i < RUNS_MOST; i++) {
		as_label next = as_new_label(cg->as), whole = as_new_label(cg->as);
		int run = RUNS + RUN_BYTES * i;

		as_imm(cg->as, R2, run);
		as_load(cg->as, 8, R1, R0, run + RUN_END);
		as_jump_if(cg->as, BPF_JLE, R1, R5, next);
		as_alu(cg->as, BPF_SUB, R1, R5);
		as_load(cg->as, 8, R3, R0, run + RUN_NS);
		as_jump_if(cg->as, BPF_JGE, R3, R1, whole);
		as_mov(cg->as, R1, R3);
		as_bind(cg->as, whole);
		if (i + 1 < RUNS_MOST) {
			as_jump_if_imm(cg->as, BPF_JLE, R4, i + 1, end);
			as_load(cg->as, 8, R3, R0, run + RUN_BYTES + RUN_NS);
			as_jump_if(cg->as, BPF_JLE, R3, R1, end);
			as_mov(cg->as, R1, R3);
			as_imm(cg->as, R2, run + RUN_BYTES);
		}
		as_jump(cg->as, end);
		as_bind(cg->as, next);
	}
	as_imm(cg->as, R1, 0);
	as_bind(cg->as, end);
}

/*
 *	longest = the longest of the runs since e;
 *	if (now - since >= longest.ns) goto running;
 * R0 + R2: the run. Where there is none the CPU's thread came before e.
 */
static void longest(struct cg *cg, const struct px *e, as_label running, as_label none)
{
	int from = cg_frame(cg, 8), now = cg_frame(cg, 8);

	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, R10, from, R0);
	cg_now(cg);
	as_store(cg->as, 8, R10, now, R0);
	cg_cpu_row(cg, cg->state->runs_map);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_load(cg->as, 8, R5, R10, from);
	find_longest(cg);
	as_load(cg->as, 8, R3, R0, SINCE);
	as_load(cg->as, 8, R4, R10, now);
	as_alu(cg->as, BPF_SUB, R4, R3);
	as_jump_if(cg->as, BPF_JSGE, R4, R1, running);
	as_alu(cg->as, BPF_ADD, R0, R2);
}

void cg_hog_tid(struct cg *cg, const struct px *e, as_label none)
{
	as_label running = as_new_label(cg->as), end = as_new_label(cg->as);

	longest(cg, e, running, none);
	as_load(cg->as, 8, R0, R0, RUN_TID);
	as_jump(cg->as, end);
	as_bind(cg->as, running);
	cg_common(cg, COMMON_TID);
	as_bind(cg->as, end);
}

void cg_hog(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	as_label running = as_new_label(cg->as), end = as_new_label(cg->as);

	longest(cg, e, running, none);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, at, (struct place){ R1, RUN_COMM }, room < COMM_BYTES ? room : COMM_BYTES);
	as_jump(cg->as, end);
	as_bind(cg->as, running);
	cg_common_text(cg, COMMON_COMM, at, room, true);
	as_bind(cg->as, end);
}

/* ---- the program ---- */

/* while (n && runs[n - 1].ns <= R9) n--; R1 = n, R2 = &runs[n] - R7 */
static void drop_shorter(struct cg *cg)
{
	as_label end = as_new_label(cg->as);

	as_load(cg->as, 8, R1, R7, N_RUNS);
	for (int i = RUNS_MOST; i > 0; i--) {
		as_label next = as_new_label(cg->as);

		as_jump_if_imm(cg->as, BPF_JNE, R1, i, next);
		as_load(cg->as, 8, R3, R7, RUNS + RUN_BYTES * (i - 1) + RUN_NS);
		as_jump_if(cg->as, BPF_JGT, R3, R9, end);
		as_imm(cg->as, R1, i - 1);
		as_bind(cg->as, next);
	}
	as_bind(cg->as, end);
}

/* runs[n++] = { now, ns, prev }, without the oldest if there is no room */
static void add_run(struct cg *cg, int pid, int comm)
{
	as_label room = as_new_label(cg->as);

	as_jump_if_imm(cg->as, BPF_JLT, R1, RUNS_MOST, room);
	cg_copy(cg, (struct place){ R7, RUNS }, (struct place){ R7, RUNS + RUN_BYTES }, RUN_BYTES * (RUNS_MOST - 1));
	as_imm(cg->as, R1, RUNS_MOST - 1);
	as_bind(cg->as, room);
	as_mov(cg->as, R2, R1);
	as_alu_imm(cg->as, BPF_ADD, R2, 1);
	as_store(cg->as, 8, R7, N_RUNS, R2);
	as_alu_imm(cg->as, BPF_MUL, R1, RUN_BYTES);
	as_mov(cg->as, R2, R7);
	as_alu(cg->as, BPF_ADD, R2, R1);
	as_store(cg->as, 8, R2, RUNS + RUN_END, R8);
	as_store(cg->as, 8, R2, RUNS + RUN_NS, R9);
	as_load(cg->as, 8, R3, R6, 8);		/* prev */
	as_load(cg->as, 4, R1, R3, pid);
	as_store(cg->as, 8, R2, RUNS + RUN_TID, R1);
	as_load(cg->as, 8, R1, R3, comm);
	as_store(cg->as, 8, R2, RUNS + RUN_COMM, R1);
	as_load(cg->as, 8, R1, R3, comm + 8);
	as_store(cg->as, 8, R2, RUNS + RUN_COMM + 8, R1);
}

void cg_hog_program(struct cg *cg)
{
	const struct cat_event *at = cg_aux_event(cg, "sched", "sched_switch");
	int pid = at ? cg_aux_member(cg, "task_struct", "pid") : -1;
	int comm = at ? cg_aux_member(cg, "task_struct", "comm") : -1;
	as_label out;

	if (pid < 0 || comm < 0) {
		diag_error(cg->diag, DIAG_UNABLE, (struct loc){ 0 }, "who had a CPU is not known here: no event "
			   "sched:sched_switch with types");
		return;
	}
	cg_aux_begin(cg, "who had the CPU, and how long");
	out = as_new_label(cg->as);
	cg_cpu_row(cg, cg->state->runs_map);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, out);
	as_mov(cg->as, R7, R0);
	as_call(cg->as, BPF_FUNC_ktime_get_ns);
	as_mov(cg->as, R8, R0);
	as_load(cg->as, 8, R1, R7, SINCE);
	as_store(cg->as, 8, R7, SINCE, R8);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, out);
	as_mov(cg->as, R9, R8);
	as_alu(cg->as, BPF_SUB, R9, R1);
	drop_shorter(cg);
	add_run(cg, pid, comm);
	as_bind(cg->as, out);
	cg_aux_end(cg, at, "runs", "keeps who had the CPU");
}
