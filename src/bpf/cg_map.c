/* Tables: made in the image, and what the emitters do with them: R0 to R5 are lost, R6 to R9 are kept. */
#include "bpf/cg_map.h"

int cg_add_map(struct cg *cg, struct img_map m)
{
	m.memory_bytes = image_memory(&m, cg->options->cpus_possible);
	vec_push(cg->arena, &cg->image->maps, m);
	return cg->image->maps.n - 1;
}

int cg_add_const(struct cg *cg, const char *name, const void *init, uint32_t bytes,
		 const char *purpose)
{
	return cg_add_map(cg, (struct img_map){
		.name = name, .type = BPF_MAP_TYPE_ARRAY, .key_bytes = 4,
		.value_bytes = bytes, .max_entries = 1, .flags = BPF_F_RDONLY_PROG,
		.init = init, .purpose = purpose });
}

const struct img_table *cg_table(const struct cg *cg, const struct p_query *q)
{
	for (int i = 0; i < cg->image->tables.n; i++)
		if (cg->image->tables.v[i].query == q)
			return &cg->image->tables.v[i];
	return NULL;
}

/* ---- in programs ---- */

static void map_and_key(struct cg *cg, int map, struct place key)
{
	as_map(cg->as, R1, map);
	cg_addr(cg, R2, key);
}

void cg_lookup(struct cg *cg, int map, struct place key)
{
	map_and_key(cg, map, key);
	as_call(cg->as, BPF_FUNC_map_lookup_elem);
}

void cg_find(struct cg *cg, int map, struct place key, as_label none)
{
	cg_lookup(cg, map, key);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
}

void cg_update(struct cg *cg, int map, struct place key, struct place value, int flags)
{
	map_and_key(cg, map, key);
	cg_addr(cg, R3, value);
	as_imm(cg->as, R4, flags);
	as_call(cg->as, BPF_FUNC_map_update_elem);
}

void cg_delete(struct cg *cg, int map, struct place key)
{
	map_and_key(cg, map, key);
	as_call(cg->as, BPF_FUNC_map_delete_elem);
}

void cg_cpu_row(struct cg *cg, int map)
{
	int key = cg_frame(cg, 8);

	as_store_imm(cg->as, 8, R10, key, 0);
	cg_lookup(cg, map, (struct place){ R10, key });
	cg_frame_free(cg, 8);
}

void cg_storage(struct cg *cg, int map, int task, int flags)
{
	if (task != R2)
		as_mov(cg->as, R2, task);
	as_map(cg->as, R1, map);
	as_imm(cg->as, R3, 0);
	as_imm(cg->as, R4, flags);
	as_call(cg->as, BPF_FUNC_task_storage_get);
}
