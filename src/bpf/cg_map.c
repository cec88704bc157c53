/* Tables, as the emitters name them: R0 to R5 are lost, R6 to R9 are kept. */
#include "bpf/cg_state.h"

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
