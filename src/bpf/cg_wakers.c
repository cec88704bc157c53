/*
 * wakers(): who woke a thread, who woke that one, and so on, until the interrupt or the
 * timer behind which there is no thread.
 *
 * waker() is the first hop alone, as text, of the event that happens now.
 *
 * Auxiliary programs keep it. Those around handlers note in the table `contexts` that one
 * runs on this CPU, and over which thread; one at wake-ups writes who wakes, and behind it
 * the waker's own chain, into the table `wakers` under the number of the thread that is woken.
 * A chain is kept as words of a stack: WAKER_WORDS for each hop, the direct waker first.
 */
#include "bpf/cg_aux.h"
#include "bpf/cg_expr.h"
#include "bpf/cg_map.h"
#include "bpf/cg_stack.h"
#include "bpf/cg_state.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lang/diag_tags.h"

#define HOPS 8
#define CHAIN_WORDS (HOPS * WAKER_WORDS)
#define CHAIN_BYTES (8 + 8 * CHAIN_WORDS)	/* u64: how many words count; the words */
#define CONTEXT_BYTES 24			/* u64: the thread + 1, 0: none runs; two words */
#define NAME_BYTES 16
#define WAKER_BYTES 32			/* "[softirq IRQ_POLL]" */
#define SOFTIRQ_NET_TX 2
#define SOFTIRQ_NET_RX 3
/* Of threads that run or wait for a CPU: who woke a blocked one before no longer counts. Each CPU
 * keeps up to 128 free rows for itself (LOCAL_FREE_TARGET of kernel/bpf/bpf_lru_list.c). */
#define WAKERS_MOST 4096
#define WAKERS_OF_CPU 256

/* What can wake without being a thread, the innermost first. */
static const struct context {
	const char *system, *begin, *end;
	int arg;
	const char *type, *member;	/* of the argument; NULL: its own number */
	const char *name;		/* instead of what the argument says, 7 bytes */
	uint8_t kind;			/* enum waker_kind */
} contexts[] = {
	{ "timer", "hrtimer_expire_entry", "hrtimer_expire_exit", 0, "hrtimer", "function", NULL,
	  WAKER_TIMER },
	{ "irq", "irq_handler_entry", "irq_handler_exit", 1, "irqaction", "name", NULL, WAKER_IRQ },
	{ "irq_vectors", "call_function_single_entry", "call_function_single_exit", 0, NULL, NULL,
	  "IPI", WAKER_IRQ },
	{ "irq_vectors", "call_function_entry", "call_function_exit", 0, NULL, NULL, "IPI", WAKER_IRQ },
	{ "irq_vectors", "irq_work_entry", "irq_work_exit", 0, NULL, NULL, "work", WAKER_IRQ },
	{ "irq_vectors", "local_timer_entry", "local_timer_exit", 0, NULL, NULL, "timer", WAKER_IRQ },
	{ "timer", "timer_expire_entry", "timer_expire_exit", 0, "timer_list", "function", NULL,
	  WAKER_TIMER },
	{ "irq", "softirq_entry", "softirq_exit", 0, NULL, NULL, NULL, WAKER_SOFTIRQ },
};

#define CONTEXTS ((int)(sizeof(contexts) / sizeof(contexts[0])))
/* Behind them a u64: the thread + 1 that raised NET_RX or NET_TX last; 0: no thread did. */
#define RAISED (CONTEXT_BYTES * CONTEXTS)
/* What ended last: u64 the thread + 1 that it ran over, 0: a thread has raised a softirq since; u64 its kind; its two words. */
#define ENDED (RAISED + 8)
#define ENDED_KIND (ENDED + 8)
#define ENDED_WORDS (ENDED + 16)
#define PF_KTHREAD 0x00200000
#define KSOFTIRQ 0x71726974666f736b	/* "ksoftirq", the begin of a name */

const char *const waker_softirqs[WAKER_SOFTIRQS] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };

void cg_wakers_maps(struct cg *cg)
{
	cg->state->wakers_map = cg_add_map(cg, (struct img_map){
		.name = "wakers", .type = BPF_MAP_TYPE_LRU_HASH, .key_bytes = 8,
		.value_bytes = CHAIN_BYTES, .max_entries = WAKERS_MOST + WAKERS_OF_CPU * cg->options->cpus_possible,
		.purpose = "who woke each thread, and who woke that one" });
	cg->state->contexts_map = cg_add_map(cg, (struct img_map){
		.name = "contexts", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
		.value_bytes = ENDED_WORDS + 16, .max_entries = 1,
		.purpose = "interrupts and timers that run now" });
}

/* ---- the value ---- */

/* Zeroed but for how many words there are in R0; the frames follow. */
static struct place stack_of_wakers(struct cg *cg, struct place stack)
{
	cg_zero(cg, stack, (int)offsetof(struct img_stack, frames));
	as_store(cg->as, 4, stack.reg, stack.off + (int)offsetof(struct img_stack, n), R0);
	as_store_imm(cg->as, 2, stack.reg, stack.off + (int)offsetof(struct img_stack, user),
		     STACK_OF_WAKERS);
	return (struct place){ stack.reg, stack.off + (int)offsetof(struct img_stack, frames) };
}

/*
 *	if (!(chain = lookup(wakers, thread))) goto none;
 *	stack = { .n = chain->n, .user = STACK_OF_WAKERS, .frames = chain->words };
 */
void cg_wakers(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	struct place stack = cg_room(cg, sizeof(struct img_stack)), frames;
	struct place key = { R10, cg_frame(cg, 8) };

	(void)room;
	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, key.reg, key.off, R0);
	cg_find(cg, cg->state->wakers_map, key, none);
	as_mov(cg->as, R1, R0);
	as_load(cg->as, 8, R0, R1, 0);
	frames = stack_of_wakers(cg, stack);
	cg_copy(cg, frames, (struct place){ R1, 8 }, 8 * CHAIN_WORDS);
	cg_stack_keep(cg, stack, (struct place){ R10, cg_frame(cg, STACK_ID_BYTES) }, at, false);
}

/* A chain of one hop that ends: who has the CPU instead. */
void cg_preempted_by(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	struct place stack = cg_room(cg, sizeof(struct img_stack)), frames;

	(void)room;
	as_imm(cg->as, R0, WAKER_WORDS);
	frames = stack_of_wakers(cg, stack);
	as_store_imm(cg->as, 8, frames.reg, frames.off, WAKER_PREEMPTER);
	cg_text(cg, e->kids[0], (struct place){ frames.reg, frames.off + 8 }, NAME_BYTES, true, none);
	cg_stack_keep(cg, stack, (struct place){ R10, cg_frame(cg, STACK_ID_BYTES) }, at, false);
}

/* R0 = the CPU's contexts */
static void contexts_get(struct cg *cg, as_label none)
{
	cg_cpu_row(cg, cg->state->contexts_map);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
}

/* "[irq NAME]" at 32 bytes of the frame; the words are at R0 + from. */
static void put_irq(struct cg *cg, int text, int from)
{
	static const char before[] = "[irq ";

	as_mov(cg->as, R3, R0);
	as_alu_imm(cg->as, BPF_ADD, R3, from);
	cg_put_text(cg, (struct place){ R10, text }, before, sizeof(before) - 1, 8);
	cg_addr(cg, R1, (struct place){ R10, text + (int)sizeof(before) - 1 });
	as_imm(cg->as, R2, NAME_BYTES);
	as_call(cg->as, BPF_FUNC_probe_read_kernel_str);
	/* R0: its bytes with the NUL, on which the bracket comes */
	as_alu_imm(cg->as, BPF_SUB, R0, 1);
	as_alu_imm(cg->as, BPF_AND, R0, NAME_BYTES - 1);
	cg_addr(cg, R1, (struct place){ R10, text + (int)sizeof(before) - 1 });
	as_alu(cg->as, BPF_ADD, R1, R0);
	as_store_imm(cg->as, 1, R1, 0, ']');
}

static void put_softirq(struct cg *cg, int text, int from, as_label done)
{
	as_load(cg->as, 8, R1, R0, from);
	for (int i = 0; i < WAKER_SOFTIRQS; i++) {
		as_label next = as_new_label(cg->as);
		char name[WAKER_BYTES];
		int n = snprintf(name, sizeof(name), "[softirq %s]", waker_softirqs[i]);

		as_jump_if_imm(cg->as, BPF_JNE, R1, i, next);
		cg_put_text(cg, (struct place){ R10, text }, name, n, WAKER_BYTES);
		as_jump(cg->as, done);
		as_bind(cg->as, next);
	}
}

static void put_context(struct cg *cg, int kind, int text, int from, as_label done)
{
	if (kind == WAKER_IRQ)
		put_irq(cg, text, from);
	else if (kind == WAKER_SOFTIRQ)
		put_softirq(cg, text, from, done);
	else
		cg_put_text(cg, (struct place){ R10, text }, "[timer]", 7, 8);
	as_jump(cg->as, done);
}

/*
 * What softirqs leave to ksoftirqd they leave at their end, behind the last handler and still in the
 * interrupt. The contexts are at row, R6 is the context of sched_waking; to thread where it is no such wake-up.
 *	if (!(p->flags & PF_KTHREAD) || p->comm is not "ksoftirq..") goto thread;
 *	if (ended.thread != this + 1) goto thread;
 * Clobbers R1 R2.
 */
static void ended_wakes(struct cg *cg, int row, int self, as_label thread)
{
	int flags = cg_aux_member(cg, "task_struct", "flags");
	int comm = cg_aux_member(cg, "task_struct", "comm");

	if (flags < 0 || comm < 0) {
		as_jump(cg->as, thread);
		return;
	}
	as_load(cg->as, 8, R1, R6, 0);
	as_load(cg->as, 4, R2, R1, flags);
	as_alu_imm(cg->as, BPF_AND, R2, PF_KTHREAD);
	as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, thread);
	as_load(cg->as, 8, R1, R1, comm);
	as_imm(cg->as, R2, KSOFTIRQ);
	as_jump_if(cg->as, BPF_JNE, R1, R2, thread);
	as_load(cg->as, 8, R1, row, ENDED);
	as_load(cg->as, 8, R2, R10, self);
	as_jump_if(cg->as, BPF_JNE, R1, R2, thread);
}

static bool is_waking(const struct p_event *e)
{
	return e->attach == ATTACH_TP_BTF && !strcmp(e->name, "sched:sched_waking");
}

/* R0 = the contexts */
static void put_ended(struct cg *cg, int self, int text, as_label thread, as_label done)
{
	static const int kinds[] = { WAKER_IRQ, WAKER_SOFTIRQ, WAKER_TIMER };

	ended_wakes(cg, R0, self, thread);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		as_label next = as_new_label(cg->as);

		as_load(cg->as, 8, R1, R0, ENDED_KIND);
		as_jump_if_imm(cg->as, BPF_JNE, R1, kinds[i], next);
		put_context(cg, kinds[i], text, ENDED_WORDS, done);
		as_bind(cg->as, next);
	}
}

/*
 *	for (i = 0; i < CONTEXTS; i++)
 *		if (contexts[i].thread == this + 1) { text = "[irq NAME]"; goto done; }
 *	if (ksoftirqd is woken behind the last handler) { text = that; goto done; }
 *	text = the argument;
 */
void cg_waker(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	as_label thread = as_new_label(cg->as), done = as_new_label(cg->as);
	int self = cg_frame(cg, 8), text = cg_frame(cg, WAKER_BYTES);

	cg_zero(cg, (struct place){ R10, text }, WAKER_BYTES);
	cg_common(cg, COMMON_TID);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	as_store(cg->as, 8, R10, self, R0);
	contexts_get(cg, thread);
	for (int i = 0; i < CONTEXTS; i++) {
		as_label next = as_new_label(cg->as);

		as_load(cg->as, 8, R1, R0, CONTEXT_BYTES * i);
		as_load(cg->as, 8, R2, R10, self);
		as_jump_if(cg->as, BPF_JNE, R1, R2, next);
		put_context(cg, contexts[i].kind, text, CONTEXT_BYTES * i + 8, done);
		as_bind(cg->as, next);
	}
	if (is_waking(cg->event))
		put_ended(cg, self, text, thread, done);
	as_bind(cg->as, thread);
	cg_text(cg, e->kids[0], (struct place){ R10, text }, NAME_BYTES, true, none);
	as_bind(cg->as, done);
	cg_copy(cg, at, (struct place){ R10, text }, room < WAKER_BYTES ? room : WAKER_BYTES);
}

/* ---- programs ---- */

static void wakers_end(struct cg *cg, const struct cat_event *at)
{
	cg_aux_end(cg, at, "wakers", "keeps who wakes whom");
}

/* The words at R7 + off: a name, or a number. */
static void put_words(struct cg *cg, const struct context *c, int off, int member)
{
	as_store_imm(cg->as, 8, R7, off, 0);
	as_store_imm(cg->as, 8, R7, off + 8, 0);
	if (c->name) {
		cg_put_text(cg, (struct place){ R7, off }, c->name, (int)strlen(c->name), 8);
		return;
	}
	as_load(cg->as, 8, R3, R6, 8 * c->arg);
	if (c->type)
		as_load(cg->as, 8, R3, R3, member);
	if (c->kind != WAKER_IRQ) {
		as_store(cg->as, 8, R7, off, R3);
		return;
	}
	cg_addr(cg, R1, (struct place){ R7, off });
	as_imm(cg->as, R2, NAME_BYTES);
	as_call(cg->as, BPF_FUNC_probe_read_kernel_str);
}

/*
 * A softirq of the network that a thread raised runs in this thread as soon as it may, inside
 * of its own send (loopback, veth): what it wakes, the thread wakes.
 *	if ((vec == NET_RX || vec == NET_TX) && raised == this + 1) goto inside;
 * R0 = this + 1
 */
static void softirq_inside(struct cg *cg, as_label inside)
{
	as_label handler = as_new_label(cg->as);

	as_load(cg->as, 8, R1, R6, 0);
	as_alu_imm(cg->as, BPF_SUB, R1, SOFTIRQ_NET_TX);
	as_jump_if_imm(cg->as, BPF_JGT, R1, SOFTIRQ_NET_RX - SOFTIRQ_NET_TX, handler);
	as_load(cg->as, 8, R1, R7, RAISED);
	as_jump_if(cg->as, BPF_JEQ, R1, R0, inside);
	as_bind(cg->as, handler);
}

/*
 *	raised = a handler runs over this thread ? 0 : this + 1;
 *	if (raised)
 *		ended.thread = 0;
 *	if (vec == NET_RX || vec == NET_TX)
 *		contexts.raised = raised;
 */
static void raise_program(struct cg *cg)
{
	const struct cat_event *raise = cg_aux_event(cg, "irq", "softirq_raise");
	as_label handler, known, out;

	if (!raise)
		return;
	cg_aux_begin(cg, "a softirq is raised");
	handler = as_new_label(cg->as);
	known = as_new_label(cg->as);
	out = as_new_label(cg->as);
	contexts_get(cg, out);
	as_mov(cg->as, R7, R0);
	cg_common(cg, COMMON_TID);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	for (int i = 0; i < CONTEXTS; i++) {
		as_load(cg->as, 8, R1, R7, CONTEXT_BYTES * i);
		as_jump_if(cg->as, BPF_JEQ, R1, R0, handler);
	}
	as_store_imm(cg->as, 8, R7, ENDED, 0);
	as_jump(cg->as, known);
	as_bind(cg->as, handler);
	as_imm(cg->as, R0, 0);
	as_bind(cg->as, known);
	as_load(cg->as, 8, R1, R6, 0);
	as_alu_imm(cg->as, BPF_SUB, R1, SOFTIRQ_NET_TX);
	as_jump_if_imm(cg->as, BPF_JGT, R1, SOFTIRQ_NET_RX - SOFTIRQ_NET_TX, out);
	as_store(cg->as, 8, R7, RAISED, R0);
	as_bind(cg->as, out);
	wakers_end(cg, raise);
}

static void context_programs(struct cg *cg, int i)
{
	const struct context *c = &contexts[i];
	const struct cat_event *begin = cg_aux_event(cg, c->system, c->begin);
	const struct cat_event *end = cg_aux_event(cg, c->system, c->end);
	int member = c->type ? cg_aux_member(cg, c->type, c->member) : 0;
	as_label out;

	if (!begin || !end || member < 0)
		return;
	cg_aux_begin(cg, "a handler begins");
	out = as_new_label(cg->as);
	contexts_get(cg, out);
	as_mov(cg->as, R7, R0);
	put_words(cg, c, CONTEXT_BYTES * i + 8, member);
	cg_common(cg, COMMON_TID);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	if (c->kind == WAKER_SOFTIRQ)
		softirq_inside(cg, out);
	as_store(cg->as, 8, R7, CONTEXT_BYTES * i, R0);
	as_bind(cg->as, out);
	wakers_end(cg, begin);
	cg_aux_begin(cg, "it ends");
	out = as_new_label(cg->as);
	contexts_get(cg, out);
	as_mov(cg->as, R7, R0);
	as_load(cg->as, 8, R1, R7, CONTEXT_BYTES * i);
	as_store(cg->as, 8, R7, ENDED, R1);
	as_store_imm(cg->as, 8, R7, ENDED_KIND, c->kind);
	cg_copy(cg, (struct place){ R7, ENDED_WORDS }, (struct place){ R7, CONTEXT_BYTES * i + 8 }, 16);
	as_store_imm(cg->as, 8, R7, CONTEXT_BYTES * i, 0);
	as_bind(cg->as, out);
	wakers_end(cg, end);
}

/*
 *	for (i = 0; i < CONTEXTS; i++)
 *		if (contexts[i].thread == this + 1) { chain = { 3, kind, words }; goto put; }
 *	if (ksoftirqd is woken behind the last handler) { chain = { 3, ended }; goto put; }
 * Falls through where a thread wakes; its number + 1 is at `self`.
 */
static void waker_is_none(struct cg *cg, int self, int chain, as_label put)
{
	as_label thread = as_new_label(cg->as);

	contexts_get(cg, thread);
	as_mov(cg->as, R7, R0);
	for (int i = 0; i < CONTEXTS; i++) {
		as_label next = as_new_label(cg->as);

		as_load(cg->as, 8, R1, R7, CONTEXT_BYTES * i);
		as_load(cg->as, 8, R2, R10, self);
		as_jump_if(cg->as, BPF_JNE, R1, R2, next);
		as_store_imm(cg->as, 8, R10, chain + 8, contexts[i].kind);
		cg_copy(cg, (struct place){ R10, chain + 16 },
			(struct place){ R7, CONTEXT_BYTES * i + 8 }, 16);
		as_jump(cg->as, put);
		as_bind(cg->as, next);
	}
	ended_wakes(cg, R7, self, thread);
	as_load(cg->as, 8, R1, R7, ENDED_KIND);
	as_store(cg->as, 8, R10, chain + 8, R1);
	cg_copy(cg, (struct place){ R10, chain + 16 }, (struct place){ R7, ENDED_WORDS }, 16);
	as_jump(cg->as, put);
	as_bind(cg->as, thread);
}

/*
 *	chain = { 3, TASK, comm };
 *	if ((own = lookup(wakers, this)))
 *		chain += own, as far as it fits;
 */
static void waker_is_thread(struct cg *cg, int self, int chain, as_label put)
{
	as_label fits = as_new_label(cg->as);
	const int most = CHAIN_WORDS - WAKER_WORDS;

	as_store_imm(cg->as, 8, R10, chain + 8, WAKER_TASK);
	cg_addr(cg, R1, (struct place){ R10, chain + 16 });
	as_imm(cg->as, R2, NAME_BYTES);
	as_call(cg->as, BPF_FUNC_get_current_comm);
	as_load(cg->as, 8, R1, R10, self);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_store(cg->as, 8, R10, self, R1);
	cg_find(cg, cg->state->wakers_map, (struct place){ R10, self }, put);
	as_mov(cg->as, R7, R0);
	cg_copy(cg, (struct place){ R10, chain + 8 + 8 * WAKER_WORDS }, (struct place){ R7, 8 },
		8 * most);
	as_load(cg->as, 8, R1, R7, 0);
	as_jump_if_imm(cg->as, BPF_JLE, R1, most, fits);
	as_imm(cg->as, R1, most);
	as_bind(cg->as, fits);
	as_alu_imm(cg->as, BPF_ADD, R1, WAKER_WORDS);
	as_store(cg->as, 8, R10, chain, R1);
}

static void waking_program(struct cg *cg, const struct cat_event *at, int pid)
{
	int chain, key, self;
	as_label put;

	cg_aux_begin(cg, "who wakes, and who woke that one");
	put = as_new_label(cg->as);
	key = cg_frame(cg, 8);
	self = cg_frame(cg, 8);
	chain = cg_frame(cg, CHAIN_BYTES);
	as_load(cg->as, 8, R1, R6, 0);
	as_load(cg->as, 4, R1, R1, pid);
	as_store(cg->as, 8, R10, key, R1);
	cg_zero(cg, (struct place){ R10, chain }, CHAIN_BYTES);
	as_store_imm(cg->as, 8, R10, chain, WAKER_WORDS);
	cg_common(cg, COMMON_TID);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	as_store(cg->as, 8, R10, self, R0);
	waker_is_none(cg, self, chain, put);
	waker_is_thread(cg, self, chain, put);
	as_bind(cg->as, put);
	cg_update(cg, cg->state->wakers_map, (struct place){ R10, key }, (struct place){ R10, chain }, BPF_ANY);
	wakers_end(cg, at);
}

void cg_wakers_programs(struct cg *cg)
{
	const struct cat_event *waking = cg_aux_event(cg, "sched", "sched_waking");
	const struct cat_event *first = cg_aux_event(cg, "sched", "sched_wakeup_new");
	int pid = waking ? cg_aux_member(cg, "task_struct", "pid") : -1;

	if (pid < 0) {
		diag_error(cg->diag, DIAG_UNABLE, (struct loc){ 0 }, "who woke whom is not known "
			   "here: no event sched:sched_waking with types");
		return;
	}
	waking_program(cg, waking, pid);
	if (first)
		waking_program(cg, first, pid);
	raise_program(cg);
	for (int i = 0; i < CONTEXTS; i++)
		context_programs(cg, i);
}
