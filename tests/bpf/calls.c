/*
 * Open calls of a thread: the programs at a function's entry and return and where a thread ends, over
 * made registers, against a list of all calls that are open.
 */
#include "plan/plan.h"
#include "replay/replay.h"
#include "test.h"

#define KEPT 4				/* of a thread */
#define DEPTH_MOST 64
#define STACK_BYTES (1 << 14)
#define STACKS 2

/* Words of a record, as struct pt_regs are. */
#if defined(__x86_64__)
enum { ARG_WORD = 13, SP_WORD = 18, POPPED_BYTES = 8 };
#else
enum { ARG_WORD = -1, SP_WORD = 30, POPPED_BYTES = 0 };	/* the first register is what is valid */
#endif

static struct arena arena;
static struct cat_event entry = { .kind = CAT_FUNC_ENTER, .system = "", .name = "f" };
static struct cat_event ret = { .kind = CAT_FUNC_RETURN, .system = "", .name = "f" };
static struct cat_event end_of_thread = { .kind = CAT_TRACEPOINT, .system = "sched", .name = "sched_process_exit" };
static struct cat_field arg_field = { .name = "arg0", .loc = LOC_FUNCARG };

enum { UNMATCHED, ABANDONED, LET_GO, COUNTERS };

struct fixture {
	struct plan plan;
	struct p_event at_entry, at_return, at_exit;
	struct p_period period;
	struct p_query query;
	struct p_branch branch;
	struct column column;
	struct px *values[1];
	struct diag diag;
	struct plan_options options;
	struct bpf_image *image;
	struct replay *replay;
	struct cell cell;
	int rows;
	uint64_t now_ns;
	/* What is to come out: the calls that are open, of which the last `kept` are known. */
	struct call { uint64_t frame, value; } calls[DEPTH_MOST];
	int depth, kept;
	bool begun;			/* what ends before is nobody's */
	uint64_t counts[COUNTERS];
};

static bool on_row(void *self, const struct img_record *rec, uint32_t bytes)
{
	struct fixture *f = self;

	(void)bytes;
	record_cells(&arena, &f->image->rows.v[0], rec, &f->cell);
	f->rows++;
	return true;
}

static struct px *value_of(int op)
{
	struct px *e = arena_new(&arena, struct px);

	*e = (struct px){ .op = (uint8_t)op, .type = type_uint };
	return e;
}

static void add_action(struct p_event *ev, int kind, struct p_period *p)
{
	struct p_action *act = vec_add(&arena, &ev->actions);

	act->kind = (uint8_t)kind;
	act->period = p;
	act->task = value_of(PX_COMMON);
	act->task->common = COMMON_TASK;
}

static void add_events(struct fixture *f)
{
	struct p_action *begin, *end;

	f->at_entry = (struct p_event){ .attach = ATTACH_KPROBE, .cat = &entry, .name = "entry" };
	f->at_return = (struct p_event){ .attach = ATTACH_KPROBE, .cat = &ret, .name = "return" };
	f->at_exit = (struct p_event){ .attach = ATTACH_TP_BTF, .cat = &end_of_thread, .name = "exit" };
	add_action(&f->at_entry, ACT_BEGIN, &f->period);
	add_action(&f->at_return, ACT_END, &f->period);
	add_action(&f->at_exit, ACT_EXIT, &f->period);
	begin = &f->at_entry.actions.v[0];
	begin->slots = arena_array(&arena, struct px *, 1);
	begin->slots[0] = value_of(PX_FIELD);
	begin->slots[0]->field = &arg_field;
	end = &f->at_return.actions.v[0];
	vec_push(&arena, &end->branches, &f->branch);
	vec_push(&arena, &f->plan.events, &f->at_entry);
	vec_push(&arena, &f->plan.events, &f->at_return);
	vec_push(&arena, &f->plan.events, &f->at_exit);
}

static struct fixture *fixture_new(bool many_functions, bool checked)
{
	struct fixture *f = arena_new(&arena, struct fixture);
	struct replay_options o = { .checked = checked };
	struct record_source none = { .self = NULL };
	struct err e = { .arena = &arena };

	arg_field.type = type_uint;
	f->plan = (struct plan){ .arena = &arena };
	f->diag.arena = &arena;
	f->options = (struct plan_options){ .cpus_possible = 1, .has.replay = true };
	f->period = (struct p_period){
		.store = STORE_CALLS, .is_call = true, .needs_time = true, .name = "f", .many_functions = many_functions,
		.c_dropped = -1, .c_unmatched = UNMATCHED, .c_restarted = -1, .c_abandoned = ABANDONED,
		.c_too_deep = -1, .c_let_go = LET_GO, .c_denied = -1 };
	*vec_add(&arena, &f->period.slots) = (struct p_slot){ .type = type_uint };
	for (int i = 0; i < COUNTERS; i++)
		*vec_add(&arena, &f->plan.counters) = (struct p_counter){ LOSS_UNMATCHED, .what = "x" };
	f->values[0] = value_of(PX_SLOT);
	f->column = (struct column){ .name = "arg0", .type = type_uint };
	f->query = (struct p_query){ .sink = SINK_PRINT, .columns = &f->column, .n_columns = 1,
				     .c_lost = -1, .c_kept_back = -1, .c_dropped = -1 };
	f->branch = (struct p_branch){ .query = &f->query, .period = &f->period, .columns = f->values };
	add_events(f);
	vec_push(&arena, &f->query.branches, &f->branch);
	vec_push(&arena, &f->plan.periods, &f->period);
	vec_push(&arena, &f->plan.queries, &f->query);
	plan_layout(&f->plan);
	f->period.calls_kept = KEPT;
	f->image = image_build(&arena, &f->diag, &f->plan, &f->options);
	REQUIRE(f->image);
	f->replay = replay_open(&e, &f->plan, f->image, &o, &none);
	REQUIRE(f->replay);
	replay_executor(f->replay)->sink = f;
	replay_executor(f->replay)->row = on_row;
	return f;
}

static void run_event(struct fixture *f, const struct cat_event *event, uint64_t sp, uint64_t value)
{
	struct record rec = { .time_ns = ++f->now_ns, .event = event };
	struct err e = { .arena = &arena };

	rec.words[RECORD_PID] = rec.words[RECORD_TID] = 7;
	rec.valid = RECORD_BIT(RECORD_PID) | RECORD_BIT(RECORD_TID);
	(&rec.valid)[1 + ARG_WORD] = value;
	rec.words[SP_WORD] = sp;
	f->rows = 0;
	REQUIRE(replay_event(f->replay, &rec, &e) >= 0);
}

/* ---- what is to come out ---- */

static void pop(struct fixture *f, int n)
{
	f->depth -= n;
	f->kept -= n;
}

/* A call of this stack with a frame below the new one was left in some other way. */
static bool is_left(const struct fixture *f, const struct call *call, uint64_t frame)
{
	return (f->period.many_functions ? call->frame < frame : call->frame <= frame) &&
	       call->frame / STACK_BYTES == frame / STACK_BYTES;
}

static void begin(struct fixture *f, uint64_t frame, uint64_t value)
{
	run_event(f, &entry, frame, value);
	f->begun = true;
	CHECK_EQ(f->rows, 0);
	while (f->kept && is_left(f, &f->calls[f->depth - 1], frame)) {
		pop(f, 1);
		f->counts[ABANDONED]++;
	}
	f->calls[f->depth++] = (struct call){ frame, value };
	if (f->kept < KEPT)
		f->kept++;
	else
		f->counts[LET_GO]++;
}

static void end(struct fixture *f, uint64_t frame)
{
	int n = 1;

	run_event(f, &ret, frame + POPPED_BYTES, 0);
	while (n <= f->kept && f->calls[f->depth - n].frame != frame)
		n++;
	if (n <= f->kept) {
		REQUIRE(f->rows == 1 && f->cell.kind == CELL_INT);
		CHECK_EQ(f->cell.i, (int64_t)f->calls[f->depth - n].value);
		f->counts[ABANDONED] += (uint64_t)n - 1;
		pop(f, n);
		return;
	}
	CHECK_EQ(f->rows, 0);
	if (!f->kept && f->depth)
		f->depth--;
	else if (f->begun)
		f->counts[UNMATCHED]++;
}

/* What is open then goes with the thread. */
static void exit_thread(struct fixture *f)
{
	run_event(f, &end_of_thread, 0, 0);
	f->counts[ABANDONED] += (uint64_t)f->kept;
	f->depth = f->kept = 0;
	f->begun = false;
}

/* ---- the tests ---- */

/* Mostly further down the stack, where the last one is; or anywhere. */
static uint64_t some_frame(const struct fixture *f)
{
	uint64_t last = f->depth ? f->calls[f->depth - 1].frame : 0, step = 8 * (uint64_t)(random() % 3);

	if (last % STACK_BYTES > step && random() % 8)
		return last - step;
	return STACK_BYTES * (uint64_t)(8 + random() % STACKS) + 8 * (uint64_t)(random() % (STACK_BYTES / 8));
}

static void step(struct fixture *f, bool rather_begin, uint64_t value)
{
	if (value % 64 == 0)
		exit_thread(f);
	else if (f->depth < DEPTH_MOST && random() % 8 < (rather_begin ? 6 : 2))
		begin(f, some_frame(f), value);
	else if (f->depth && random() % 8)
		end(f, f->calls[f->depth - 1 - (random() % 4 ? 0 : random() % f->depth)].frame);
	else
		end(f, some_frame(f));
}

static void check_counts(struct fixture *f)
{
	uint64_t counts[COUNTERS], early[COUNTERS];
	struct executor *x = replay_executor(f->replay);

	x->ops->counters(x, counts, early);
	for (int i = 0; i < COUNTERS; i++)
		CHECK_EQ(counts[i], f->counts[i]);
}

TEST(calls_against_a_list_of_them)
{
	for (int round = 0; round < 4; round++) {
		struct fixture *f = fixture_new(round & 1, round & 2);

		srandom(7 + (unsigned)round);
		for (int i = 0; i < 4000; i++) {
			step(f, i / 16 % 2 == 0, (uint64_t)i);
			check_counts(f);
		}
		for (int i = 0; i < COUNTERS; i++)
			CHECK(f->counts[i] > 50);
		replay_close(f->replay);
		arena_fini(&arena);
	}
}
