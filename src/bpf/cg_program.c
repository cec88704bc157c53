/*
 * Programs: one for each event. The prologue, the actions with their guards, and
 * scratch. What an action does is in cg_period.c and cg_branch.c.
 *
 * A program is emitted again when it turned out to need something that the
 * prologue provides (the time's slot, scratch): so that others do without.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_field.h"
#include "bpf/cg_map.h"
#include "bpf/cg_period.h"
#include "bpf/cg_sink.h"
#include "bpf/cg_split.h"
#include "bpf/cg_stack.h"
#include "bpf/cg_state.h"
#include "bpf/image_impl.h"

#include <string.h>

#include "bpf/insn.h"
#include "lang/diag_tags.h"

#define MAPS_MOST 64			/* MAX_USED_MAPS */

/* ---- scratch ---- */

/*
 * A program's functions are traced with preemption on: any number of threads can be in
 * the middle of it on one CPU. So each has its own; where that cannot be had, goes on.
 */
static void scratch_of_thread(struct cg *cg, as_label found)
{
	as_label busy = as_new_label(cg->as);

	if (cg->state->thread_scratch_map < 0)
		cg->state->thread_scratch_map = cg_add_map(cg, (struct img_map){
			.name = "scratch_thread", .type = BPF_MAP_TYPE_TASK_STORAGE,
			.key_bytes = 4, .value_bytes = SCRATCH_BYTES, .flags = BPF_F_NO_PREALLOC,
			.purpose = "room for text, in each thread's own storage" });
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	cg_storage(cg, cg->state->thread_scratch_map, R0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, busy);
	as_mov(cg->as, R9, R0);
	as_imm(cg->as, R1, 1);
	as_atomic(cg->as, BPF_XCHG, R9, 0, R1);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, found);
	as_bind(cg->as, busy);
}

/*
 * One of SCRATCH_LEVELS slots of this CPU, marked as in use, so that whoever
 * interrupts this program takes another:
 *
 *	for (i = 0; i < SCRATCH_LEVELS; i++) {
 *		R9 = lookup(scratch, i);
 *		if (!R9) goto none;
 *		if (!xchg(&R9->busy, 1)) goto found;
 *	}
 *	none: count; goto out
 */
static void scratch_acquire(struct cg *cg, as_label out)
{
	as_label found = as_new_label(cg->as), none = as_new_label(cg->as);
	int key = cg_frame(cg, 8);

	if (attach_is_user(cg->event->attach) && cg->options->has.task_storage)
		scratch_of_thread(cg, found);

	if (cg->state->scratch_map < 0)
		cg->state->scratch_map = cg_add_map(cg, (struct img_map){
			.name = "scratch", .type = BPF_MAP_TYPE_PERCPU_ARRAY, .key_bytes = 4,
			.value_bytes = SCRATCH_BYTES, .max_entries = SCRATCH_LEVELS,
			.purpose = "room for text while a program runs" });
	for (int i = 0; i < SCRATCH_LEVELS; i++) {
		as_store_imm(cg->as, 8, R10, key, i);
		cg_find(cg, cg->state->scratch_map, (struct place){ R10, key }, none);
		as_mov(cg->as, R9, R0);
		as_imm(cg->as, R1, 1);
		as_atomic(cg->as, BPF_XCHG, R9, 0, R1);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, found);
	}
	as_bind(cg->as, none);
	as_jump(cg->as, out);
	as_bind(cg->as, found);
	cg_frame_free(cg, 8);
	cg->state->scratch_used = 8;
}

static void scratch_release(struct cg *cg)
{
	as_store_imm(cg->as, 8, R9, 0, 0);
}

/* ---- guards ---- */

static int call_set_map(struct cg *cg, const struct p_calls *calls)
{
	struct cg_state *s = cg->state;
	uint8_t *table;

	for (int i = 0; i < s->call_sets.n; i++)
		if (!memcmp(s->call_sets.v[i].bits.bits, calls->bits, sizeof(calls->bits)))
			return s->call_sets.v[i].map;
	table = arena_alloc(cg->arena, SYSCALL_MOST);
	for (int i = 0; i < SYSCALL_MOST; i++)
		table[i] = calls->bits[i / 64] >> (i % 64) & 1;
	vec_add(cg->arena, &s->call_sets)->bits = *calls;
	vec_last(&s->call_sets).map = cg_add_const(cg, "calls", table, SYSCALL_MOST,
						   "which system calls are meant");
	return vec_last(&s->call_sets).map;
}

/* Jumps to skip when the call's number is not in the set. */
static void guard_calls(struct cg *cg, const struct p_calls *calls, as_label skip)
{
	as_label go = as_new_label(cg->as);
	int n = 0;

	cg_syscall_number(cg);
	for (int i = 0; i < SYSCALL_MOST; i++)
		n += calls->bits[i / 64] >> (i % 64) & 1;
	if (n <= CALLS_COMPARED) {
		for (int i = 0; i < SYSCALL_MOST; i++)
			if (calls->bits[i / 64] >> (i % 64) & 1)
				as_jump_if_imm(cg->as, BPF_JEQ, R0, i, go);
		as_jump(cg->as, skip);
	} else {
		as_jump_if_imm(cg->as, BPF_JGT, R0, SYSCALL_MOST - 1, skip);
		as_map_value(cg->as, R1, call_set_map(cg, calls), 0);
		as_alu(cg->as, BPF_ADD, R1, R0);
		as_load(cg->as, 1, R1, R1, 0);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, skip);
	}
	as_bind(cg->as, go);
}

/* ---- actions ---- */

static const char *const action_what[] = {
	[ACT_MOVE] = "move",
	[ACT_END] = "end",
	[ACT_ROW] = "row",
	[ACT_VIA] = "via",
	[ACT_STATE] = "state",
	[ACT_EXIT] = "exit",
	[ACT_OPEN] = "open",
	[ACT_BEGIN] = "begin",
};

static void action_body(struct cg *cg, const struct p_action *act, as_label done)
{
	switch (act->kind) {
	case ACT_BEGIN:
		cg_begin(cg, act, done);
		break;
	case ACT_STATE:
		cg_state_change(cg, act, done);
		break;
	case ACT_EXIT:
		cg_exit(cg, act, done);
		break;
	case ACT_MOVE:
		cg_move(cg, act, done);
		break;
	case ACT_OPEN:
		cg_open_row(cg, act);
		break;
	case ACT_VIA:
		cg_via(cg, act, done);
		break;
	case ACT_END:
		cg_end(cg, act, done);
		break;
	case ACT_ROW:
		cg_branches(cg, act);
		break;
	}
}

static void guard(struct cg *cg, const struct p_action *act, as_label skip)
{
	as_label wanted = as_new_label(cg->as);

	cg->state->in_guard = true;
	as_note(cg->as, act->guard->loc, "which ones");
	if (act->left_out_ends) {
		cg_jump_when(cg, act->guard, true, wanted);
		cg_begin_left_out(cg, act);
		as_jump(cg->as, skip);
	} else {
		cg_jump_when(cg, act->guard, false, skip);
	}
	as_bind(cg->as, wanted);
	cg->state->in_guard = false;
}

static void action(struct cg *cg, const struct p_action *act, int number)
{
	struct cg_state *s = cg->state;
	as_label next = as_new_label(cg->as), done = as_new_label(cg->as);
	struct mark m = cg_mark(cg);
	unsigned needs = s->needs_action[number];

	s->action = number;
	cg_note(cg, act->loc, action_what[act->kind]);
	if (act->calls)
		guard_calls(cg, act->calls, next);
	if (needs & NEED_SCRATCH_GUARD)
		scratch_acquire(cg, next);
	if (act->guard)
		guard(cg, act, needs & NEED_SCRATCH_GUARD ? done : next);
	if (needs && !(needs & NEED_SCRATCH_GUARD))
		scratch_acquire(cg, next);
	if (cg->event->cat && cg->event->cat->kind == CAT_SYSCALL_EXIT)
		cg_syscall_child(cg, act->calls, done);
	action_body(cg, act, done);
	as_bind(cg->as, done);
	if (needs)
		scratch_release(cg);
	as_bind(cg->as, next);
	cg_release(cg, m);
}

/* ---- programs ---- */

/* A program for both ends: this half, then the return's. */
static void session_entry(struct cg *cg, const struct p_event *ev)
{
	struct cg_state *s = cg->state;
	as_label at_return = as_new_label(cg->as);

	s->begun_off = cg_frame(cg, 8);
	as_store_imm(cg->as, 8, R10, s->begun_off, 0);
	cg_note(cg, ev->loc, "entry or return?");
	cg_session_head(cg, at_return);
	for (int i = 0; i < ev->actions.n; i++)
		if (!ev->actions.v[i].at_return)
			action(cg, &ev->actions.v[i], i);
	as_note(cg->as, (struct loc){ 0 }, "is the return wanted?");
	cg_session_tail(cg);
	as_bind(cg->as, at_return);
	s->at_return = true;
}

/* R9 is free where no action takes scratch: that saves the way through memory. */
static void provide_number(struct cg *cg, const struct p_event *ev)
{
	struct cg_state *s = cg->state;
	bool scratch = false;

	for (int i = 0; i < ev->actions.n; i++)
		scratch |= s->needs_action[i] != 0;
	cg_syscall_number(cg);
	if (scratch) {
		s->nr_off = cg_frame(cg, 8);
		as_store(cg->as, 8, R10, s->nr_off, R0);
	} else {
		s->nr_in_r9 = true;
		as_mov(cg->as, R9, R0);
	}
}

static void emit_program(struct cg *cg, const struct p_event *ev)
{
	struct cg_state *s = cg->state;

	cg->frame_used = 0;
	s->colds.n = s->counts = 0;
	s->counts_called = s->needs & NEED_COUNT;
	if (s->counts_called)
		s->count_function = as_new_label(cg->as);
	s->unwind_function = -1;
	s->zero_off = cg_frame(cg, 8);
	s->now_off = s->nr_off = s->begun_off = 0;
	s->nr_in_r9 = false;
	s->at_return = false;
	cg_note(cg, ev->loc, "prologue");
	as_mov(cg->as, R6, R1);
	if (s->needs & NEED_NR)
		provide_number(cg, ev);
	if (s->needs & NEED_NOW) {
		s->now_off = cg_frame(cg, 8);
		as_store_imm(cg->as, 8, R10, s->now_off, 0);
	}
	if (attach_is_session(ev->attach))
		session_entry(cg, ev);
	for (int i = 0; i < ev->actions.n; i++)
		if (s->at_return == ev->actions.v[i].at_return || !s->begun_off)
			action(cg, &ev->actions.v[i], i);
	as_note(cg->as, (struct loc){ 0 }, "return 0");
	as_imm(cg->as, R0, 0);
	as_exit(cg->as);
	cg_count_colds(cg);
	cg_count_function(cg);
	cg_unwind_function(cg);
}

/* Emits until nothing more is wanted than was provided: at most once a need; when
 * the frame is too small, again without the function that counts, which takes some, then
 * with more of it in scratch. */
static void emit_until_complete(struct cg *cg, const struct p_event *ev)
{
	struct cg_state *s = cg->state;
	int n = ev->actions.n + 1, maps = cg->image->maps.n, sets = s->call_sets.n;
	int scratch_map = s->scratch_map, thread_scratch_map = s->thread_scratch_map;

	s->needs = s->wants = 0;
	s->frame_room = FRAME_ROOM_MOST;
	s->counts_inline = false;
	s->needs_action = arena_array(cg->arena, uint8_t, n);
	s->wants_action = arena_array(cg->arena, uint8_t, n);
	for (;;) {
		arena_reset(cg->work);
		cg->as = as_new(cg->work);
		s->failed = false;
		cg->image->maps.n = maps;
		s->call_sets.n = sets;
		s->scratch_map = scratch_map;
		s->frame_full = false;
		s->thread_scratch_map = thread_scratch_map;
		emit_program(cg, ev);
		if (s->frame_full && (s->needs & NEED_COUNT)) {
			s->counts_inline = true;
			s->needs = s->wants &= ~(unsigned)NEED_COUNT;
			continue;
		}
		if (s->frame_full && s->frame_room > FRAME_ROOM_LEAST) {
			s->frame_room = FRAME_ROOM_LEAST;
			continue;
		}
		if (s->failed || (s->needs == s->wants &&
				  !memcmp(s->needs_action, s->wants_action, (size_t)n)))
			return;
		s->needs = s->wants;
		memcpy(s->needs_action, s->wants_action, (size_t)n);
	}
}

/* Newer than linux/bpf.h here. */
#define TRACE_KPROBE_SESSION 56
#define TRACE_UPROBE_MULTI 48
#define TRACE_UPROBE_SESSION 57

static const struct {
	uint32_t type, expected_attach;
} prog_types[] = {
	[ATTACH_TP_BTF] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP },
	[ATTACH_TP_PERF] = { BPF_PROG_TYPE_TRACEPOINT, 0 },
	[ATTACH_SAMPLE] = { BPF_PROG_TYPE_PERF_EVENT, 0 },
	[ATTACH_TIMER] = { BPF_PROG_TYPE_PERF_EVENT, 0 },
	[ATTACH_RECORD] = { BPF_PROG_TYPE_UNSPEC, 0 },
	[ATTACH_OPEN] = { BPF_PROG_TYPE_UNSPEC, 0 },
	[ATTACH_FENTRY] = { BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY },
	[ATTACH_KPROBE] = { BPF_PROG_TYPE_KPROBE, 0 },
	[ATTACH_KPROBE_MULTI] = { BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI },
	[ATTACH_KPROBE_SESSION] = { BPF_PROG_TYPE_KPROBE, TRACE_KPROBE_SESSION },
	[ATTACH_UPROBE] = { BPF_PROG_TYPE_KPROBE, 0 },
	[ATTACH_UPROBE_MULTI] = { BPF_PROG_TYPE_KPROBE, TRACE_UPROBE_MULTI },
	[ATTACH_UPROBE_SESSION] = { BPF_PROG_TYPE_KPROBE, TRACE_UPROBE_SESSION },
};

/* At most 15 characters that the kernel takes. */
static const char *prog_name(struct cg *cg, const char *text)
{
	char *name = arena_strndup(cg->arena, text, strnlen(text, 64)), *p = name;

	if (strrchr(name, ':'))
		name = strrchr(name, ':') + 1;
	if (strlen(name) > 15)
		name[15] = 0;
	for (p = name; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		      (*p >= '0' && *p <= '9')))
			*p = '_';
	return *name ? name : "prog";
}

/* How many tables the program names: the kernel's MAX_USED_MAPS are possible. */
static bool too_many_maps(struct cg *cg, const struct img_prog *p)
{
	bool *seen = arena_array(cg->arena, bool, cg->image->maps.n);
	int n = 0;

	for (int i = 0; i < p->n_insns; i++) {
		const struct bpf_insn *in = &p->insns[i];

		if (!insn_is_ld_imm64(in))
			continue;
		if (in->src_reg && in->src_reg != BPF_PSEUDO_FUNC && !seen[in->imm]) {
			seen[in->imm] = true;
			n++;
		}
		i++;
	}
	return n > MAPS_MOST;
}

struct img_prog cg_program(struct cg *cg, const struct p_event *ev)
{
	struct img_prog p = {
		.name = prog_name(cg, ev->name), .event = ev,
		.type = prog_types[ev->attach].type,
		.expected_attach = prog_types[ev->attach].expected_attach,
		.btf_id = ev->attach == ATTACH_TP_BTF ? ev->cat->btf_id : 0,
	};
	const char *error;

	if (ev->attach == ATTACH_FENTRY) {
		p.btf_id = ev->functions.v[0].function->btf_id;
		p.btf_module = ev->functions.v[0].function->module;
		if (ev->cat->kind == CAT_FUNC_RETURN)
			p.expected_attach = BPF_TRACE_FEXIT;
	}
	cg->event = ev;
	cg->state->loc = ev->loc;
	emit_until_complete(cg, ev);
	error = cg_finish(cg, &p);
	if (!error && too_many_maps(cg, &p))
		error = "a program can use 64 tables";
	if (error)
		diag_error(cg->diag, DIAG_LIMIT_REACHED,
			   cg->state->failed ? cg->state->fail_loc : ev->loc,
			   "too much for one program: %s", error);
	return p;
}
