/*
 * The stack of an id, with names: what both executors do alike. Who has the frames
 * and the names is theirs: struct stack_source of image.h.
 */
#include <string.h>

#include "bpf/image.h"

static const char *const cuts[] = {
	[STACK_CUT_DEEP] = "too deep",
	[STACK_CUT_FAILED] = "the kernel could not take it",
	[STACK_CUT_POINTER] = "no frame pointer",
	[STACK_CUT_ABSENT] = "page absent",
	[STACK_CUT_BROKEN] = "broken frame",
	[STACK_CUT_UNREAD] = "its code is not read yet",
};

static const char no_room[] = "its frames found no room: --table-size";

static bool is_zero(const char *p, int n)
{
	for (int i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* Appends the frames of one id. */
static void add_part(struct arena *a, struct stack *to, const struct stack_source *source,
		     const char *id)
{
	const struct img_stack *s = source->find(source->self, id);
	struct stack_frame *frames, *all;
	int n = 0;

	if (!s) {
		to->cut = no_room;
		return;
	}
	if (s->cut && s->cut < sizeof(cuts) / sizeof(*cuts))
		to->cut = cuts[s->cut];
	frames = source->name(source->self, a, s, &n, &to->cut);
	all = arena_array(a, struct stack_frame, to->n + n);
	if (to->n)
		memcpy(all, to->frames, sizeof(*all) * (size_t)to->n);
	if (n)
		memcpy(all + to->n, frames, sizeof(*all) * (size_t)n);
	to->frames = all;
	to->n += n;
}

const struct stack *stack_of(struct arena *a, const struct stack_source *source, const void *id,
			     int bytes)
{
	struct stack *s = arena_new(a, struct stack);
	const char *p = id;

	for (int i = 0; i + STACK_ID_BYTES <= bytes; i += STACK_ID_BYTES)
		if (!is_zero(p + i, STACK_ID_BYTES))
			add_part(a, s, source, p + i);
	return s;
}
