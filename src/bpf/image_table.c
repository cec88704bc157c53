/*
 * Where the rows of a query are kept: tables of aggregations, the rows of `worst`, the
 * ring of printed ones.
 *
 * Costs and limits: docs/design.md, "Tables that do not lie".
 */
#include "bpf/cg_map.h"
#include "bpf/cg_sink.h"
#include "bpf/cg_state.h"
#include "bpf/image_impl.h"

#include <stddef.h>

#include "lang/diag_tags.h"

#define PER_CPU_MOST (64ull << 20)	/* bytes of a per-CPU hash; larger ones are shared */
#define PER_CPU_VALUE_MOST 32768	/* PCPU_MIN_UNIT_SIZE: a value of a per-CPU table */
#define DENSE_BUCKETS_MOST (2u << 20)	/* bytes a CPU of rows with their buckets inside */
#define SHARED_BUCKETS_MOST (8u << 20)	/* the same of a hash, whose rows all CPUs share */
#define BUCKET_ROWS 8			/* rows of a bucket table for each row of its table */
#define BUCKET_ROWS_MOST (1u << 20)
#define RING_BYTES (2u << 20)

/* ---- rows of an aggregation ---- */

static bool key_may_be_none(const struct p_query *q, int key)
{
	for (int i = 0; i < q->branches.n; i++) {
		const struct px *e = q->branches.v[i]->keys[key];

		if (e->may_none || e->op == PX_NONE)
			return true;
	}
	return false;
}

static void lay_out_key(struct cg *cg, struct img_table *t)
{
	const struct p_query *q = t->query;
	bool any_none = false;

	t->keys = arena_array(cg->arena, struct img_field, p_query_all_keys(q));
	for (int i = 0; i < p_query_all_keys(q); i++) {
		struct img_field *f = &t->keys[i];

		f->type = q->keys[i].type;
		f->off = t->key_bytes;
		f->bytes = (uint32_t)cg_value_bytes(&f->type);
		f->none_bit = key_may_be_none(q, i) ? i : -1;
		any_none |= f->none_bit >= 0;
		t->key_bytes += f->bytes;
	}
	if (any_none) {
		t->none_off = t->key_bytes;
		t->key_bytes += 8;
	}
	t->dense = q->n_keys == 1 && !any_none ? q->dense : 0;
	if (t->key_bytes + 8 > KEY_MOST)		/* so less than 64 keys: their none bits are a word */
		diag_error(cg->diag, DIAG_LIMIT_REACHED, q->loc,
			   "the keys have %u bytes together: at most %d are possible", t->key_bytes, KEY_MOST - 8);
}

/* The state of a count of all rows is never 0 where there are any. */
static bool counts_all(const struct p_query *q, int agg)
{
	const struct p_agg *a = &q->aggs[agg];

	if (!a->ops->counts_rows || a->n_args || a->has_where)
		return false;
	for (int i = 0; i < q->branches.n; i++)
		if (q->branches.v[i]->agg_where && q->branches.v[i]->agg_where[agg])
			return false;
	return true;
}

static uint32_t rows_most(const struct p_query *q)
{
	uint64_t n = q->table_rows ? q->table_rows : PLAN_ROWS;

	return (uint32_t)(n < UINT32_MAX / 64 ? n : UINT32_MAX / 64);
}

/* Buckets are inside the value without keys, or where that takes little memory. */
static bool buckets_inside(const struct img_table *t, uint32_t n_dense)
{
	const struct p_query *q = t->query;
	uint64_t value = t->value_bytes + 8ull * n_dense;

	if (!n_dense || value > PER_CPU_VALUE_MOST)
		return false;
	if (t->dense)
		return value * t->dense <= DENSE_BUCKETS_MOST;
	return !p_query_all_keys(q) || value * rows_most(q) <= SHARED_BUCKETS_MOST;
}

static void lay_out_value(struct cg *cg, struct img_table *t)
{
	const struct p_query *q = t->query;

	for (int i = 0; i < q->n_aggs; i++)
		t->value_bytes += q->aggs[i].state_bytes;
	t->hits_off = t->value_bytes;
	for (int i = 0; i < q->n_aggs; i++)
		if (counts_all(q, i))
			t->hits_off = q->aggs[i].state_off;
	if (t->hits_off == t->value_bytes)
		t->value_bytes += 8;
	t->n_sets = q->n_bucket_sets;
	t->sets = arena_array(cg->arena, struct img_buckets, t->n_sets);
	for (int i = 0; i < q->n_aggs; i++) {
		const struct p_agg *a = &q->aggs[i];
		struct img_buckets *set;

		if (a->buckets < 0 || a->shares_buckets)
			continue;
		set = &t->sets[a->buckets];
		set->n_dense = a->ops->n_dense ? a->ops->n_dense(a) : 0;
		set->maps[0] = set->maps[1] = -1;
		if (buckets_inside(t, set->n_dense)) {
			set->off = t->value_bytes;
			t->value_bytes += 8 * set->n_dense;
			t->inside = true;
		} else {
			set->maps[0] = 0;	/* a table, made by add_bucket_tables */
			set->n_dense = 0;
			t->apart = true;
		}
	}
}

static bool needs_shared_rows(const struct p_query *q)
{
	for (int i = 0; i < q->n_aggs; i++)
		if (q->aggs[i].ops->shared)
			return true;
	return false;
}

/* Rows with buckets inside are large, and few of their buckets are used: all CPUs share one. */
static uint32_t rows_type(const struct cg *cg, const struct img_table *t, const struct img_map *m)
{
	uint64_t bytes = (uint64_t)m->max_entries * m->value_bytes * cg->options->cpus_possible;

	return cg->options->has.no_percpu_hash || t->inside || needs_shared_rows(t->query) ||
			       bytes > PER_CPU_MOST
		       ? BPF_MAP_TYPE_HASH
		       : BPF_MAP_TYPE_PERCPU_HASH;
}

static void add_hash_pair(struct cg *cg, const struct img_table *t, int maps[2], struct img_map m)
{
	if (m.value_bytes > cg->state->zeros_bytes)
		cg->state->zeros_bytes = m.value_bytes;
	maps[0] = cg_add_map(cg, m);
	maps[1] = t->doubled ? cg_add_map(cg, m) : maps[0];
}

/* Not per CPU: the kernel makes each row's values one by one, 100 ms for so many. */
static void add_bucket_tables(struct cg *cg, struct img_table *t)
{
	uint64_t rows = p_query_all_keys(t->query) ? (uint64_t)rows_most(t->query) * BUCKET_ROWS
					 : rows_most(t->query);

	for (int i = 0; i < t->n_sets; i++) {
		if (t->sets[i].maps[0] < 0)
			continue;
		add_hash_pair(cg, t, t->sets[i].maps, (struct img_map){
			.name = "buckets", .type = BPF_MAP_TYPE_HASH, .key_bytes = t->key_bytes + 8,
			.value_bytes = 8,
			.max_entries = (uint32_t)(rows < BUCKET_ROWS_MOST ? rows
									  : BUCKET_ROWS_MOST),
			.purpose = "counts by key and bucket" });
	}
}

static const char *rows_purpose(struct cg *cg, const struct p_query *q)
{
	struct buf b = { 0 };
	const char *text;

	buf_puts(&b, p_query_all_keys(q) ? "rows by " : "the one row");
	for (int i = 0; i < p_query_all_keys(q); i++)
		buf_printf(&b, "%s%s", i ? ", " : "", q->keys[i].name);
	text = arena_strdup(cg->arena, b.p);
	buf_fini(&b);
	return text;
}

/* The printed rows of `open` are a table that needs none in the kernel. */
static void add_listing(struct cg *cg, const struct p_query *q)
{
	struct img_table *t = vec_add(cg->arena, &cg->image->tables);

	t->query = q;
	t->rows[0] = t->rows[1] = t->other = -1;
}

static struct img_table *new_table(struct cg *cg, const struct p_query *q)
{
	struct img_table *t = vec_add(cg->arena, &cg->image->tables);

	t->query = q;
	t->other = -1;
	t->doubled = p_query_begins_anew(q);
	if (t->doubled)
		t->switch_word = (int)cg->image->n_global_words++;
	return t;
}

static void add_table(struct cg *cg, const struct p_query *q)
{
	struct img_table *t = new_table(cg, q);
	int maps = cg->image->maps.n;
	uint32_t halves = t->doubled ? 2 : 1;

	lay_out_key(cg, t);
	lay_out_value(cg, t);
	if (!p_query_all_keys(q) || t->dense) {
		t->per_cpu = !needs_shared_rows(q);
		t->rows[0] = t->rows[1] = cg_add_map(cg, (struct img_map){
			.name = "rows", .key_bytes = 4,
			.type = t->per_cpu ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_ARRAY,
			.value_bytes = t->value_bytes,
			.max_entries = halves * (t->dense ? t->dense : 1),
			.purpose = rows_purpose(cg, q) });
	} else {
		struct img_map rows = {
			.name = "rows", .key_bytes = t->key_bytes, .value_bytes = t->value_bytes,
			.max_entries = rows_most(q), .purpose = rows_purpose(cg, q) };

		rows.type = rows_type(cg, t, &rows);
		add_hash_pair(cg, t, t->rows, rows);
		t->per_cpu = cg->image->maps.v[t->rows[0]].type == BPF_MAP_TYPE_PERCPU_HASH;
		t->other = cg_add_map(cg, (struct img_map){
			.name = "other", .key_bytes = 4, .value_bytes = t->value_bytes,
			.type = t->per_cpu ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_ARRAY,
			.max_entries = halves, .purpose = "the sum of what found the table full" });
	}
	add_bucket_tables(cg, t);
	for (int i = maps; q->open && i < cg->image->maps.n; i++)
		cg->image->maps.v[i].in_process = true;
	if (t->value_bytes > PER_CPU_VALUE_MOST)
		diag_error(cg->diag, DIAG_LIMIT_REACHED, q->loc,
			   "the aggregations need %u bytes a row: at most %d are possible", t->value_bytes,
			   PER_CPU_VALUE_MOST);
}

/* ---- rows as they are ---- */

static void lay_out_rows(struct cg *cg, const struct p_query *q)
{
	struct img_rows *r = vec_add(cg->arena, &cg->image->rows);

	r->query = q;
	r->bytes = sizeof(struct img_record);
	r->columns = arena_array(cg->arena, struct img_field, q->n_columns);
	for (int i = 0; i < q->n_columns; i++) {
		struct img_field *f = &r->columns[i];

		f->type = q->columns[i].type;
		f->off = r->bytes;
		f->bytes = (uint32_t)cg_value_bytes(&f->type);
		f->none_bit = i;
		r->bytes += f->bytes;
	}
	if (q->n_columns > 64 || r->bytes > INT16_MAX)
		diag_error(cg->diag, DIAG_LIMIT_REACHED, q->loc,
			   "a row has %d columns of %u bytes together: at most 64 of %d are possible", q->n_columns,
			   r->bytes, INT16_MAX);
}

static void add_rows(struct cg *cg, const struct p_query *q)
{
	lay_out_rows(cg, q);
	if (cg->image->ring < 0)
		cg->image->ring = cg_add_map(cg, (struct img_map){
			.name = "ring", .type = BPF_MAP_TYPE_RINGBUF, .max_entries = RING_BYTES,
			.purpose = "printed rows on their way" });
}

/* Rows of `worst`: their slots, and a head for each half and level. */
static void add_worst(struct cg *cg, const struct p_query *q)
{
	struct img_table *t = new_table(cg, q);
	int maps = cg->image->maps.n;
	uint32_t halves = t->doubled ? 2 : 1;

	lay_out_rows(cg, q);
	t->levels = q->exclusive ? 1 : SCRATCH_LEVELS;
	t->value_bytes = (uint32_t)offsetof(struct img_slot, record) + image_find_rows(cg->image, q)->bytes;
	t->rows[0] = t->rows[1] = cg_add_map(cg, (struct img_map){
		.name = "worst", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
		.value_bytes = t->value_bytes,
		.max_entries = halves * t->levels * (uint32_t)q->worst_n,
		.purpose = "the largest rows" });
	t->heads = cg_add_map(cg, (struct img_map){
		.name = "smallest", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
		.value_bytes = WORST_RANKS + 8 * (uint32_t)q->worst_n,
		.max_entries = halves * t->levels, .purpose = "which of them is the smallest" });
	for (int i = maps; q->open && i < cg->image->maps.n; i++)
		cg->image->maps.v[i].in_process = true;
	if (t->value_bytes > PER_CPU_VALUE_MOST)
		diag_error(cg->diag, DIAG_LIMIT_REACHED, q->loc,
			   "a row has %u bytes: at most %d are possible", t->value_bytes, PER_CPU_VALUE_MOST);
}

/* Where what it finds is kept. */
void image_add_query(struct cg *cg, const struct p_query *q)
{
	if (q->parts.n)
		return;
	if (q->sink == SINK_AGGS) {
		add_table(cg, q);
	} else if (q->sink == SINK_WORST) {
		add_worst(cg, q);
	} else {
		add_rows(cg, q);
		if (q->open)
			add_listing(cg, q);
	}
}
