/*
 * usym(ADDRESS): a stack of one frame.
 *
 *	stack = { .n = 1, .user = 1, .pid, .space, .frames = { address } };
 */
#include "bpf/cg_stack.h"
#include "bpf/cg_state.h"

#include <stddef.h>

#define AT(member) ((int)offsetof(struct img_stack, member))

void cg_usym(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	struct place stack = cg_room(cg, sizeof(struct img_stack));
	struct place key = { R10, cg_frame(cg, STACK_ID_BYTES) };

	(void)room;
	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, key.reg, key.off, R0);
	cg_zero(cg, stack, AT(frames));
	cg_stack_process(cg, stack, none);
	as_store_imm(cg->as, 4, stack.reg, stack.off + AT(n), 1);
	as_load(cg->as, 8, R0, key.reg, key.off);
	as_store(cg->as, 8, stack.reg, stack.off + AT(frames), R0);
	cg_stack_keep(cg, stack, key, at, true);
}
