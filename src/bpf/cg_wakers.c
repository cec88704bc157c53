/*
 * wakers(): who woke a thread, who woke that one, and so on, until the interrupt or the
 * timer behind which there is no thread.
 *
 * Programs of our own keep it. Those around handlers note in the table `contexts` that one
 * runs on this CPU, and over which thread; one at wake-ups writes who wakes, and behind it
 * the waker's own chain, into the table `wakers` under the number of the thread that is woken.
 * A chain is kept as words of a stack: WAKER_WORDS for each hop, the direct waker first.
 */
#include "bpf/cg_state.h"

#include <stddef.h>

#include "lang/diag_tags.h"

#define HOPS 8
#define CHAIN_WORDS (HOPS * WAKER_WORDS)
#define CHAIN_BYTES (8 + 8 * CHAIN_WORDS)	/* u64: how many words count; the words */
#define CONTEXT_BYTES 24			/* u64: the thread + 1, 0: none runs; two words */
#define NAME_BYTES 16
/* Of threads that run or wait for a CPU: who woke a blocked one before no longer counts. Each CPU
 * keeps up to 128 free rows for itself (LOCAL_FREE_TARGET of kernel/bpf/bpf_lru_list.c). */
#define WAKERS_MOST 4096
#define WAKERS_OF_CPU 256

/* What can wake without being a thread, the innermost first. */
static const struct context {
	const char *system, *begin, *end;
	int arg;
	const char *type, *member;	/* of the argument; NULL: its own number */
	uint8_t kind;			/* enum waker_kind */
} contexts[] = {
	{ "timer", "hrtimer_expire_entry", "hrtimer_expire_exit", 0, "hrtimer", "function",
	  WAKER_TIMER },
	{ "irq", "irq_handler_entry", "irq_handler_exit", 1, "irqaction", "name", WAKER_IRQ },
	{ "timer", "timer_expire_entry", "timer_expire_exit", 0, "timer_list", "function",
	  WAKER_TIMER },
	{ "irq", "softirq_entry", "softirq_exit", 0, NULL, NULL, WAKER_SOFTIRQ },
};

#define CONTEXTS ((int)(sizeof(contexts) / sizeof(contexts[0])))

void cg_wakers_maps(struct cg *cg)
{
	cg->state->wakers_map = image_add_map(cg, (struct img_map){
		.name = "wakers", .type = BPF_MAP_TYPE_LRU_HASH, .key_bytes = 8,
		.value_bytes = CHAIN_BYTES, .max_entries = WAKERS_MOST + WAKERS_OF_CPU * cg->options->cpus_possible,
		.purpose = "who woke each thread, and who woke that one" });
	cg->state->contexts_map = image_add_map(cg, (struct img_map){
		.name = "contexts", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
		.value_bytes = CONTEXT_BYTES * CONTEXTS, .max_entries = 1,
		.purpose = "interrupts and timers that run now" });
}

/* ---- the value ---- */

/*
 *	if (!(chain = lookup(wakers, thread))) goto none;
 *	stack = { .n = chain->n, .user = STACK_OF_WAKERS, .frames = chain->words };
 */
void cg_wakers(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	struct mark m = cg_mark(cg);
	struct place stack = cg_room(cg, sizeof(struct img_stack));
	struct place key = { R10, cg_frame(cg, 8) };
	const int frames = (int)offsetof(struct img_stack, frames);

	(void)room;
	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, key.reg, key.off, R0);
	cg_find(cg, cg->state->wakers_map, key, none);
	as_mov(cg->as, R1, R0);
	cg_zero(cg, stack, frames);
	as_load(cg->as, 8, R0, R1, 0);
	as_store(cg->as, 4, stack.reg, stack.off + (int)offsetof(struct img_stack, n), R0);
	as_store_imm(cg->as, 2, stack.reg, stack.off + (int)offsetof(struct img_stack, user),
		     STACK_OF_WAKERS);
	cg_copy(cg, (struct place){ stack.reg, stack.off + frames }, (struct place){ R1, 8 },
		8 * CHAIN_WORDS);
	cg_stack_keep(cg, stack, at);
	cg_release(cg, m);
}

/* ---- programs ---- */

static const struct cat_event *event_of(const struct cg *cg, const char *system, const char *name)
{
	const struct catalog *c = cg->plan->catalog;
	const struct cat_event *e = c ? c->ops->event(c->self, str_of(system), str_of(name)) : NULL;

	return e && e->btf_id ? e : NULL;
}

static int member_of(const struct cg *cg, const char *type, const char *member)
{
	const struct catalog *c = cg->plan->catalog;
	uint32_t t = c->ops->struct_type(c->self, str_of(type));
	struct cat_member m = { .offset = 0 };

	return t && c->ops->member(c->self, t, str_of(member), &m) ? (int)m.offset : -1;
}

static void begin_program(struct cg *cg, const char *what)
{
	cg->as = as_new(cg->work);
	cg->frame_used = 0;
	as_note(cg->as, (struct loc){ 0 }, what);
	as_mov(cg->as, R6, R1);
}

static void end_program(struct cg *cg, const struct cat_event *at)
{
	struct img_prog p = { .name = "wakers", .cat = at, .type = BPF_PROG_TYPE_TRACING,
			      .expected_attach = BPF_TRACE_RAW_TP, .btf_id = at->btf_id };

	as_imm(cg->as, R0, 0);
	as_exit(cg->as);
	cg_finish(cg, &p);
	vec_push(cg->arena, &cg->image->progs, p);
}

/* R0 = the CPU's contexts */
static void contexts_get(struct cg *cg, as_label none)
{
	cg_cpu_row(cg, cg->state->contexts_map);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
}

/* The words at R7 + off: a name, or a number. */
static void put_words(struct cg *cg, const struct context *c, int off, int member)
{
	as_load(cg->as, 8, R3, R6, 8 * c->arg);
	if (c->type)
		as_load(cg->as, 8, R3, R3, member);
	as_store_imm(cg->as, 8, R7, off, 0);
	as_store_imm(cg->as, 8, R7, off + 8, 0);
	if (c->kind != WAKER_IRQ) {
		as_store(cg->as, 8, R7, off, R3);
		return;
	}
	cg_addr(cg, R1, (struct place){ R7, off });
	as_imm(cg->as, R2, NAME_BYTES);
	as_call(cg->as, BPF_FUNC_probe_read_kernel_str);
}

static void context_programs(struct cg *cg, int i)
{
	const struct context *c = &contexts[i];
	const struct cat_event *begin = event_of(cg, c->system, c->begin);
	const struct cat_event *end = event_of(cg, c->system, c->end);
	int member = c->type ? member_of(cg, c->type, c->member) : 0;
	as_label out;

	if (!begin || !end || member < 0)
		return;
	begin_program(cg, "a handler begins");
	out = as_new_label(cg->as);
	contexts_get(cg, out);
	as_mov(cg->as, R7, R0);
	put_words(cg, c, CONTEXT_BYTES * i + 8, member);
	cg_common(cg, COMMON_TID);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	as_store(cg->as, 8, R7, CONTEXT_BYTES * i, R0);
	as_bind(cg->as, out);
	end_program(cg, begin);
	begin_program(cg, "it ends");
	out = as_new_label(cg->as);
	contexts_get(cg, out);
	as_store_imm(cg->as, 8, R0, CONTEXT_BYTES * i, 0);
	as_bind(cg->as, out);
	end_program(cg, end);
}

/*
 *	for (i = 0; i < CONTEXTS; i++)
 *		if (contexts[i].thread == this + 1) { chain = { 3, kind, words }; goto put; }
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

	begin_program(cg, "who wakes, and who woke that one");
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
	end_program(cg, at);
}

void cg_wakers_programs(struct cg *cg)
{
	const struct cat_event *waking = event_of(cg, "sched", "sched_waking");
	const struct cat_event *first = event_of(cg, "sched", "sched_wakeup_new");
	int pid = waking ? member_of(cg, "task_struct", "pid") : -1;

	if (pid < 0) {
		diag_error(cg->diag, DIAG_UNABLE, (struct loc){ 0 }, "who woke whom is not known "
			   "here: no event sched:sched_waking with types");
		return;
	}
	waking_program(cg, waking, pid);
	if (first)
		waking_program(cg, first, pid);
	for (int i = 0; i < CONTEXTS; i++)
		context_programs(cg, i);
}
