/*
 * Stacks: taken into scratch, known by a hash of 128 bits from there on. The frames of
 * a stack that was not met before go into the table `stacks`, once, which culprit
 * empties now and then: so a row, a key or a begin's record holds 16 bytes of it.
 *
 * A program's stack has its process in its hash, because what an address means depends
 * on it: the number and, where the kernel tells it, the address space (another after an
 * exec). A process whose stack was not met before is said in a ring buffer of its own,
 * so that its mappings are noted while it is there.
 *
 * cg_user_stack is the one place that knows how a program's frames are found. To find
 * them in another way, write struct img_stack there: n and frames, innermost first, and
 * cut when it is not whole. All else follows from that.
 */
#include "bpf/cg_stack.h"
#include "bpf/cg_field.h"
#include "bpf/cg_map.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_state.h"

#include <errno.h>
#include <stddef.h>

#define AT(member) ((int)offsetof(struct img_stack, member))
#define HASH_FIRST 0x243f6a8885a308d3ll
#define HASH_SECOND 0x13198a2e03707344ll
#define HASH_FACTOR ((int64_t)0x9e3779b97f4a7c15ull)
#define HASH_FACTOR_SECOND 0x2c1b3c6d

#define USUAL_FRAMES 32			/* of the kernel: few of its stacks are deeper */

/* R0 = bpf_get_stack(ctx, &frames[first], bytes of those up to n, flags) */
static void get_stack(struct cg *cg, struct place to, int first, int n, int flags)
{
	as_mov(cg->as, R1, R6);
	cg_addr(cg, R2, (struct place){ to.reg, to.off + AT(frames) + 8 * first });
	as_imm(cg->as, R3, 8 * (n - first));
	as_imm(cg->as, R4, flags);
	as_call(cg->as, BPF_FUNC_get_stack);
}

/*
 *	n = R0 / 8;
 *	if (R0 < 0) { n = 0; cut = FAILED; lost++; }
 *	if (R0 == 0) goto none;
 *	if (n == all) { cut = DEEP; cut++; }
 */
static void frames_taken(struct cg *cg, struct place to, as_label none)
{
	as_label failed = as_new_label(cg->as), end = as_new_label(cg->as);

	as_jump_if_imm(cg->as, BPF_JSLT, R0, 0, failed);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_alu_imm(cg->as, BPF_RSH, R0, 3);
	as_store(cg->as, 4, to.reg, to.off + AT(n), R0);
	as_jump_if_imm(cg->as, BPF_JNE, R0, STACK_FRAMES, end);
	as_store_imm(cg->as, 2, to.reg, to.off + AT(cut), STACK_CUT_DEEP);
	cg_count(cg, cg->plan->c_stack_deep);
	as_jump(cg->as, end);
	as_bind(cg->as, failed);
	as_store_imm(cg->as, 2, to.reg, to.off + AT(cut), STACK_CUT_FAILED);
	cg_count(cg, cg->plan->c_stack_failed);
	as_bind(cg->as, end);
}

/* A kprobe of a function's return runs when its frame is gone; with fentry it is there. */
static bool has_lost_frame(const struct cg *cg)
{
	switch (cg->event->attach) {
	case ATTACH_KPROBE:
	case ATTACH_KPROBE_MULTI:
		return cg->event->cat->kind == CAT_FUNC_RETURN;
	case ATTACH_KPROBE_SESSION:
		return cg->state->at_return;
	}
	return false;
}

/*
 *	frames[0] = bpf_get_func_ip(ctx);
 *	R0 = get_stack(frames[1] on), and 8 more if there are any
 */
static void get_returned_stack(struct cg *cg, struct place to)
{
	as_label end = as_new_label(cg->as);

	as_mov(cg->as, R1, R6);
	as_call(cg->as, BPF_FUNC_get_func_ip);
	as_store(cg->as, 8, to.reg, to.off + AT(frames), R0);
	get_stack(cg, to, 1, STACK_FRAMES, 0);
	as_jump_if_imm(cg->as, BPF_JSLE, R0, 0, end);
	as_alu_imm(cg->as, BPF_ADD, R0, 8);
	as_bind(cg->as, end);
}

/* The kernel clears what it does not fill: most of its stacks are not deep. */
static void cg_kernel_stack(struct cg *cg, struct place to, as_label none)
{
	as_label taken = as_new_label(cg->as);

	if (has_lost_frame(cg)) {
		get_returned_stack(cg, to);
		frames_taken(cg, to, none);
		return;
	}

	/* of a sample in the program itself there is none: not to ask costs less */
	if (cg->event->attach == ATTACH_SAMPLE) {
		cg_sample_ip(cg);
		as_jump_if_imm(cg->as, BPF_JSGE, R0, 0, none);
	}
	get_stack(cg, to, 0, USUAL_FRAMES, 0);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 8 * USUAL_FRAMES, taken);
	get_stack(cg, to, 0, STACK_FRAMES, 0);
	as_bind(cg->as, taken);
	frames_taken(cg, to, none);
}

static void cg_user_stack(struct cg *cg, struct place to, as_label none)
{
	as_label by_kernel = as_new_label(cg->as), end = as_new_label(cg->as), elsewhere = as_new_label(cg->as);

	if (cg->image->unwind_pieces >= 0) {
		if (cg->options->pid_namespaced) {
			as_load(cg->as, 8, R0, to.reg, to.off + AT(pid));
			as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, elsewhere);
		}
		cg_unwind(cg, to, by_kernel);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, STACK_WHOLE, end);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, STACK_CUT_DEEP,
			       cg_count_then(cg, cg->plan->c_stack_deep, end));
		as_jump_if_imm(cg->as, BPF_JEQ, R1, STACK_CUT_UNREAD,
			       cg_count_then(cg, cg->plan->c_stack_unread, end));
		as_jump(cg->as, cg_count_then(cg, cg->plan->c_stack_short, end));
	}
	as_bind(cg->as, by_kernel);
	if (cg->image->unwind_pieces >= 0) {
		cg_count(cg, cg->plan->c_stack_unread);
		as_store_imm(cg->as, 2, to.reg, to.off + AT(cut), STACK_CUT_UNREAD);
		get_stack(cg, to, 0, 1, BPF_F_USER_STACK);
		frames_taken(cg, to, none);
		as_jump(cg->as, end);
	}
	as_bind(cg->as, elsewhere);
	get_stack(cg, to, 0, STACK_FRAMES, BPF_F_USER_STACK);
	frames_taken(cg, to, none);
	as_bind(cg->as, end);
}

/* pid and space of the running thread's process, which is another after it mapped code:
 * a library can be where another was; a thread of the kernel, or one that
 * has given its memory back, has no stack of a program. */
void cg_stack_process(struct cg *cg, struct place to, as_label none)
{
	int32_t mm;
	int room = cg_frame(cg, PROCESS_ROOM);

	as_store_imm(cg->as, 2, to.reg, to.off + AT(user), 1);
	cg_process(cg, (struct place){ R10, room });
	as_store(cg->as, 8, to.reg, to.off + AT(pid), R0);
	if (!cg_member_offset(cg, "task_struct", "mm", &mm))
		return;
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 8, R0, R0, mm);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_store(cg->as, 8, to.reg, to.off + AT(space), R0);
	if (cg->image->mapped < 0)
		return;
	cg_mapped(cg, (struct place){ R10, room });
	as_imm(cg->as, R0, HASH_FACTOR);
	as_alu(cg->as, BPF_MUL, R1, R0);
	as_load(cg->as, 8, R0, to.reg, to.off + AT(space));
	as_alu(cg->as, BPF_ADD, R0, R1);
	as_store(cg->as, 8, to.reg, to.off + AT(space), R0);
}

/*
 *	n = 3 + stack->n;			words of struct img_stack that count
 *	for (i = 0; i < n; i++) {
 *		a = (a ^ word[i]) * K;	a ^= a >> 32;
 *		b = (b + word[i]) * L;	b ^= b >> 29;
 *	}
 *	at = { a, b };
 * Each step is reversible, for the hash and for the word: stacks that differ in one
 * word never have the same.
 */
static void put_hash(struct cg *cg, struct place stack, struct place at)
{
	struct as *as = cg->as;
	as_label loop = as_new_label(as), end = as_new_label(as), fits = as_new_label(as);
	int ctx = cg_frame(cg, 8);

	as_store(as, 8, R10, ctx, R6);
	as_load(as, 4, R0, stack.reg, stack.off + AT(n));
	as_jump_if_imm(as, BPF_JLE, R0, STACK_FRAMES, fits);
	as_imm(as, R0, 0);
	as_bind(as, fits);
	as_alu_imm(as, BPF_ADD, R0, AT(frames) / 8);
	cg_addr(cg, R1, stack);
	as_imm(as, R2, HASH_FIRST);
	as_imm(as, R3, HASH_SECOND);
	as_imm(as, R5, 0);
	as_imm(as, R6, HASH_FACTOR);
	as_bind(as, loop);
	as_jump_if(as, BPF_JGE, R5, R0, end);
	as_load(as, 8, R4, R1, 0);
	as_alu(as, BPF_XOR, R2, R4);
	as_alu(as, BPF_MUL, R2, R6);
	as_alu(as, BPF_ADD, R3, R4);
	as_alu_imm(as, BPF_MUL, R3, HASH_FACTOR_SECOND);
	as_mov(as, R4, R2);
	as_alu_imm(as, BPF_RSH, R4, 32);
	as_alu(as, BPF_XOR, R2, R4);
	as_mov(as, R4, R3);
	as_alu_imm(as, BPF_RSH, R4, 29);
	as_alu(as, BPF_XOR, R3, R4);
	as_alu_imm(as, BPF_ADD, R1, 8);
	as_alu_imm(as, BPF_ADD, R5, 1);
	as_jump(as, loop);
	as_bind(as, end);
	as_store(as, 8, at.reg, at.off, R2);
	as_store(as, 8, at.reg, at.off + 8, R3);
	as_load(as, 8, R6, R10, ctx);
	cg_frame_free(cg, 8);
}

/*
 *	process = { pid, space };
 *	if (!lookup(processes, process)) {
 *		process.time_ns = ktime_get_ns();
 *		if (!ring_output(seen, process, FORCE_WAKEUP))
 *			update(processes, process, 1);
 *	}
 */
static void say_process(struct cg *cg, struct place stack)
{
	int key = cg_frame(cg, sizeof(struct img_process)), one = cg_frame(cg, 8);
	as_label known = as_new_label(cg->as);
	struct place at = { R10, key };

	cg_copy(cg, at, (struct place){ stack.reg, stack.off + AT(pid) }, PROCESS_KEY_BYTES);
	cg_lookup(cg, cg->image->processes, at);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, known);
	as_call(cg->as, BPF_FUNC_ktime_get_ns);
	as_store(cg->as, 8, R10, key + (int)offsetof(struct img_process, time_ns), R0);
	as_map(cg->as, R1, cg->image->process_ring);
	cg_addr(cg, R2, at);
	as_imm(cg->as, R3, sizeof(struct img_process));
	as_imm(cg->as, R4, BPF_RB_FORCE_WAKEUP);
	as_call(cg->as, BPF_FUNC_ringbuf_output);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, known);
	as_store_imm(cg->as, 8, R10, one, 1);
	cg_update(cg, cg->image->processes, at, (struct place){ R10, one }, BPF_ANY);
	as_bind(cg->as, known);
	cg_frame_free(cg, sizeof(struct img_process) + 8);
}

/*
 *	if (!lookup(stacks, key) && (e = update(stacks, key, stack, NOEXIST)) && e != -EEXIST)
 *		dropped++;
 */
static void keep_frames(struct cg *cg, struct place stack, struct place key, bool user)
{
	as_label end = as_new_label(cg->as), made = as_new_label(cg->as);

	cg_lookup(cg, cg->image->stacks, key);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, end);
	cg_update(cg, cg->image->stacks, key, stack, BPF_NOEXIST);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, made);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, -EEXIST, end);
	as_jump(cg->as, cg_count_then(cg, cg->plan->c_stack_full, end));
	as_bind(cg->as, made);
	if (user)
		say_process(cg, stack);
	as_bind(cg->as, end);
}

void cg_stack_keep(struct cg *cg, struct place stack, struct place key, struct place at, bool user)
{
	put_hash(cg, stack, key);
	keep_frames(cg, stack, key, user);
	cg_copy(cg, at, key, STACK_ID_BYTES);
}

static void one_stack(struct cg *cg, bool user, struct place at, as_label none)
{
	struct mark m = cg_mark(cg);
	struct place stack = cg_room(cg, sizeof(struct img_stack));
	struct place key = { R10, cg_frame(cg, STACK_ID_BYTES) };

	as_note(cg->as, (struct loc){ 0 }, user ? "the program's stack" : "the kernel's stack");
	cg_zero(cg, stack, AT(frames));
	if (user)
		cg_stack_process(cg, stack, none);
	(user ? cg_user_stack : cg_kernel_stack)(cg, stack, none);
	cg_stack_keep(cg, stack, key, at, user);
	cg_release(cg, m);
}

/* Its id to `at`; `stack` is both, what is not there is zero. */
void cg_stack(struct cg *cg, int common, struct place at, as_label none)
{
	struct place second = { at.reg, at.off + STACK_ID_BYTES };
	as_label no_kernel = as_new_label(cg->as), no_user = as_new_label(cg->as);

	if (common != COMMON_STACK) {
		one_stack(cg, common == COMMON_USTACK, at, none);
		return;
	}
	cg_zero(cg, at, 2 * STACK_ID_BYTES);
	one_stack(cg, false, at, no_kernel);
	as_bind(cg->as, no_kernel);
	one_stack(cg, true, second, no_user);
	as_bind(cg->as, no_user);
}
