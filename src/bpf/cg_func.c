/* Functions of the language: their code is in func/. */
#include "bpf/cg_state.h"
#include "plan/func.h"

void cg_call_word(struct cg *cg, const struct px *e, as_label none)
{
	if (!e->func->emit_word)
		cg_fail(cg, "a function that programs don't have");
	else
		e->func->emit_word(cg, e, none);
}

void cg_call_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		  as_label none)
{
	int bytes = (int)e->type.bytes < room ? (int)e->type.bytes / 8 * 8 : room;

	if (pad)
		cg_zero(cg, at, room);
	if (!e->func->emit_text)
		cg_fail(cg, "a function that programs don't have");
	else
		e->func->emit_text(cg, e, at, bytes, none);
}
