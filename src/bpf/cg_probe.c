/*
 * Memory by its address, read by a helper that does not mind a bad one; and where the members of
 * the kernel's structs are, as the catalog tells.
 */
#include "bpf/cg_probe.h"

#include <string.h>

void cg_probe_call(struct cg *cg, uint8_t space)
{
	as_label user = as_new_label(cg->as), end = as_new_label(cg->as);

	if (space == SPACE_EITHER)
		as_jump_if_imm(cg->as, BPF_JSGE, R3, 0, user);
	if (space != SPACE_USER)
		as_call(cg->as, BPF_FUNC_probe_read_kernel);
	as_jump(cg->as, space == SPACE_USER ? user : end);
	as_bind(cg->as, user);
	if (space != SPACE_KERNEL)
		as_call(cg->as, BPF_FUNC_probe_read_user);
	as_bind(cg->as, end);
}

void cg_probe(struct cg *cg, int bytes, uint8_t space)
{
	int slot = cg_frame(cg, 8);

	cg_addr(cg, R1, (struct place){ R10, slot });
	as_imm(cg->as, R2, bytes);
	cg_probe_call(cg, space);
	as_load(cg->as, bytes, R0, R10, slot);
	cg_frame_free(cg, 8);
}

/* ---- members ---- */

bool cg_member_offset(const struct cg *cg, const char *structure, const char *path, int32_t *offset)
{
	const struct catalog *c = cg->plan->catalog;
	uint32_t type = c ? c->ops->struct_type(c->self, str_of(structure)) : 0, off = 0;
	struct cat_member m = { .offset = 0 };

	if (cg->event && cg->event->attach == ATTACH_RECORD)
		return false;		/* there is no task */
	for (const char *p = path; *p; p += *p == '.') {
		int n = (int)strcspn(p, ".");

		if (!type || !c->ops->member(c->self, type, (struct str){ p, n }, &m))
			return false;
		off += m.offset;
		type = m.type.ktype;
		p += n;
	}
	*offset = (int32_t)off;
	return off <= INT16_MAX;
}

int32_t cg_member(struct cg *cg, const char *structure, const char *path)
{
	int32_t offset = 0;

	if (!cg_member_offset(cg, structure, path, &offset))
		cg_fail(cg, "needs a member of a kernel struct that this kernel does not tell");
	return offset;
}

void cg_deref(struct cg *cg, int32_t off)
{
	as_mov(cg->as, R3, R0);
	if (off)
		as_alu_imm(cg->as, BPF_ADD, R3, off);
	cg_probe(cg, 8, SPACE_KERNEL);
}

void cg_probe_word(struct cg *cg, int word, int32_t offset, as_label out)
{
	cg_addr(cg, R1, (struct place){ R10, word });
	as_imm(cg->as, R2, 8);
	as_mov(cg->as, R3, R7);
	as_alu_imm(cg->as, BPF_ADD, R3, offset);
	as_call(cg->as, BPF_FUNC_probe_read_kernel);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, out);
	as_load(cg->as, 8, R0, R10, word);
}
