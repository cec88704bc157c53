/* How split state asks whether a thread's cgroup has used up its quota, by what the kernel has. */
#include "session/compile.h"

#include "made_catalog.h"
#include "test.h"

enum { KT_ENTITY = 100, KT_QUEUE };

#define TASK PTR_TO(KT_TASK)
#define NUMBER(field, expression) { .name = (field), .type = INT_OF(4, true), .loc = LOC_FORMAT, .size = 4, .from_args = (expression) }
#define EVENT(event, its_fields, its_args, id) { .kind = CAT_TRACEPOINT, .system = "sched", .name = (event), \
	.n_fields = (int)(sizeof(its_fields) / sizeof(*(its_fields))), .fields = (its_fields), \
	.n_args = (int)(sizeof(its_args) / sizeof(*(its_args))), .args = (its_args), .btf_id = (id), .perf_id = (id) }

static const struct cat_field switch_fields[] = { NUMBER("prev_pid", "prev.pid"), NUMBER("next_pid", "next.pid") };
static const struct cat_field switch_args[] = {
	{ .name = "prev", .type = TASK, .loc = LOC_ARG }, { .name = "next", .type = TASK, .loc = LOC_ARG, .index = 1 },
	{ .name = "prev_state", .type = { .kind = TY_ENUM, .size = 4, .dense = STATES, .en = &task_state_enum },
	  .loc = LOC_ARG, .index = 2 },
};
static const struct cat_field wake_fields[] = { NUMBER("pid", "p.pid") };
static const struct cat_field wake_args[] = { { .name = "p", .type = TASK, .loc = LOC_ARG } };
static const struct cat_event events[] = {
	EVENT("sched_switch", switch_fields, switch_args, 1), EVENT("sched_waking", wake_fields, wake_args, 2),
	EVENT("sched_wakeup", wake_fields, wake_args, 3),
};

static const struct cat_event *event_of(void *self, struct str system, struct str name)
{
	(void)self, (void)system;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (str_is(name, events[i].name))
			return &events[i];
	return NULL;
}

/* ---- a kernel's structs ---- */

static bool queues_are_throttled, threads_are_throttled;

static uint32_t struct_type(void *self, struct str name)
{
	return str_is(name, "cfs_rq") ? KT_QUEUE : made_struct_type(self, name);
}

static bool member(void *self, uint32_t ktype, struct str name, struct cat_member *m)
{
	*m = (struct cat_member){ .type = INT_OF(4, true), .offset = 64 };
	if (ktype == KT_TASK && str_is(name, "se"))
		m->type = (struct type){ .kind = TY_STRUCT, .size = 8, .ktype = KT_ENTITY };
	else if (ktype == KT_ENTITY && str_is(name, "cfs_rq"))
		m->type = (struct type)PTR_TO(KT_QUEUE);
	else if (ktype == KT_TASK && str_is(name, "in_iowait"))
		return true;
	else if (ktype == KT_TASK && str_is(name, "throttled"))
		return threads_are_throttled;
	else if (ktype == KT_QUEUE && str_is(name, "throttle_count"))
		return queues_are_throttled;
	else
		return made_member(self, ktype, name, m);
	return true;
}

/* ---- the plan ---- */

static struct arena arena;

/* The states that threads are in after the event, as texts. */
static void states(const char *event, struct buf *out)
{
	static struct catalog_ops ops;
	static const struct catalog catalog = { .ops = &ops };
	struct compile c = {
		.arena = &arena, .catalog = &catalog,
		.text = { "query", str_of("from sched:sched_waking on tid to sched:sched_waking on tid | split state") },
		.options = { .has = { .tp_btf = true }, .uid = -1, .table_rows = 100, .max_open = 100, .cpus_possible = 4 },
	};

	ops = made_catalog_ops;
	ops.event = event_of;
	ops.struct_type = struct_type;
	ops.member = member;
	compile_run(&c, 'p');
	REQUIRE(!c.diag.errors && c.plan);
	buf_clear(out);
	for (int i = 0; i < c.plan->events.n; i++) {
		const struct p_event *e = c.plan->events.v[i];

		for (int k = 0; k < e->actions.n && !strcmp(e->cat->name, event); k++)
			if (e->actions.v[k].kind == ACT_STATE) {
				px_print(e->actions.v[k].state, out);
				buf_putc(out, '\n');
			}
	}
	buf_putc(out, '\0');
	arena_fini(&arena);
}

#define LEFT(ready) "(prev_state in (running, preempted) ? " ready " : ((prev_state == disk) ? (prev.in_iowait ? 2 : 3)" \
	" : (prev_state in (stopped, traced) ? 5 : ((prev_state == idle) ? 3 : 4))))\n"
#define RUNNING "0\n"

/* Before 6.18 a queue is throttled, with what wakes into it; then each thread that was about to run. */
TEST(a_throttled_thread_is_told_as_the_kernel_can)
{
	static const struct {
		bool queues, threads;
		const char *switched, *woken;
	} rows[] = {
		{ false, false, LEFT("1") RUNNING, "" },
		{ true, false, LEFT("((prev.cfs_rq.throttle_count > 0) ? 6 : 1)") RUNNING, "((p.cfs_rq.throttle_count > 0) ? 6 : 1)\n" },
		{ true, true, LEFT("(prev.throttled ? 6 : 1)") RUNNING, "" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		queues_are_throttled = rows[i].queues;
		threads_are_throttled = rows[i].threads;
		states("sched_switch", &b);
		CHECK_STR(b.p, rows[i].switched);
		states("sched_wakeup", &b);
		CHECK_STR(b.p, rows[i].woken);
	}
	buf_fini(&b);
}
