/*
 * print: a row into the ring buffer, each column written to its place there.
 * The reader drains the ring on a timer, so nobody is woken.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_field.h"
#include "bpf/cg_period.h"
#include "bpf/cg_sink.h"
#include "bpf/cg_state.h"

#include <stddef.h>

#include "base/clock.h"

/*
 *	sec = now / 1 s + 1;
 *	if (limit.second != sec) { limit.second = sec; limit.rows = 0; }
 *	if (limit.rows++ >= most) { kept_back++; goto done; }
 * Two CPUs that see the second change at once may both begin to count anew: a few
 * rows more than the limit in that second, none uncounted.
 */
static void print_limit(struct cg *cg, const struct p_query *q, as_label done)
{
	as_label same = as_new_label(cg->as);

	cg_now(cg);
	as_alu_imm(cg->as, BPF_DIV, R0, NS_PER_S);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	cg_global_address(cg, R1, q->g_limit);
	as_load(cg->as, 8, R2, R1, 0);
	as_jump_if(cg->as, BPF_JEQ, R2, R0, same);
	as_store(cg->as, 8, R1, 0, R0);
	as_store_imm(cg->as, 8, R1, 8, 0);
	as_bind(cg->as, same);
	as_imm(cg->as, R2, 1);
	as_atomic(cg->as, BPF_ADD | BPF_FETCH, R1, 8, R2);
	as_imm(cg->as, R0, (int64_t)q->limit_per_s);
	as_jump_if(cg->as, BPF_JGE, R2, R0, cg_count_then(cg, q->c_kept_back, done));
}

static void print_column(struct cg *cg, const struct img_field *f, const struct px *e)
{
	as_label none = as_new_label(cg->as), end = as_new_label(cg->as);
	struct mark m = cg_mark(cg);
	struct place at = { R7, (int)f->off };
	int mask = (int)offsetof(struct img_record, none);

	if (type_is_word(&f->type)) {
		cg_word(cg, e, none);
		as_store(cg->as, 8, R7, at.off, R0);
	} else {
		cg_text(cg, e, at, (int)f->bytes, false, none);
	}
	if (e->may_none || e->op == PX_NONE) {
		as_jump(cg->as, end);
		as_bind(cg->as, none);
		cg_zero(cg, at, cg_round8(f->bytes));
		as_imm(cg->as, R1, (int64_t)(1ull << f->none_bit));
		as_load(cg->as, 8, R0, R7, mask);
		as_alu(cg->as, BPF_OR, R0, R1);
		as_store(cg->as, 8, R7, mask, R0);
		as_bind(cg->as, end);
	} else {
		as_bind(cg->as, none);
	}
	cg_release(cg, m);
}

void cg_record(struct cg *cg, const struct p_branch *b)
{
	const struct p_query *q = b->query;
	const struct img_rows *rows = image_find_rows(cg->image, q);

	cg_record_head(cg, q);
	for (int i = 0; i < q->n_columns; i++) {
		as_note(cg->as, b->columns[i]->loc, "print: column");
		print_column(cg, &rows->columns[i], b->columns[i]);
	}
}

/*
 *	r = ringbuf_reserve(bytes);
 *	if (!r) { lost++; goto done; }
 *	*r = { time, cpu, query, none, columns };
 *	ringbuf_submit(r, NO_WAKEUP);
 */
void cg_print(struct cg *cg, const struct p_branch *b, as_label done)
{
	const struct p_query *q = b->query;
	const struct img_rows *rows = image_find_rows(cg->image, q);

	if (q->limit_per_s)
		print_limit(cg, q, done);
	if (q->tree)
		cg_tree_row(cg, false);
	cg_note(cg, q->loc, "print: a record in the ring");
	as_map(cg->as, R1, cg->image->ring);
	as_imm(cg->as, R2, rows->bytes);
	as_imm(cg->as, R3, 0);
	as_call(cg->as, BPF_FUNC_ringbuf_reserve);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, cg_count_then(cg, q->c_lost, done));
	as_mov(cg->as, R7, R0);
	cg_record(cg, b);
	as_note(cg->as, q->loc, "print: hand it over");
	as_mov(cg->as, R1, R7);
	as_imm(cg->as, R2, BPF_RB_NO_WAKEUP);
	as_call(cg->as, BPF_FUNC_ringbuf_submit);
	if (q->tree)
		cg_tree_row(cg, true);
}
