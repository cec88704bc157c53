/*
 * Which of a keyed period were begun on a thread:
 *
 *	threads: thread -> key of the period that was begun there last
 *	record:	... thread, is there a key before, that key, is there one behind, that key
 *
 * so that the one before is found again when the latest ends, in whatever order they end. Calls
 * nest: nothing is behind. Where `depth` is used, 'is there' says how many are open.
 */
#include "bpf/cg_map.h"
#include "bpf/cg_period.h"
#include "bpf/cg_state.h"

static struct place thread_place(struct cg *cg)
{
	return (struct place){ R10, cg_frame(cg, 8) };
}

/* In a record: is there a key before, or behind it, and then the key. */
static int before_off(const struct p_period *p)
{
	return (int)p->thread_off + 8;
}

static int behind_off(const struct p_period *p)
{
	return before_off(p) + 8 + (int)p->key_bytes;
}

/* To `other` when the key at R0 is another one. */
static void unless_key(struct cg *cg, const struct p_period *p, struct place key, as_label other)
{
	for (int i = 0; i < (int)p->key_bytes; i += 8) {
		as_load(cg->as, 8, R1, R0, i);
		as_load(cg->as, 8, R2, key.reg, key.off + i);
		as_jump_if(cg->as, BPF_JNE, R1, R2, other);
	}
}

/*
 *	record.thread = thread;
 *	before = lookup(threads, thread);
 *	record.has = before != NULL; if (before) record.before = *before;
 *
 * Where that is the one of this key, which begins anew: what was before that.
 */
void cg_thread_before(struct cg *cg, const struct p_action *act, struct place key,
		      struct place record)
{
	const struct p_period *p = act->period;
	int off = record.off + (int)p->thread_off;
	as_label none = as_new_label(cg->as), end = as_new_label(cg->as);
	as_label other = as_new_label(cg->as);
	struct mark m = cg_mark(cg);
	struct place thread = thread_place(cg);

	as_note(cg->as, act->loc, "begin: the thread's one before");
	cg_word(cg, act->thread, none);
	as_store(cg->as, 8, thread.reg, thread.off, R0);
	as_store(cg->as, 8, record.reg, off, R0);
	cg_find(cg, cg->state->thread_map[p->id], thread, none);
	unless_key(cg, p, key, other);
	cg_find(cg, cg->state->period_map[p->id], key, none);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, (struct place){ record.reg, off + 8 },
		(struct place){ R1, (int)p->thread_off + 8 }, 8 + (int)p->key_bytes);
	as_jump(cg->as, end);
	as_bind(cg->as, other);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, (struct place){ record.reg, off + 16 }, (struct place){ R1, 0 },
		(int)p->key_bytes);
	as_store_imm(cg->as, 8, record.reg, off + 8, 1);
	if (p->needs_depth) {
		cg_find(cg, cg->state->period_map[p->id], (struct place){ record.reg, off + 16 }, end);
		as_load(cg->as, 8, R1, R0, (int)p->thread_off + 8);
		as_alu_imm(cg->as, BPF_ADD, R1, 1);
		as_store(cg->as, 8, record.reg, off + 8, R1);
	}
	as_jump(cg->as, end);
	as_bind(cg->as, none);
	as_store_imm(cg->as, 8, record.reg, off + 8, 0);
	cg_zero(cg, (struct place){ record.reg, off + 16 }, (int)p->key_bytes);
	as_bind(cg->as, end);
	if (!p->is_call)
		cg_zero(cg, (struct place){ record.reg, record.off + behind_off(p) }, 8 + (int)p->key_bytes);
	cg_release(cg, m);
}

/* threads[record.thread] = key; a full table counts as dropped: the period itself stays.
 * lookup(periods, record.before)->behind = key */
void cg_thread_enter(struct cg *cg, const struct p_action *act, struct place key,
		     struct place record, as_label done)
{
	const struct p_period *p = act->period;

	cg_update(cg, cg->state->thread_map[p->id],
		  (struct place){ record.reg, record.off + (int)p->thread_off }, key, BPF_ANY);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, cg_count_then(cg, p->c_dropped, done));
	if (p->is_call)
		return;
	as_load(cg->as, 8, R1, record.reg, record.off + before_off(p));
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, done);
	cg_find(cg, cg->state->period_map[p->id], (struct place){ record.reg, record.off + before_off(p) + 8 }, done);
	as_store_imm(cg->as, 8, R0, behind_off(p), 1);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, (struct place){ R1, behind_off(p) + 8 }, key, (int)p->key_bytes);
}

/* What the record R8 has at `what` is of the neighbour whose key it has at `neighbour`, too; there is none: none. */
static void link_neighbour(struct cg *cg, const struct p_period *p, int neighbour, int what, as_label none)
{
	as_load(cg->as, 8, R1, R8, neighbour);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, none);
	cg_find(cg, cg->state->period_map[p->id], (struct place){ R8, neighbour + 8 }, none);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, (struct place){ R1, what }, (struct place){ R8, what }, 8 + (int)p->key_bytes);
}

/* if (threads[R8->thread] == key) it becomes the one before, or goes. What a function
 * called is gone, too, when it returns, even if that has not returned itself. Of others, those
 * before and behind it are neighbours now. */
void cg_thread_leave(struct cg *cg, const struct p_action *act, struct place key)
{
	const struct p_period *p = act->period;
	int map = cg->state->thread_map[p->id];
	struct place thread = { R8, (int)p->thread_off };
	as_label end = as_new_label(cg->as), last = as_new_label(cg->as);

	as_note(cg->as, act->loc, "end: the thread's one before");
	if (!p->is_call) {
		as_label behind = as_new_label(cg->as), before = as_new_label(cg->as);

		link_neighbour(cg, p, before_off(p), behind_off(p), before);
		as_bind(cg->as, before);
		link_neighbour(cg, p, behind_off(p), before_off(p), behind);
		as_jump(cg->as, end);
		as_bind(cg->as, behind);
	}
	cg_find(cg, map, thread, end);
	if (!p->is_call)
		unless_key(cg, p, key, end);
	as_load(cg->as, 8, R1, R8, thread.off + 8);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, last);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, (struct place){ R1, 0 }, (struct place){ R8, thread.off + 16 },
		(int)p->key_bytes);
	as_jump(cg->as, end);
	as_bind(cg->as, last);
	cg_delete(cg, map, thread);
	as_bind(cg->as, end);
}

#define CALLS_GONE 16

/*
 * A function's calls go with their thread, the latest first:
 *
 *	for (n = 0; n < CALLS_GONE && (record = lookup(periods, key));) {
 *		more = record->has; next = record->before; delete(periods, key); key = next;
 *		n++;
 *		if (!more) break;
 *	}
 *	abandoned += n;
 */
static void calls_exit(struct cg *cg, const struct p_period *p, struct place thread, as_label none)
{
	int map = cg->state->period_map[p->id], bytes = (int)p->key_bytes;
	struct place key = cg_room(cg, bytes), next = cg_room(cg, bytes);
	int n = cg_frame(cg, 8), more = cg_frame(cg, 8);
	as_label again = as_new_label(cg->as), end = as_new_label(cg->as);

	cg_find(cg, cg->state->thread_map[p->id], thread, none);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, key, (struct place){ R1, 0 }, bytes);
	as_store_imm(cg->as, 8, R10, n, 0);
	as_bind(cg->as, again);
	cg_find(cg, map, key, end);
	as_load(cg->as, 8, R1, R0, (int)p->thread_off + 8);
	as_store(cg->as, 8, R10, more, R1);
	as_mov(cg->as, R1, R0);
	cg_copy(cg, next, (struct place){ R1, (int)p->thread_off + 16 }, bytes);
	cg_delete(cg, map, key);
	cg_copy(cg, key, next, bytes);
	as_load(cg->as, 8, R1, R10, n);
	as_alu_imm(cg->as, BPF_ADD, R1, 1);
	as_store(cg->as, 8, R10, n, R1);
	as_load(cg->as, 8, R2, R10, more);
	as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, end);
	as_jump_if_imm(cg->as, BPF_JLT, R1, CALLS_GONE, again);
	as_bind(cg->as, end);
	cg_count_number(cg, p->c_abandoned, n);
}

void cg_thread_exit(struct cg *cg, const struct p_action *act, as_label done)
{
	struct place thread = thread_place(cg);

	cg_word(cg, act->keys[0], done);
	as_store(cg->as, 8, thread.reg, thread.off, R0);
	if (act->period->is_call) {
		as_label gone = as_new_label(cg->as);

		calls_exit(cg, act->period, thread, gone);
		as_bind(cg->as, gone);
	}
	cg_delete(cg, cg->state->thread_map[act->period->id], thread);
}
