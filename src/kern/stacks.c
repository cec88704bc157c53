/* Frames and names of stacks. See stacks.h. */
#include "kern/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "kern/ksyms.h"
#include "kern/live/notices.h"
#include "user/address_names.h"

#define KEPT_BYTES_MOST (256u << 20)
#define SPACES_MOST 100000
#define CODE_MOST 100000
#define TAG_BYTES 8
#define OWN_FRAMES_MOST 8		/* from a program of ours to where it was called */

/* A process as the programs tell it, and address_names's number of it. */
struct aspace {
	uint32_t number;
};

/* Code that the kernel made meanwhile. */
struct code {
	uint64_t start, end;
	const char *name;
};

struct stacks {
	struct arena arena;
	VEC(struct code) code;		/* in order of time: others take the place of what is gone */
	struct map by_id;		/* -> struct img_stack, cut behind its frames */
	struct map spaces;		/* struct img_process but for its time -> struct aspace */
	struct map own;			/* hexadecimal tags of our programs */
	struct address_names *users;
	bool (*missing)(void *self, const void *id, struct img_stack *s);
	void *self;
	uint64_t not_kept, hidden, astray;
};

struct stacks *stacks_open(bool lines, int64_t clock_ahead_ns, bool (*missing)(void *self, const void *id,
						      struct img_stack *s), void *self)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	s->users = address_names_open(lines, clock_ahead_ns);
	s->missing = missing;
	s->self = self;
	return s;
}

void stacks_close(struct stacks *s)
{
	if (!s)
		return;
	address_names_close(s->users);
	arena_fini(&s->arena);
	free(s);
}

const char *stacks_no_lines(const struct stacks *s)
{
	return address_names_no_lines(s->users);
}

void stacks_own(struct stacks *s, const uint8_t *tag)
{
	char text[2 * TAG_BYTES + 1];

	for (int i = 0; i < TAG_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", tag[i]);
	*map_put_str(&s->arena, &s->own, str_of(text)) = s;
}

/* ---- processes ---- */

/* The space of a process as the programs tell it. Once known it stays the same: what the
 * kernel does not number is what the process has now. */
static struct aspace *note(struct stacks *s, const struct img_process *p, const uint64_t *addresses,
			   int n)
{
	struct aspace *known = map_get(&s->spaces, p, PROCESS_KEY_BYTES);

	if (known && p->space) {
		known->number = address_names_note_again(s->users, known->number, addresses, n);
		return known;
	}
	if (!known && s->spaces.n >= SPACES_MOST)
		return NULL;
	if (!known) {
		known = arena_new(&s->arena, struct aspace);
		*map_put(&s->arena, &s->spaces, p, PROCESS_KEY_BYTES) = known;
	}
	known->number = address_names_note(s->users, (uint32_t)p->pid, p->time_ns, addresses, n);
	return known;
}

void stacks_process(struct stacks *s, const struct img_process *p)
{
	note(s, p, NULL, 0);
}

void stacks_notice(struct stacks *s, const struct notice *n)
{
	if (n->kind != NOTICE_CODE)
		address_names_notice(s->users, n);
	else if (s->code.n < CODE_MOST)
		*vec_add(&s->arena, &s->code) = (struct code){
			n->map.start, n->map.end, arena_strdup(&s->arena, n->map.path) };
}

/* ---- frames ---- */

void stacks_add(struct stacks *s, const void *id, const struct img_stack *stack)
{
	uint32_t n = stack->n < STACK_FRAMES ? stack->n : STACK_FRAMES;
	size_t bytes = offsetof(struct img_stack, frames) + 8 * n;
	struct img_process p = { stack->pid, stack->space, 0 };
	struct img_stack *copy;

	/* that a process is new is told by itself, with the time */
	if (stack->user == STACK_OF_PROGRAM && map_get(&s->spaces, &p, PROCESS_KEY_BYTES))
		note(s, &p, stack->frames, (int)n);
	if (map_get(&s->by_id, id, STACK_ID_BYTES))
		return;
	if (s->arena.bytes > KEPT_BYTES_MOST) {
		s->not_kept++;
		return;
	}
	copy = arena_alloc(&s->arena, bytes);
	memcpy(copy, stack, bytes);
	copy->n = n;
	*map_put(&s->arena, &s->by_id, id, STACK_ID_BYTES) = copy;
}

static const struct img_stack *find_id(struct stacks *s, const void *id)
{
	const struct img_stack *stack = map_get(&s->by_id, id, STACK_ID_BYTES);
	struct img_stack fresh;

	if (stack || !s->missing(s->self, id, &fresh))
		return stack;
	stacks_add(s, id, &fresh);
	return map_get(&s->by_id, id, STACK_ID_BYTES);
}

/* ---- names ---- */

static bool begins(const struct stack_frame *f, const char *prefix)
{
	return f->name && !strncmp(f->name, prefix, strlen(prefix));
}

/* A trampoline of ours: when names are looked up it may be gone, and another program of ours be there. */
static bool is_trampoline(const struct stack_frame *f)
{
	return !f->name || begins(f, "bpf_trampoline_") || begins(f, "bpf_prog_");
}

/* How many of the innermost frames are the tracing itself: our program and what called it. A trampoline
 * behind others is that of a function which is traced, too. */
static int own_frames(const struct stacks *s, const struct stack_frame *f, int n)
{
	static const char *const callers[] = { "bpf_trace_run", "__bpf_trace_", "__traceiter_",
		"__bpf_prog_run", "___bpf_prog_run", "perf_trace_" };
	const char prefix[] = "bpf_prog_";
	struct str tag;
	int end = 0;
	bool is_own = true;

	if (!n || !f[0].name || strncmp(f[0].name, prefix, strlen(prefix)))
		return 0;
	tag = str_sub(str_of(f[0].name), (int)strlen(prefix), 2 * TAG_BYTES);
	if (!map_get_str(&s->own, tag))
		return 0;
	for (int i = 1; i < n && i < OWN_FRAMES_MOST && (is_own || !end); i++) {
		is_own = is_trampoline(&f[i]);
		for (size_t k = 0; k < sizeof(callers) / sizeof(*callers); k++)
			is_own |= begins(&f[i], callers[k]);
		if (is_own)
			end = i;
	}
	return end + 1;
}

/* A function that a trampoline calls is there twice: itself, and where it called the trampoline. */
static int without_trampolines(struct stack_frame *f, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++) {
		if (kept && i + 1 < n && is_trampoline(&f[i]) && f[kept - 1].name &&
		    f[i + 1].name && !strcmp(f[kept - 1].name, f[i + 1].name))
			i++;
		else
			f[kept++] = f[i];
	}
	return kept;
}

struct namer {
	struct stacks *stacks;
	struct ksyms *ksyms;
};

static const struct img_stack *find(void *self, const void *id)
{
	return find_id(((struct namer *)self)->stacks, id);
}

/* Our probes are gone by now, and the trampolines that called them. Each was told with a whole page, of
 * which it may be a part. */
static void name_gone(const struct stacks *s, struct stack_frame *f, bool returns)
{
	uint64_t address = f->address - returns, start = 0;

	for (int i = f->name ? 0 : s->code.n; i-- > 0;) {
		const struct code *c = &s->code.v[i];

		if (address < c->start || address >= c->end || c->start <= start)
			continue;
		start = c->start;
		f->name = c->name;
		f->offset = f->address - start;
	}
}

static struct stack_frame *name_kernel(const struct namer *by, struct arena *a,
				       const struct img_stack *s, int *n)
{
	struct stack_frame *frames = arena_array(a, struct stack_frame, (int)s->n);
	int own;

	for (uint32_t i = 0; i < s->n; i++) {
		frames[i] = (struct stack_frame){ .address = s->frames[i], .kind = FRAME_KERNEL };
		ksyms_frame(by->ksyms, &frames[i], i > 0);
		name_gone(by->stacks, &frames[i], i > 0);
	}
	own = own_frames(by->stacks, frames, (int)s->n);
	*n = without_trampolines(frames + own, (int)s->n - own);
	for (int i = 0; i < *n; i++)
		by->stacks->hidden += !frames[own + i].name;
	return frames + own;
}

/* A hop of wakers(), as text. */
static const char *waker_name(struct namer *by, struct arena *a, const uint64_t *words)
{
	struct stack_frame f = { .address = words[1], .kind = FRAME_KERNEL };
	char text[17] = "";

	memcpy(text, words + 1, 16);
	switch ((enum waker_kind)words[0]) {
	case WAKER_TASK:
		break;
	case WAKER_IRQ:
		return arena_printf(a, "[irq %s]", text);
	case WAKER_SOFTIRQ:
		return words[1] < WAKER_SOFTIRQS
			? arena_printf(a, "[softirq %s]", waker_softirqs[words[1]]) : "[softirq]";
	case WAKER_PREEMPTER:
		return arena_printf(a, "[preempted by %s]", text);
	case WAKER_TIMER:
		ksyms_frame(by->ksyms, &f, false);
		return f.name ? arena_printf(a, "[timer %s]", f.name) : "[timer]";
	}
	return arena_strdup(a, text);
}

static struct stack_frame *name_wakers(struct namer *by, struct arena *a,
				       const struct img_stack *s, int *n)
{
	struct stack_frame *frames;

	*n = (int)s->n / WAKER_WORDS;
	frames = arena_array(a, struct stack_frame, *n);
	for (int i = 0; i < *n; i++)
		frames[i] = (struct stack_frame){ .kind = FRAME_MARK,
			.name = waker_name(by, a, s->frames + WAKER_WORDS * i) };
	return frames;
}

static struct stack_frame *name(void *self, struct arena *a, const struct img_stack *s, int *n,
				const char **cut)
{
	struct namer *by = self;
	struct aspace *space;
	uint32_t number;
	int reach;

	if (s->user == STACK_OF_WAKERS)
		return name_wakers(by, a, s, n);
	if (!s->user)
		return name_kernel(by, a, s, n);
	space = note(by->stacks, &(struct img_process){ s->pid, s->space, 0 }, s->frames, (int)s->n);
	number = space ? space->number : 0;
	reach = address_names_reach(by->stacks->users, number, s->frames, (int)s->n);
	if (reach < (int)s->n) {
		by->stacks->astray++;
		*cut = "no frame pointer";
	}
	return address_names_resolve(by->stacks->users, number, s->frames, reach, a, n);
}

const struct stack *stacks_show(struct stacks *s, struct ksyms *k, struct arena *a,
				const void *id, int bytes)
{
	struct namer by = { s, k };

	return stack_of(a, &(struct stack_source){ &by, find, name }, id, bytes);
}

int stacks_losses(const struct stacks *s, struct loss *l)
{
	int n = 0;

	l[n++] = (struct loss){ LOSS_STACKS_DROPPED, "stacks were not kept: all frames took more "
				"than 256 MiB", s->not_kept, true, 0 };
	l[n++] = (struct loss){ LOSS_NO_NAME, "frames of the kernel are in code that it has no name for", s->hidden, true, 0 };
	l[n++] = (struct loss){ LOSS_STACKS_ASTRAY, "stacks have outer frames in no code, which are "
				"left out: there was no frame pointer", s->astray, true, 0 };
	for (int i = 0; n < STACKS_LOSSES; i++) {
		const struct address_names_reason *r = address_names_reason(s->users, i);

		if (!r)
			break;
		l[n++] = (struct loss){ r->id, r->why, r->frames, true, 0 };
	}
	return n;
}
