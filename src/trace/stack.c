/* stack: the stacks that LTTng's contexts callstack-kernel and callstack-user recorded. */
#include "trace/impl.h"

#define END_MARK UINT64_MAX		/* LTTng's, behind the outermost frame */

static const char *const contexts[] = {
	[REC_KERNEL] = "callstack_kernel", [REC_USER] = "callstack_user",
};

bool rec_stack_is_known(struct recorded *r, int which)
{
	int8_t *has = &r->has_stacks[which];

	for (int i = 0; !*has && i < r->trace->n_classes; i++)
		*has = rec_has_context(r->trace->classes[i], contexts[which]);
	if (!*has)
		*has = -1;
	return *has > 0;
}

void rec_stacks_want(struct recorded *r)
{
	for (int i = 0; i < r->trace->n_classes; i++) {
		struct rec_class *c = &r->classes[r->trace->classes[i]->number];

		for (int k = 0; k < REC_STACKS; k++)
			c->stacks[k] = r->wants->stacks && c->n_outs ?
				rec_want_context(r, r->trace->classes[i], contexts[k]) : -1;
	}
}

static const struct record_stack *take(struct recorded *r, const struct rec_class *c, int which)
{
	struct rec_stack *s = &r->stacks[which];

	if (c->stacks[which] < 0)
		return NULL;
	s->stack.frames = s->frames;
	s->stack.n = ctf_integers(r->trace, ctf_value(r->event, c->stacks[which]), s->frames,
				  STACK_FRAMES);
	while (s->stack.n && s->frames[s->stack.n - 1] == END_MARK)
		s->stack.n--;
	return &s->stack;
}

void rec_stacks_take(struct recorded *r, const struct rec_class *c, struct record *rec)
{
	rec->kstack = take(r, c, REC_KERNEL);
	rec->ustack = take(r, c, REC_USER);
}

/* ---- names ---- */

const struct stack *rec_stack_show(void *self, struct arena *a, const void *id, int bytes)
{
	const struct recorded *r = self;

	return r->show_stack(r->show_self, a, id, bytes);
}

void recorded_stacks(struct recorded *r, const struct stack *(*show)(void *self, struct arena *a,
			const void *id, int bytes), void *self)
{
	r->show_stack = show;
	r->show_self = self;
}
