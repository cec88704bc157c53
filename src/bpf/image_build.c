/*
 * The image: which tables a plan needs, then a program for each event.
 */
#include "bpf/cg_aux.h"
#include "bpf/cg_map.h"
#include "bpf/cg_period.h"
#include "bpf/cg_state.h"
#include "bpf/image_impl.h"

#include "base/unwind.h"
#include "lang/diag_tags.h"

#define STACKS_MOST (1u << 20)		/* 1 KiB each */
#define STACKS_USUAL_MOST (1u << 14)
#define PROCESSES_MOST 4096
#define PROCESS_RING_BYTES (64u << 10)

/* ---- periods ---- */

static int add_task_storage(struct cg *cg, const char *name, uint32_t bytes, const char *purpose)
{
	return cg_add_map(cg, (struct img_map){
		.name = name, .type = BPF_MAP_TYPE_TASK_STORAGE, .key_bytes = 4,
		.value_bytes = bytes, .flags = BPF_F_NO_PREALLOC, .purpose = purpose });
}

static int add_period(struct cg *cg, const struct p_period *p)
{
	struct arena *a = cg->arena;
	uint64_t most = cg->plan->max_open ? cg->plan->max_open : PLAN_ROWS;

	if (p->slots.n > 64 || p->record_bytes > INT16_MAX)
		diag_error(cg->diag, DIAG_LIMIT_REACHED, p->loc,
			   "a begin keeps %d values of %u bytes: at most 64 of %d are possible",
			   p->slots.n, p->record_bytes, INT16_MAX);

	switch (p->store) {
	case STORE_TASK:
		return add_task_storage(cg, "begin", p->record_bytes,
			arena_printf(a, "begins of %s, in each thread's own storage", p->name));
	case STORE_CALLS:
		return add_task_storage(cg, "calls", cg_calls_bytes(p),
			arena_printf(a, "open calls of %s, in each thread's own storage", p->name));
	case STORE_CPU:
		return cg_add_map(cg, (struct img_map){
			.name = "begin", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
			.value_bytes = p->record_bytes, .max_entries = 1,
			.purpose = arena_printf(a, "begin of %s, one a CPU", p->name) });
	case STORE_HASH:
		if (p->key_bytes > KEY_MOST)
			diag_error(cg->diag, DIAG_LIMIT_REACHED, p->loc,
				   "the key has %u bytes: at most %d are possible", p->key_bytes, KEY_MOST);
		return cg_add_map(cg, (struct img_map){
			.name = "begin", .type = BPF_MAP_TYPE_HASH, .key_bytes = p->key_bytes,
			.value_bytes = p->record_bytes,
			.max_entries = (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX),
			.purpose = arena_printf(a, "begins of %s, by key", p->name) });
	default:
		return -1;
	}
}

/* Which of a keyed period was begun last on a thread. */
static int add_threads(struct cg *cg, const struct p_period *p)
{
	uint64_t most = cg->plan->max_open ? cg->plan->max_open : PLAN_ROWS;

	return cg_add_map(cg, (struct img_map){
		.name = "threads", .type = BPF_MAP_TYPE_HASH, .key_bytes = 8,
		.value_bytes = p->key_bytes, .period = p, .by_thread = true,
		.max_entries = (uint32_t)(most < UINT32_MAX ? most : UINT32_MAX),
		.purpose = arena_printf(cg->arena, "the latest of %s, by thread", p->name) });
}

/* ---- stacks ---- */

/* They wait here for culprit to take them, so that all of a run need not fit: half as many as
 * rows were asked for, else some for each CPU. */
static uint64_t stacks_most(const struct plan_options *o)
{
	uint64_t n = o->table_rows ? o->table_rows / 2 + 1 : 1024 + 512 * (uint64_t)o->cpus_possible;
	uint64_t most = o->table_rows ? STACKS_MOST : STACKS_USUAL_MOST;

	return n < most ? n : most;
}

static void add_stacks(struct cg *cg)
{
	cg->image->stacks = cg_add_map(cg, (struct img_map){
		.name = "stacks", .type = BPF_MAP_TYPE_HASH, .key_bytes = STACK_ID_BYTES,
		.value_bytes = sizeof(struct img_stack),
		.max_entries = (uint32_t)stacks_most(cg->options),
		.purpose = "frames of stacks, each once, until culprit takes them" });
	cg->image->processes = cg_add_map(cg, (struct img_map){
		.name = "processes", .type = BPF_MAP_TYPE_LRU_HASH,
		.key_bytes = PROCESS_KEY_BYTES, .value_bytes = 8,
		.max_entries = PROCESSES_MOST,
		.purpose = "processes whose mappings culprit has noted" });
	cg->image->process_ring = cg_add_map(cg, (struct img_map){
		.name = "new_processes", .type = BPF_MAP_TYPE_RINGBUF,
		.max_entries = PROCESS_RING_BYTES,
		.purpose = "processes whose mappings it has to note" });
}

static void add_unwind(struct cg *cg)
{
	cg->image->unwind_processes = cg_add_map(cg, (struct img_map){
		.name = "unwind_process", .type = BPF_MAP_TYPE_HASH, .key_bytes = 8,
		.value_bytes = sizeof(struct unwind_process),
		.max_entries = UNWIND_PROCESSES_MOST, .flags = BPF_F_NO_PREALLOC,
		.purpose = "where each process has its code" });
	cg->image->unwind_chunks = cg_add_map(cg, (struct img_map){
		.name = "unwind_chunks", .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
		.value_bytes = 4 * UNWIND_CHUNKS, .max_entries = 1, .flags = BPF_F_MMAPABLE,
		.purpose = "where the rows of each chunk of code are" });
	cg->image->unwind_pieces = cg_add_map(cg, (struct img_map){
		.name = "unwind_pieces", .type = BPF_MAP_TYPE_ARRAY_OF_MAPS, .key_bytes = 4,
		.value_bytes = 4, .max_entries = UNWIND_PIECES,
		.inner_bytes = 4 * UNWIND_PIECE_ROWS,
		.purpose = "rows: how the callers of code are found" });
	cg->image->unwind_found = cg_add_map(cg, (struct img_map){
		.name = "unwind_found", .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
		.value_bytes = 8 * UNWIND_FOUND, .max_entries = 1,
		.purpose = "rows that were found last" });
	cg_ranges_maps(cg);
}

/* ---- all ---- */

static void add_tables(struct cg *cg)
{
	struct plan *p = cg->plan;
	int n_ids = 0;

	if (p->counters.n)
		cg->image->counters = cg_add_map(cg, (struct img_map){
			.name = "counters", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
			.value_bytes = 8 * (uint32_t)p->counters.n, .max_entries = 1,
			.purpose = "what was lost, and where" });
	for (int i = 0; i < p->periods.n; i++)
		n_ids = p->periods.v[i]->id >= n_ids ? p->periods.v[i]->id + 1 : n_ids;
	cg->state->period_map = arena_array(cg->arena, int, n_ids);
	cg->state->thread_map = arena_array(cg->arena, int, n_ids);
	cg->state->flight_map = arena_array(cg->arena, int, n_ids);
	for (int i = 0; i < p->periods.n; i++) {
		const struct p_period *period = p->periods.v[i];

		cg->state->period_map[period->id] = add_period(cg, period);
		if (cg->state->period_map[period->id] >= 0)
			vec_last(&cg->image->maps).period = period;
		if (period->by_thread)
			cg->state->thread_map[period->id] = add_threads(cg, period);
		if (period->in_flight)
			cg->state->flight_map[period->id] = cg_flight_map(cg, period);
		if (period->tree && cg->state->tree_map < 0)
			cg->state->tree_map = add_task_storage(cg, "tree", 16, "how many calls are open");
	}
	cg->image->n_global_words = (uint32_t)p->n_globals;
	for (int i = 0; i < p->queries.n; i++)
		image_add_query(cg, p->queries.v[i]);
	if (cg->image->n_global_words)
		cg->image->globals = cg_add_map(cg, (struct img_map){
			.name = "globals", .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
			.value_bytes = 8 * cg->image->n_global_words, .max_entries = 1,
			.flags = BPF_F_MMAPABLE, .purpose = "limits, and which table is in use" });
	if (cg->state->zeros_bytes)
		cg->state->zeros_map = cg_add_const(cg, "zeros", NULL, cg->state->zeros_bytes,
						    "what a new row begins as");
	if (p->stacks)
		add_stacks(cg);
	if (p->wakers)
		cg_wakers_maps(cg);
	if (p->hogs)
		cg_hog_map(cg);
	if (p->user_names)
		cg_mapped_map(cg);
	if (p->user_stacks && cg->options->has.unwind)
		add_unwind(cg);
	if (cg->options->follow)
		cg->image->followed = add_task_storage(cg, "followed", 8, "tasks that are followed");
}

static void add_open(struct cg *cg, const struct p_event *ev)
{
	const struct p_action *act = &ev->actions.v[0];

	vec_push(cg->arena, &cg->image->opens, ((struct img_open){
		.prog = cg_program(cg, ev), .query = act->branches.v[0]->query,
		.begins = cg->state->period_map[act->period->id] }));
}

static void add_before(struct cg *cg, const struct p_event *ev)
{
	vec_push(cg->arena, &cg->image->befores, ((struct img_before){
		.prog = cg_program(cg, ev),
		.begins = cg->state->period_map[ev->actions.v[0].period->id] }));
}

struct bpf_image *image_build(struct arena *a, struct diag *d, struct plan *p,
			      const struct plan_options *o)
{
	struct bpf_image *image = arena_new(a, struct bpf_image);
	struct cg_state state = { .scratch_map = -1, .thread_scratch_map = -1, .tree_map = -1 };
	struct arena work = { 0 };
	struct cg cg = { .arena = a, .work = &work, .diag = d, .plan = p, .options = o, .image = image,
			 .state = &state };
	int errors = d->errors;

	image->ring = image->counters = image->globals = image->followed = image->mapped = -1;
	image->stacks = image->processes = image->process_ring = -1;
	image->unwind_processes = image->unwind_chunks = image->unwind_pieces = image->unwind_found = -1;
	image->unwind_files = image->unwind_empty = -1;
	add_tables(&cg);
	if (d->errors > errors)
		return NULL;
	for (int i = 0; i < p->events.n; i++)
		vec_push(a, &image->progs, cg_program(&cg, p->events.v[i]));
	for (int i = 0; i < p->opens.n; i++)
		add_open(&cg, p->opens.v[i]);
	for (int i = 0; i < p->befores.n; i++)
		add_before(&cg, p->befores.v[i]);
	if (o->follow)
		cg_follow_program(&cg);
	if (image->mapped >= 0)
		cg_mapped_program(&cg);
	cg_ranges_fork(&cg);
	if (p->wakers)
		cg_wakers_programs(&cg);
	if (p->hogs)
		cg_hog_program(&cg);
	arena_fini(&work);
	return d->errors > errors ? NULL : image;
}
