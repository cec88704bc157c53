/*
 * The live executor: see live.h.
 *
 * A step is one poll with a deadline: the caller's, the ring buffer's next drain, a measuring
 * window of --budget, the command's end, the caller's own descriptor.
 * Nothing in the kernel wakes it up for an event.
 */
#define _GNU_SOURCE	/* ppoll */
#include "base/clock.h"
#include "kern/live/impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/live/before.h"
#include "kern/live/parallel.h"
#include "kern/live/targets.h"
#include "kern/stacks.h"
#include "kern/sysbpf.h"

#define FIRST_PERIOD_NS 20000000ull
#define SLEPT_LEAST_NS 1000000ull	/* what two clocks differ by if they are read one after the other */
/* So long ends may come whose begins were before the start: disk requests, answers. */
#define EARLY_NS 1000000000ull

/* ---- open, attach ---- */

#define FILES_MOST (1 << 20)		/* fs.nr_open, unless somebody changed it */

/* Each program, table and CPU's event is a descriptor. */
static void raise_file_limit(void)
{
	struct rlimit l = { FILES_MOST, FILES_MOST };

	/* root may; others up to their hard limit */
	if (setrlimit(RLIMIT_NOFILE, &l) && !getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static int open_ring(struct live *s, struct err *e)
{
	uint32_t bytes;

	if (s->image->ring < 0)
		return 0;
	bytes = load_ring_bytes(s);
	s->ring = ring_open(s->map_fds[s->image->ring], bytes, e);
	return s->ring ? 0 : -ENOMEM;
}

/* The command's first task; sched_process_fork hands the mark down. */
static int mark_command(struct live *s, struct err *e)
{
	const struct img_map *m;
	uint64_t *mark;
	int fd, code;

	if (s->image->followed < 0)
		return 0;
	m = &s->image->maps.v[s->image->followed];
	mark = xcalloc(1, m->value_bytes + 8);
	*(uint8_t *)mark = 1;
	fd = command_fd(s->command);
	code = sysbpf_map_update(s->map_fds[s->image->followed], &fd, mark);
	free(mark);
	return code ? err_push(e, code, "cannot mark the command: %s", strerror(-code)) : 0;
}

/* Marked, and right before its exec. */
static int ready_command(struct live *s, struct err *e)
{
	int code = command_ready(s->command, e);

	return code ? code : mark_command(s, e);
}

static bool always(const struct live *s)
{
	(void)s;
	return true;
}

static bool prints_rows(const struct live *s)
{
	return s->image->ring >= 0;
}

static bool uses_clock(const struct live *s)
{
	for (int i = 0; i < s->plan->events.n; i++)
		if (s->plan->events.v[i]->attach == ATTACH_SAMPLE ||
		    s->plan->events.v[i]->attach == ATTACH_TIMER)
			return true;
	return false;
}

/* What has no other way: forced off, it is missing. Really missing, the kernel says so. */
static const struct {
	enum feature_id id;
	bool (*needed)(const struct live *s);
} needs[] = {
	{ FEATURE_CAP_BPF, always },
	{ FEATURE_CAP_PERFMON, always },
	{ FEATURE_RINGBUF, prints_rows },
	{ FEATURE_CPU_CLOCK, uses_clock },
};

static int check_needs(const struct live *s, struct err *e)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct feature_row *r = feature_row(needs[i].id);

		if (live_without(s, needs[i].id) && needs[i].needed(s)) {
			e->unable = true;
			return err_push(e, -EOPNOTSUPP, "without %s: %s", r->name, r->without);
		}
	}
	return 0;
}

/* What is done side by side: each with an err of its own. */
struct half {
	int (*open)(struct live *s, struct err *e);
	struct live *s;
	struct arena arena;
	struct err err;
	int code;
};

static void open_half(void *arg, int i)
{
	struct half *h = (struct half *)arg + i;

	h->err.arena = &h->arena;
	h->code = h->open(h->s, &h->err);
}

static int open_kernel(struct live *s, struct err *e)
{
	int code = load_maps(s, e);

	return code ? code : load_progs(s, e);
}

/* The kernel makes tables and verifies programs while the code of processes is read: both
 * take some 50 ms where stacks are taken. */
static int open_halves(struct live *s, struct err *e)
{
	struct half halves[] = { { .open = open_kernel, .s = s }, { .open = collect_open, .s = s } };
	int code = load_collected_maps(s, e), n = s->image->stacks < 0 ? 1 : 2;

	if (code)
		return code;
	parallel_work(n, open_half, halves);
	for (int i = 0; i < n; i++) {
		if (halves[i].code && !code) {
			err_join(e, &halves[i].err);
			code = halves[i].code;
		}
		arena_fini(&halves[i].arena);
	}
	collect_own(s);
	return code;
}

static void read_wall(struct live *s)
{
	uint64_t now_ns = live_now_ns(s);

	wall_add(&s->x.wall, now_ns, (int64_t)(clock_ns(CLOCK_REALTIME) - now_ns));
}

static int open_clock(struct live *s, struct err *e)
{
	int code = clock_ahead("monotonic", &s->clock_ahead_ns, e);

	s->wall_fd = clock_watch();
	s->cpus_fd = cpus_watch();
	s->slept_ns = clock_slept_ns();
	read_wall(s);
	return code;
}

static int open_parts(struct live *s, struct err *e)
{
	int code = check_needs(s, e);

	if (!code)
		code = open_clock(s, e);
	if (code)
		return code;
	if (s->options.command) {
		s->command = command_start(s->options.command, e);
		if (!s->command)
			return -ECHILD;
	}
	code = open_halves(s, e);
	if (!code)
		code = open_ring(s, e);
	if (!code && (s->options.cost || s->options.budget_percent > 0)) {
		s->cost = cost_open(s, e);
		code = s->cost ? 0 : -EPERM;
	}
	return code;
}

static const struct executor_ops ops;

struct live *live_open(const struct bpf_image *image, const struct plan *plan,
		       const struct live_options *o, struct err *e)
{
	struct live *s = xcalloc(1, sizeof(*s));

	raise_file_limit();
	s->image = image;
	s->plan = plan;
	s->options = *o;
	s->n_cpus = cpus_possible();
	s->x.ops = &ops;
	s->wall_fd = s->cpus_fd = -1;
	s->quiesce_outer = s->quiesce_inner = -1;
	s->map_fds = arena_array(&s->arena, int, image->maps.n);
	for (int i = 0; i < image->maps.n; i++)
		s->map_fds[i] = -1;
	s->prog_fds = arena_array(&s->arena, int, image->progs.n);
	for (int i = 0; i < image->progs.n; i++)
		s->prog_fds[i] = -1;
	if (open_parts(s, e)) {
		live_close(s);
		return NULL;
	}
	return s;
}

struct executor *live_executor(struct live *s)
{
	return &s->x;
}

static struct live *of(struct executor *x)
{
	return (struct live *)x;
}

static int begin(struct executor *x, struct err *e)
{
	struct live *s = of(x);
	int code = attach_all(s, e);

	if (!code && s->command)
		code = ready_command(s, e);
	if (code)
		return code;
	x->begin_ns = live_now_ns(s);
	s->drain_ns = x->begin_ns;
	s->before = before_open(s->plan, s->options.scope, x->begin_ns);
	if (s->cost)
		cost_step(s, x->begin_ns);
	return s->command ? command_release(s->command, e) : 0;
}

/* ---- a step ---- */

static void hand_out(void *self, const struct img_record *rec, uint32_t bytes)
{
	struct live *s = self;

	if (s->x.row)
		s->x.row(s->x.sink, rec, bytes);
}

static int drain(struct live *s, uint64_t now_ns, bool all)
{
	int n;

	if (!s->ring)
		return 0;
	/* what a row's stack means is known before it is shown */
	collect_processes(s);
	n = ring_drain(s->ring, now_ns, all, hand_out, s);
	s->drain_ns = live_now_ns(s) + ring_period_ns(s->ring);
	return n;
}

/* What is due now. */
static unsigned work(struct live *s)
{
	uint64_t now_ns = live_now_ns(s);
	unsigned happened = 0;

	if (s->stopped)
		return 0;
	if (s->ring && now_ns >= s->drain_ns && drain(s, now_ns, false))
		happened |= EXECUTOR_ROWS;
	collect_stacks(s, now_ns);
	if (!s->early_counts && now_ns >= s->x.begin_ns + EARLY_NS)
		s->early_counts = maps_keep_counters(s);
	if (s->attached.n && s->cost && cost_step(s, now_ns))
		happened |= EXECUTOR_BUDGET;
	if (s->x.enough && s->x.enough(s->x.sink))
		happened |= EXECUTOR_ENOUGH;
	return happened;
}

static void sooner(uint64_t *deadline_ns, uint64_t other_ns)
{
	if (other_ns < *deadline_ns)
		*deadline_ns = other_ns;
}

static uint64_t next_deadline(const struct live *s, uint64_t deadline_ns)
{
	if (s->stopped)
		return deadline_ns;
	if (!s->early_counts)
		sooner(&deadline_ns, s->x.begin_ns + EARLY_NS);
	if (s->ring)
		sooner(&deadline_ns, s->drain_ns);
	if (s->stacks)
		sooner(&deadline_ns, collect_deadline_ns(s));
	if (s->cost && s->attached.n)
		sooner(&deadline_ns, cost_deadline_ns(s->cost));
	if (s->x.enough)
		sooner(&deadline_ns, live_now_ns(s) + FIRST_PERIOD_NS);
	return deadline_ns;
}

/* What was there of a CPU is gone, when it comes back. */
static void see_cpu(struct live *s, int cpu)
{
	attach_again(s, cpu);
	collect_cpu(s, cpu);
}

static void see_cpus(struct live *s)
{
	int cpu;

	while (cpus_changed(s->cpus_fd, &cpu))
		see_cpu(s, cpu);
}

/* All CPUs but one go before the machine sleeps, and come back without a word. */
static void see_clock(struct live *s)
{
	uint64_t slept_ns = clock_slept_ns();

	clock_watched(s->wall_fd);
	read_wall(s);
	if (slept_ns > s->slept_ns + SLEPT_LEAST_NS)
		see_cpu(s, CPUS_ALL);
	s->slept_ns = slept_ns;
}

enum { WAKES, COMMAND_ENDS, PROCESSES, NOTICES, CLOCK, TARGETS_END, CPUS, N_FDS };	/* EXECUTOR_FDS_MOST */

static void fill_fds(const struct live *s, struct pollfd *fds)
{
	const int fd[N_FDS] = {
		[WAKES] = s->options.wake_fd,
		[COMMAND_ENDS] = s->command && !s->command_ended ? command_fd(s->command) : -1,
		[PROCESSES] = collect_fd(s), [NOTICES] = collect_notices_fd(s), [CLOCK] = s->wall_fd,
		[TARGETS_END] = targets_fd(s->options.targets), [CPUS] = s->cpus_fd,
	};

	for (int i = 0; i < N_FDS; i++)
		fds[i] = (struct pollfd){ .fd = fd[i], .events = POLLIN };
}

static int wait(const struct executor *x, struct pollfd *fds, uint64_t *deadline_ns)
{
	const struct live *s = (const struct live *)x;

	fill_fds(s, fds);
	*deadline_ns = next_deadline(s, *deadline_ns);
	return N_FDS;
}

static unsigned wait_until(struct live *s, uint64_t deadline_ns)
{
	struct pollfd fds[N_FDS];
	uint64_t now_ns = live_now_ns(s);
	uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	struct timespec t = { (time_t)(left_ns / NS_PER_S), (long)(left_ns % NS_PER_S) };
	unsigned happened = 0;

	fill_fds(s, fds);
	if (ppoll(fds, N_FDS, deadline_ns == UINT64_MAX ? NULL : &t, NULL) <= 0)
		return 0;
	if (fds[CLOCK].revents)
		see_clock(s);
	if (fds[CPUS].revents)
		see_cpus(s);
	if (fds[NOTICES].revents)
		collect_notices(s);
	if (fds[PROCESSES].revents)
		collect_processes(s);
	if (fds[WAKES].revents)
		happened |= EXECUTOR_WAKE;
	if (fds[COMMAND_ENDS].revents && command_reap(s->command, &s->command_status)) {
		s->command_ended = true;
		happened |= EXECUTOR_COMMAND;
	}
	if (fds[TARGETS_END].revents && targets_gone(s->options.targets))
		happened |= EXECUTOR_GONE;
	return happened;
}

static int step(struct executor *x, uint64_t until_ns, struct err *e)
{
	struct live *s = of(x);
	unsigned happened;

	(void)e;
	for (;;) {
		happened = work(s);
		if (happened)		/* what else, without waiting */
			return (int)(happened | wait_until(s, 0));
		happened = wait_until(s, next_deadline(s, until_ns));
		if (happened || live_now_ns(s) >= until_ns)
			return (int)(happened | work(s));
	}
}

static void quiesce(struct executor *x)
{
	maps_quiesce(of(x));
}

static void stop(struct executor *x)
{
	struct live *s = of(x);
	bool all_ended;

	if (s->stopped)
		return;
	s->stopped_ns = live_now_ns(s);
	cost_stop(s);
	before_look(s->before, false);
	all_ended = detach_all(s);
	s->detached_ns = live_now_ns(s);
	if (!all_ended)
		maps_quiesce(s);
	collect_processes(s);
	collect_stacks(s, UINT64_MAX);
	drain(s, s->detached_ns, true);
	before_look(s->before, true);
	s->stopped = true;
}

static uint64_t now_ns(const struct executor *x)
{
	const struct live *s = (const struct live *)x;

	return s->stopped ? s->detached_ns : live_now_ns(s);
}

/* ---- what was counted ---- */

/* What half attached programs count of lone begins and ends is none. */
static void counters(struct executor *x, uint64_t *counts, uint64_t *early)
{
	const struct live *s = of(x);

	maps_counters(of(x), counts);
	for (int i = 0; i < s->plan->counters.n; i++) {
		if (s->plan->counters.v[i].always)
			continue;
		if (s->kept_counts)
			counts[i] = s->kept_counts[i];
		if (s->first_counts)
			counts[i] -= s->first_counts[i];
		early[i] = counts[i];
		if (s->early_counts)
			early[i] = s->early_counts[i] - (s->first_counts ? s->first_counts[i] : 0);
	}
}

#define REFUSED_SHOWN 8

static struct loss refused(const struct live *s, struct arena *a)
{
	struct buf names = { 0 };
	struct loss l = { LOSS_REFUSED, "", (uint64_t)s->refused.n, true, 0 };

	for (int i = 0; i < s->refused.n && i < REFUSED_SHOWN; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", s->refused.v[i]);
	l.what = arena_printf(a, "functions cannot be probed by the kernel: %s%s", names.n ? names.p : "",
			      s->refused.n > REFUSED_SHOWN ? ", ..." : "");
	buf_fini(&names);
	return l;
}

static int before(struct executor *x, const struct before_call **calls)
{
	struct live *s = of(x);

	before_look(s->before, s->stopped);
	return before_calls(s->before, calls);
}

static int losses(struct executor *x, struct arena *a, struct loss **own)
{
	struct live *s = of(x);
	struct loss *l = arena_array(a, struct loss, 6 + BEFORE_LOSSES + STACKS_LOSSES);
	uint64_t missed = 0;
	int n = 0;

	for (int i = 0; i < s->image->progs.n; i++) {
		struct bpf_prog_info info;

		if (s->prog_fds[i] >= 0 && !sysbpf_prog_info(s->prog_fds[i], &info))
			missed += info.recursion_misses;
	}
	l[n++] = (struct loss){ LOSS_MISSED, "events came while the same program already ran there",
				missed, true, 0 };
	l[n++] = (struct loss){ LOSS_MISSED, "calls were missed by the kernel's probes: more were open at "
				"once than a function has slots for, or they came inside of another probe; "
				"few functions (fentry) need no slots", s->missed, true, 0 };
	l[n++] = (struct loss){ LOSS_LATE, "rows came too late for their place in time",
				s->ring ? ring_late(s->ring) : 0, true, 0 };
	if (s->unwind)
		l[n++] = (struct loss){ LOSS_NO_TABLE, "mappings of code found no room in the "
					"tables of callers: frame pointers are followed there",
					unwind_size(s->unwind).dropped, true, 0 };
	if (s->plan->user_names)
		l[n++] = (struct loss){ LOSS_NOTICES_LOST, "forks, new programs and mappings "
					"came faster than they were read: names and callers may be "
					"missing", collect_lost(s), true, 0 };
	if (s->refused.n)
		l[n++] = refused(s, a);
	if (s->stacks)
		n += stacks_losses(s->stacks, l + n);
	n += before_losses(s->before, s->detached_ns, a, l + n);
	*own = l;
	return n;
}

static const struct executor_ops ops = {
	.begin = begin, .step = step, .wait = wait, .stop = stop, .now_ns = now_ns, .quiesce = quiesce,
	.read = maps_read, .counters = counters, .before = before, .losses = losses,
};

void live_cost(struct live *s, struct buf *out)
{
	cost_print(s, out);
}

double live_budget_used(const struct live *s)
{
	return s->budget_used;
}

struct stacks *live_stacks(const struct live *s)
{
	return s->stacks;
}

int live_command_status(const struct live *s)
{
	return s->command_status;
}

static void close_fds(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void live_close(struct live *s)
{
	if (!s)
		return;
	detach_all(s);
	command_close(s->command);
	cost_close(s->cost);
	ring_close(s->ring);
	before_close(s->before);
	collect_close(s);
	if (s->x.globals)
		munmap((void *)s->x.globals, s->globals_bytes);
	close_fds(s->prog_fds, s->image->progs.n);
	close_fds(s->map_fds, s->image->maps.n);
	close_fds(&s->wall_fd, 1);
	close_fds(&s->cpus_fd, 1);
	close_fds(&s->quiesce_outer, 1);
	close_fds(&s->quiesce_inner, 1);
	arena_fini(&s->arena);
	free(s);
}
