/* See wants.h: it is read out of the programs themselves. */
#include "replay/wants.h"

#include <linux/bpf.h>

#include "bpf/insn.h"

#define CONTEXT_ARGUMENT 1		/* where programs get it */
#define CONTEXT_REGISTER 6		/* where they keep it */

/* The words of the record that the program reads; more does no harm. */
static uint64_t words_read(const struct img_prog *p)
{
	uint64_t words = 0;

	for (int i = 0; i < p->n_insns; i++) {
		const struct bpf_insn *in = &p->insns[i];
		int word = (in->off - 8) / 8;
		bool context = in->src_reg == CONTEXT_ARGUMENT || in->src_reg == CONTEXT_REGISTER;

		if (in->code == (BPF_LDX | BPF_MEM | BPF_DW) && context && in->off >= 8 &&
		    word < RECORD_WORDS)
			words |= RECORD_BIT(word);
	}
	return words;
}

static bool calls_helper(const struct img_prog *p, int helper)
{
	for (int i = 0; i < p->n_insns; i++)
		if (insn_is_call(&p->insns[i]) && p->insns[i].imm == helper)
			return true;
	return false;
}

static struct recorded_event *event_of(struct arena *a, struct recorded_wants *w, const struct cat_event *event)
{
	for (int i = 0; i < w->events.n; i++)
		if (w->events.v[i].event == event)
			return &w->events.v[i];
	vec_push(a, &w->events, (struct recorded_event){ .event = event });
	return &w->events.v[w->events.n - 1];
}

static void add_calls(struct recorded_event *to, const struct p_event *e)
{
	for (int i = 0; i < e->actions.n; i++) {
		const struct p_calls *calls = e->actions.v[i].calls;

		to->any_call |= !calls;
		for (int k = 0; calls && k < SYSCALL_MOST / 64; k++)
			to->calls[k] |= calls->bits[k];
	}
}

static void add_program(struct arena *a, struct recorded_wants *w, const struct img_prog *p)
{
	struct recorded_event *e = event_of(a, w, p->event ? p->event->cat : p->cat);

	e->words |= words_read(p);
	if (p->event)
		add_calls(e, p->event);
	w->running |= calls_helper(p, BPF_FUNC_get_current_task) ||
		      calls_helper(p, BPF_FUNC_get_current_task_btf) ||
		      calls_helper(p, BPF_FUNC_get_current_pid_tgid);
	w->stacks |= calls_helper(p, BPF_FUNC_get_stack);
	w->time |= p->event && p->event->attach == ATTACH_TIMER;
}

struct recorded_wants *replay_wants(struct arena *a, const struct bpf_image *image)
{
	struct recorded_wants *w = arena_new(a, struct recorded_wants);

	for (int i = 0; i < image->progs.n; i++)
		add_program(a, w, &image->progs.v[i]);
	for (int i = 0; i < image->tables.n; i++)
		w->time |= image->tables.v[i].query->every_ns != 0;
	for (int i = 0; i < image->maps.n; i++)
		w->thread_ends |= image->maps.v[i].type == BPF_MAP_TYPE_TASK_STORAGE;
	return w;
}
