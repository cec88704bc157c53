/*
 * Auxiliary programs, beside those of queries: each at an event with types, by BTF.
 */
#include "bpf/cg_aux.h"
#include "bpf/cg_state.h"

#include <assert.h>

const struct cat_event *cg_aux_event(const struct cg *cg, const char *system, const char *name)
{
	const struct catalog *c = cg->plan->catalog;
	const struct cat_event *e = c ? c->ops->event(c->self, str_of(system), str_of(name)) : NULL;

	return e && e->btf_id ? e : NULL;
}

int cg_aux_member(const struct cg *cg, const char *type, const char *member)
{
	const struct catalog *c = cg->plan->catalog;
	uint32_t t = c ? c->ops->struct_type(c->self, str_of(type)) : 0;
	struct cat_member m = { .offset = 0 };

	return t && c->ops->member(c->self, t, str_of(member), &m) ? (int)m.offset : -1;
}

void cg_aux_begin(struct cg *cg, const char *what)
{
	cg->as = as_new(cg->work);
	cg->event = NULL;
	cg->frame_used = 0;
	as_note(cg->as, (struct loc){ 0 }, what);
	as_mov(cg->as, R6, R1);
}

void cg_aux_end(struct cg *cg, const struct cat_event *at, const char *name, const char *purpose)
{
	struct img_prog p = { .name = name, .cat = at, .type = BPF_PROG_TYPE_TRACING,
			      .expected_attach = BPF_TRACE_RAW_TP, .btf_id = at->btf_id,
			      .purpose = purpose };
	const char *error;

	as_imm(cg->as, R0, 0);
	as_exit(cg->as);
	error = cg_finish(cg, &p);
	assert(!error);			/* no query makes it larger */
	vec_push(cg->arena, &cg->image->progs, p);
}
