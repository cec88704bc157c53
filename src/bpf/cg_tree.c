/*
 * tree: of each thread the number of calls that are open, and of the rows that were made
 * since nothing was. Each row says how many were open around its call, so that the reader
 * (table/tree.c) knows what was inside of what, and when the outermost has ended.
 *
 *	u64 depth, rows;
 *
 * An end sets depth to what it was at its begin, so that a call that was left in some
 * other way inside of it shifts nothing.
 */
#include "bpf/cg_field.h"
#include "bpf/cg_map.h"
#include "bpf/cg_period.h"
#include "bpf/cg_state.h"

#include <stddef.h>

#include "table/tree.h"

#define DEPTH_OFF 0
#define ROWS_OFF 8

static int slot_off(const struct p_period *p)
{
	return (int)p->slots.v[p->tree_slot].off;
}

/* R0 = the thread's, or 0 */
static void get(struct cg *cg, int flags)
{
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	cg_storage(cg, cg->state->tree_map, R0, flags);
}

void cg_tree_leave(struct cg *cg, const struct p_period *p, int left)
{
	as_load(cg->as, 8, R1, R8, slot_off(p));
	as_alu_imm(cg->as, BPF_ADD, R1, 1);
	as_store(cg->as, 8, R10, left, R1);
}

void cg_tree_left(struct cg *cg, const struct p_period *p, int left, struct place record)
{
	as_load(cg->as, 8, R1, R10, left);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_store(cg->as, 8, record.reg, record.off + slot_off(p), R1);
}

/*
 *	t = get(create);
 *	if (!t) { dropped++; goto end; }
 *	if (left) t->depth = record->depth;
 *	record->depth = t->depth++;
 */
void cg_tree_begin(struct cg *cg, const struct p_period *p, struct place record, int left)
{
	as_label end = as_new_label(cg->as), kept = as_new_label(cg->as);
	int at = record.off + slot_off(p);

	as_note(cg->as, p->loc, "tree: one more is open");
	get(cg, BPF_LOCAL_STORAGE_GET_F_CREATE);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, cg_count_then(cg, p->c_dropped, end));
	as_load(cg->as, 8, R1, R0, DEPTH_OFF);
	if (left) {
		as_load(cg->as, 8, R2, R10, left);
		as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, kept);
		as_load(cg->as, 8, R1, record.reg, at);
		as_bind(cg->as, kept);
	}
	as_store(cg->as, 8, record.reg, at, R1);
	as_alu_imm(cg->as, BPF_ADD, R1, 1);
	as_store(cg->as, 8, R0, DEPTH_OFF, R1);
	as_bind(cg->as, end);
}

/*
 *	if (record->depth > t->depth) record->depth = t->depth;
 *	t->depth = record->depth;
 * More than now cannot have been open: what it began in has ended first, as the call
 * by which a traced function returns ends after it.
 */
void cg_tree_end(struct cg *cg, const struct p_period *p, as_label gone)
{
	struct cg_state *s = cg->state;
	as_label nests = as_new_label(cg->as);

	as_note(cg->as, p->loc, "tree: so many are open as at its begin");
	get(cg, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, gone);
	s->tree_off = cg_frame(cg, 8);
	as_store(cg->as, 8, R10, s->tree_off, R0);
	as_load(cg->as, 8, R1, R8, slot_off(p));
	as_load(cg->as, 8, R2, R0, DEPTH_OFF);
	as_jump_if(cg->as, BPF_JLE, R1, R2, nests);
	as_mov(cg->as, R1, R2);
	as_store(cg->as, 8, R8, slot_off(p), R1);
	as_bind(cg->as, nests);
	as_store(cg->as, 8, R0, DEPTH_OFF, R1);
}

/* if (t = get()) t->depth -= t->depth != 0; */
void cg_tree_lost(struct cg *cg, const struct p_period *p)
{
	as_label end = as_new_label(cg->as);

	as_note(cg->as, p->loc, "tree: one less is open");
	get(cg, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_load(cg->as, 8, R1, R0, DEPTH_OFF);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, end);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_store(cg->as, 8, R0, DEPTH_OFF, R1);
	as_bind(cg->as, end);
}

/*
 * Before it is written: rows++, so that the reader sees what was lost. Behind that: of an
 * outermost one that was handed over, rows = 0.
 */
void cg_tree_row(struct cg *cg, bool handed_over)
{
	as_label end = as_new_label(cg->as);

	as_load(cg->as, 8, R1, R10, cg->state->tree_off);
	if (handed_over) {
		as_load(cg->as, 8, R0, R1, DEPTH_OFF);
		as_jump_if_imm(cg->as, BPF_JNE, R0, 0, end);
		as_store_imm(cg->as, 8, R1, ROWS_OFF, 0);
	} else {
		as_load(cg->as, 8, R0, R1, ROWS_OFF);
		as_alu_imm(cg->as, BPF_ADD, R0, 1);
		as_store(cg->as, 8, R1, ROWS_OFF, R0);
	}
	as_bind(cg->as, end);
}

void cg_tree_rows(struct cg *cg, const struct px *e, as_label none)
{
	(void)e, (void)none;
	as_load(cg->as, 8, R1, R10, cg->state->tree_off);
	as_load(cg->as, 8, R0, R1, ROWS_OFF);
}

/*
 *	if (t->depth || !t->rows) goto end;
 *	r = ringbuf_reserve(bytes);
 *	if (!r) goto end;			the next row of the thread tells
 *	*r = { only whose, and how many rows };
 *	ringbuf_submit(r); t->rows = 0;
 */
void cg_tree_close(struct cg *cg, const struct p_period *p)
{
	const struct img_rows *rows = image_find_rows(cg->image, p->tree);
	as_label end = as_new_label(cg->as);
	int n = p->tree->n_columns;

	as_note(cg->as, p->loc, "tree: the outermost made no row");
	as_load(cg->as, 8, R1, R10, cg->state->tree_off);
	as_load(cg->as, 8, R0, R1, DEPTH_OFF);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, end);
	as_load(cg->as, 8, R0, R1, ROWS_OFF);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_map(cg->as, R1, cg->image->ring);
	as_imm(cg->as, R2, rows->bytes);
	as_imm(cg->as, R3, 0);
	as_call(cg->as, BPF_FUNC_ringbuf_reserve);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_mov(cg->as, R7, R0);
	cg_record_head(cg, p->tree);
	as_imm(cg->as, R0, (1ll << n) - 1 - (1ll << TREE_TID) - (1ll << TREE_ROWS));
	as_store(cg->as, 8, R7, offsetof(struct img_record, none), R0);
	for (int i = 0; i < n; i++)
		cg_zero(cg, (struct place){ R7, (int)rows->columns[i].off },
			cg_round8(rows->columns[i].bytes));
	cg_common(cg, COMMON_TID);
	as_store(cg->as, 8, R7, (int)rows->columns[TREE_TID].off, R0);
	as_load(cg->as, 8, R1, R10, cg->state->tree_off);
	as_load(cg->as, 8, R0, R1, ROWS_OFF);
	as_store(cg->as, 8, R7, (int)rows->columns[TREE_ROWS].off, R0);
	as_store_imm(cg->as, 8, R1, ROWS_OFF, 0);
	as_mov(cg->as, R1, R7);
	as_imm(cg->as, R2, BPF_RB_NO_WAKEUP);
	as_call(cg->as, BPF_FUNC_ringbuf_submit);
	as_bind(cg->as, end);
}
