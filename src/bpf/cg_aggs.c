/*
 * Aggregations: the row of the key is found or made, then each aggregation
 * updates its part of it. How the tables look was decided in image_table.c.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_map.h"
#include "bpf/cg_sink.h"
#include "bpf/cg_state.h"

#define MAX_TRIES 16			/* of cg_max against other CPUs */
/* Each word of the key under which rows without a row of their own have their
 * buckets: no other key is this but by a chance of 1 in 2^64. */
#define OTHER_KEY 0x6fe2b4c19d5a8037ll

/* ---- what agg/ calls ---- */

void cg_arg(struct cg *cg, const struct p_agg *a, int i, int dst)
{
	const struct cg_state *s = cg->state;
	const struct p_query *q = cg->branch->query;
	const struct px *e = cg->branch->agg_args[a - q->aggs][i];
	int64_t number;

	if (px_is_number(e, &number))
		as_imm(cg->as, dst, number);
	else if (type_is_word(&a->arg[i]))
		as_load(cg->as, 8, dst, R10, s->arg_off[i]);
	else
		cg_addr(cg, dst, s->arg_at[i]);
}

void cg_add(struct cg *cg, uint32_t off, int src)
{
	if (cg->atomic) {
		as_atomic(cg->as, BPF_ADD, R7, (int)off, src);
		return;
	}
	as_load(cg->as, 8, R0, R7, (int)off);
	as_alu(cg->as, BPF_ADD, R0, src);
	as_store(cg->as, 8, R7, (int)off, R0);
}

/*
 *	new = row[i] += src[i];
 *	if (new < src[i]) src[i + 1]++;
 *	if (!src[i + 1]) goto done;	// mostly: nothing for the words above
 * An atomic add returns the old value, so that the carry is this add's own.
 */
void cg_add_words(struct cg *cg, uint32_t off, const int *src, int n)
{
	struct as *as = cg->as;
	as_label done = as_new_label(as);

	for (int i = 0; i < n - 1; i++, off += 8) {
		as_label no_carry = as_new_label(as);

		if (cg->atomic) {
			as_mov(as, R0, src[i]);
			as_atomic(as, BPF_ADD | BPF_FETCH, R7, (int)off, R0);
			as_alu(as, BPF_ADD, R0, src[i]);
		} else {
			as_load(as, 8, R0, R7, (int)off);
			as_alu(as, BPF_ADD, R0, src[i]);
			as_store(as, 8, R7, (int)off, R0);
		}
		as_jump_if(as, BPF_JGE, R0, src[i], no_carry);
		as_alu_imm(as, BPF_ADD, src[i + 1], 1);
		as_bind(as, no_carry);
		as_jump_if_imm(as, BPF_JEQ, src[i + 1], 0, done);
	}
	cg_add(cg, off, src[n - 1]);
	as_bind(as, done);
}

/*
 * Alone: if (row < R1) row = R1. Else
 *	old = row;
 *	while (old < R1) { seen = cmpxchg(&row, old, R1); if (seen == old) break; old = seen; }
 * unrolled: each try that fails means that another CPU made it larger.
 */
void cg_max(struct cg *cg, uint32_t off)
{
	as_label done = as_new_label(cg->as);

	as_load(cg->as, 8, R0, R7, (int)off);
	if (!cg->atomic) {
		as_jump_if(cg->as, BPF_JGE, R0, R1, done);
		as_store(cg->as, 8, R7, (int)off, R1);
	}
	for (int i = 0; cg->atomic && i < MAX_TRIES; i++) {
		as_jump_if(cg->as, BPF_JGE, R0, R1, done);
		as_mov(cg->as, R2, R0);
		as_mov(cg->as, R3, R1);
		as_atomic(cg->as, BPF_CMPXCHG, R7, (int)off, R3);
		as_jump_if(cg->as, BPF_JEQ, R0, R2, done);
	}
	as_bind(cg->as, done);
}

/*
 *	dst = 0;
 *	if (src >> 32) { src >>= 32; dst += 32; }
 *	... 16 8 4 2 1
 *	dst += src;
 * The verifier walks 64 ways through it, of which nothing is left behind it: they are one there.
 */
void cg_log2(struct cg *cg, int dst, int src, int scratch)
{
	struct as *as = cg->as;

	as_imm(as, dst, 0);
	for (int k = 32; k; k /= 2) {
		as_label small = as_new_label(as);

		if (k == 32) {
			as_mov(as, scratch, src);
			as_alu_imm(as, BPF_RSH, scratch, k);
			as_jump_if_imm(as, BPF_JEQ, scratch, 0, small);
		} else {
			as_jump_if_imm(as, BPF_JLT, src, 1 << k, small);
		}
		as_alu_imm(as, BPF_RSH, src, k);
		as_alu_imm(as, BPF_ADD, dst, k);
		as_bind(as, small);
	}
	as_alu(as, BPF_ADD, dst, src);
}

/* ---- the key ---- */

static void emit_key(struct cg *cg, const struct img_table *t, struct place key, int i)
{
	const struct img_field *f = &t->keys[i];
	const struct px *e = cg->branch->keys[i];
	struct place at = { key.reg, key.off + (int)f->off };
	struct place mask = { key.reg, key.off + (int)t->none_off };
	as_label none = as_new_label(cg->as), end = as_new_label(cg->as);
	struct mark m = cg_mark(cg);

	as_note(cg->as, e->loc, "aggregate: key");
	cg_value(cg, e, at, &f->type, none);
	as_jump(cg->as, end);
	as_bind(cg->as, none);
	if (f->none_bit >= 0) {
		cg_zero(cg, at, cg_round8(f->bytes));
		as_load(cg->as, 8, R0, mask.reg, mask.off);
		as_imm(cg->as, R1, (int64_t)(1ull << f->none_bit));
		as_alu(cg->as, BPF_OR, R0, R1);
		as_store(cg->as, 8, mask.reg, mask.off, R0);
	}
	as_bind(cg->as, end);
	cg_release(cg, m);
}

static bool has_none_bits(const struct img_table *t)
{
	for (int i = 0; i < p_query_all_keys(t->query); i++)
		if (t->keys[i].none_bit >= 0)
			return true;
	return false;
}

static void emit_keys(struct cg *cg, const struct img_table *t, struct place key)
{
	if (has_none_bits(t))
		cg_zero(cg, (struct place){ key.reg, key.off + (int)t->none_off }, 8);
	for (int i = 0; i < p_query_all_keys(t->query); i++)
		emit_key(cg, t, key, i);
}

/* ---- the row ---- */

/* R0 = the half in use, 0 or 1. A row and its buckets must be in the same half: with
 * buckets in tables of their own it is read once and kept. */
void cg_half(struct cg *cg, const struct img_table *t)
{
	if (cg->state->half_off) {
		as_load(cg->as, 8, R0, R10, cg->state->half_off);
		return;
	}
	cg_global_address(cg, R1, t->switch_word);
	as_load(cg->as, 8, R0, R1, 0);
	as_alu_imm(cg->as, BPF_AND, R0, 1);
}

/* Row number R0 of an array: R0 = lookup; 8 bytes of frame at key. */
static void lookup_number(struct cg *cg, int map, int key)
{
	as_store(cg->as, 4, R10, key, R0);
	cg_lookup(cg, map, (struct place){ R10, key });
}

/* if (!(R0 = lookup(key))) { update(key, 0, NOEXIST); R0 = lookup(key); } */
static void lookup_or_make(struct cg *cg, int map, struct place key)
{
	as_label found = as_new_label(cg->as);

	cg_lookup(cg, map, key);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, found);
	as_map(cg->as, R1, map);
	cg_addr(cg, R2, key);
	as_map_value(cg->as, R3, cg->state->zeros_map, 0);
	as_imm(cg->as, R4, BPF_NOEXIST);
	as_call(cg->as, BPF_FUNC_map_update_elem);
	cg_lookup(cg, map, key);
	as_bind(cg->as, found);
}

/* The same in the table in use of two. A lookup each, so that the kernel can
 * inline them. */
static void lookup_in_use(struct cg *cg, const struct img_table *t, const int *maps,
			  struct place key)
{
	as_label second = as_new_label(cg->as), end = as_new_label(cg->as);

	if (!t->doubled) {
		lookup_or_make(cg, maps[0], key);
		return;
	}
	cg_half(cg, t);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, second);
	lookup_or_make(cg, maps[0], key);
	as_jump(cg->as, end);
	as_bind(cg->as, second);
	lookup_or_make(cg, maps[1], key);
	as_bind(cg->as, end);
}

/* The only row: R0 = half or 0, R0 = lookup. */
static void find_single(struct cg *cg, const struct img_table *t, int map)
{
	int key = cg_frame(cg, 8);

	if (t->doubled)
		cg_half(cg, t);
	else
		as_imm(cg->as, R0, 0);
	lookup_number(cg, map, key);
	cg_frame_free(cg, 8);
}

/*
 *	if (k >= dense) { dropped++; goto done; }
 *	R0 = lookup(rows, k + half * dense)
 * A recorded call whose number the trace does not tell is no row.
 */
static void find_dense(struct cg *cg, const struct img_table *t, struct place key,
		       as_label done)
{
	const struct px *e = cg->branch->keys[0];
	bool is_call = e->op == PX_COMMON && e->common == COMMON_EVENT &&
		       cg->branch->event_is_syscall;
	int number = cg_frame(cg, 8);

	cg_word(cg, e, done);
	as_jump_if_imm(cg->as, BPF_JGE, R0, (int32_t)t->dense, is_call ? done :
		       cg_count_then(cg, t->query->c_dropped, done));
	if (t->doubled || t->apart)
		as_store(cg->as, 8, key.reg, key.off, R0);
	if (t->doubled) {
		cg_half(cg, t);
		as_alu_imm(cg->as, BPF_MUL, R0, (int32_t)t->dense);
		as_load(cg->as, 8, R1, key.reg, key.off);
		as_alu(cg->as, BPF_ADD, R0, R1);
	}
	lookup_number(cg, t->rows[0], number);
	cg_frame_free(cg, 8);
}

/* R0 = the key's row, or the row of all that found the table full: then the key
 * is OTHER_KEY from here on */
static void find_hash(struct cg *cg, const struct img_table *t, struct place key)
{
	as_label found = as_new_label(cg->as);

	emit_keys(cg, t, key);
	as_note(cg->as, t->query->loc, "aggregate: the key's row");
	lookup_in_use(cg, t, t->rows, key);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, found);
	cg_count(cg, t->query->c_dropped);
	as_imm(cg->as, R0, OTHER_KEY);
	for (int i = 0; t->apart && i < (int)t->key_bytes; i += 8)
		as_store(cg->as, 8, key.reg, key.off + i, R0);
	find_single(cg, t, t->other);
	as_bind(cg->as, found);
}

/* ---- update ---- */

static void emit_args(struct cg *cg, const struct p_agg *a, int i, as_label none)
{
	struct cg_state *s = cg->state;

	for (int k = 0; k < a->n_args && k < 4; k++) {
		const struct px *e = cg->branch->agg_args[i][k];
		int64_t number;

		if (px_is_number(e, &number))
			continue;
		if (type_is_word(&a->arg[k])) {
			s->arg_off[k] = cg_frame(cg, 8);
			cg_word(cg, e, none);
			as_store(cg->as, 8, R10, s->arg_off[k], R0);
		} else {
			s->arg_at[k] = cg_room(cg, (int)a->arg[k].bytes);
			cg_text(cg, e, s->arg_at[k], cg_round8(a->arg[k].bytes), true, none);
		}
	}
}

/* Row R0 of the array in the value: R7[off + 8 * min(R0, n - 1)] += 1 */
static void add_dense_bucket(struct cg *cg, const struct img_buckets *set)
{
	as_label in = as_new_label(cg->as);

	as_jump_if_imm(cg->as, BPF_JLT, R0, (int32_t)set->n_dense, in);
	as_imm(cg->as, R0, set->n_dense - 1);
	as_bind(cg->as, in);
	as_alu_imm(cg->as, BPF_LSH, R0, 3);
	as_alu(cg->as, BPF_ADD, R0, R7);
	as_imm(cg->as, R1, 1);
	if (cg->atomic) {
		as_atomic(cg->as, BPF_ADD, R0, (int)set->off, R1);
	} else {
		as_load(cg->as, 8, R2, R0, (int)set->off);
		as_alu(cg->as, BPF_ADD, R2, R1);
		as_store(cg->as, 8, R0, (int)set->off, R2);
	}
}

/* Row (key, R0) of the set's own table += 1; what is left out where that is full is counted. */
static void add_bucket_row(struct cg *cg, const struct img_table *t, const struct p_agg *a,
			   struct place key)
{
	const struct img_buckets *set = &t->sets[a->buckets];
	as_label end = as_new_label(cg->as), found = as_new_label(cg->as);

	as_store(cg->as, 8, key.reg, key.off + (int)t->key_bytes, R0);
	lookup_in_use(cg, t, set->maps, key);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, found);
	if (a->ops->counts_left_out) {
		as_imm(cg->as, R1, 1);
		cg_add(cg, a->state_off, R1);
	}
	as_jump(cg->as, cg_count_then(cg, t->query->c_no_bucket, end));
	as_bind(cg->as, found);
	as_imm(cg->as, R1, 1);
	as_atomic(cg->as, BPF_ADD, R0, 0, R1);
	as_bind(cg->as, end);
}

static void update(struct cg *cg, const struct img_table *t, struct place key, int i)
{
	const struct p_agg *a = &t->query->aggs[i];
	const struct px *where = cg->branch->agg_where ? cg->branch->agg_where[i] : NULL;
	as_label skip = as_new_label(cg->as);
	struct mark m = cg_mark(cg);

	as_note(cg->as, a->loc, "aggregate: update");
	if (a->ops->once) {
		as_load(cg->as, 8, R0, R7, (int)a->state_off);
		as_jump_if_imm(cg->as, BPF_JNE, R0, 0, skip);
	}
	if (where)
		cg_jump_when(cg, where, false, skip);
	emit_args(cg, a, i, skip);
	if (a->ops->emit && !a->shares_buckets)
		a->ops->emit(cg, a);
	if (a->ops->emit_bucket && !a->shares_buckets) {
		const struct img_buckets *set = &t->sets[a->buckets];

		cg_arg(cg, a, 0, R1);
		a->ops->emit_bucket(cg, a);
		if (set->maps[0] < 0)
			add_dense_bucket(cg, set);
		else
			add_bucket_row(cg, t, a, key);
	}
	as_bind(cg->as, skip);
	cg_release(cg, m);
}

/* Is the word that says the row is there none that an aggregation counts anyway? */
static bool has_own_hits(const struct img_table *t)
{
	for (int i = 0; i < t->query->n_aggs; i++)
		if (t->query->aggs[i].state_bytes && t->query->aggs[i].state_off == t->hits_off)
			return false;
	return true;
}

void cg_aggs(struct cg *cg, const struct p_branch *b, as_label done)
{
	const struct p_query *q = b->query;
	const struct img_table *t = cg_table(cg, q);
	struct place key = cg_room(cg, (int)t->key_bytes + 8);

	cg->atomic = !t->per_cpu || !q->exclusive;
	if (t->doubled && t->apart) {
		int off = cg_frame(cg, 8);

		cg_half(cg, t);
		as_store(cg->as, 8, R10, off, R0);
		cg->state->half_off = off;
	}
	if (t->dense)
		find_dense(cg, t, key, done);
	else if (p_query_all_keys(q))
		find_hash(cg, t, key);
	else
		find_single(cg, t, t->rows[0]);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, done);
	as_mov(cg->as, R7, R0);
	if (has_own_hits(t))
		as_store_imm(cg->as, 8, R7, (int)t->hits_off, 1);
	for (int i = 0; i < q->n_aggs; i++)
		update(cg, t, key, i);
	cg->state->half_off = 0;	/* another query's rows may come here without these */
}
