/* Stacks of decoded events with the names that their reader has. See replay.h. */
#include "replay/replay.h"

struct namer {
	const struct replay *replay;
	const char *(*symbol)(void *self, uint64_t address);
	void *self;
};

static const struct img_stack *find(void *self, const void *id)
{
	return replay_frames(((struct namer *)self)->replay, id);
}

static struct stack_frame *name(void *self, struct arena *a, const struct img_stack *s, int *n,
				const char **cut)
{
	const struct namer *by = self;
	struct stack_frame *frames = arena_array(a, struct stack_frame, (int)s->n);

	(void)cut;
	for (uint32_t i = 0; i < s->n; i++)
		frames[i] = (struct stack_frame){
			.name = by->symbol(by->self, s->frames[i]), .address = s->frames[i],
			.kind = s->user ? FRAME_USER : FRAME_KERNEL };
	*n = (int)s->n;
	return frames;
}

const struct stack *replay_stack(const struct replay *r, struct arena *a, const void *id, int bytes,
				 const char *(*symbol)(void *self, uint64_t address), void *self)
{
	struct namer by = { r, symbol, self };

	return stack_of(a, &(struct stack_source){ &by, find, name }, id, bytes);
}

static const char *no_symbol(void *self, uint64_t address)
{
	(void)self, (void)address;
	return NULL;
}

const struct stack *replay_show_stack(void *self, struct arena *a, const void *id, int bytes)
{
	return replay_stack(self, a, id, bytes, no_symbol, NULL);
}
