/*
 * Programs to events, and away again.
 *
 * A row of `kinds` says how each enum attach is done: it adds one or more
 * descriptors, and closing them ends it; of some, close() waits for the programs that
 * run. Nothing is pinned, so the kernel does that too when the process ends. Programs
 * that only end periods are attached before those that begin them: no begin is left
 * without its end.
 */
#include "kern/live/impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/live/parallel.h"
#include "kern/sysbpf.h"

static void keep_on(struct live *s, int prog, int fd, int cpu)
{
	struct attached *a = vec_add(&s->arena, &s->attached);

	a->fd = fd;
	a->prog = prog;
	a->cpu = cpu;
}

void attach_keep(struct live *s, int prog, int fd)
{
	keep_on(s, prog, fd, -1);
}

void attach_refused(struct live *s, const char *function, int code)
{
	const char *text = arena_printf(&s->arena, "%s (%s)", function, strerror(-code));

	/* its entry and its return are one function */
	for (int i = 0; i < s->refused.n; i++)
		if (!strcmp(s->refused.v[i], text))
			return;
	vec_push(&s->arena, &s->refused, text);
}

static int attach_btf(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	int fd = sysbpf_raw_tracepoint_open(s->prog_fds[prog]);

	(void)event;
	if (fd < 0)
		return err_push(e, fd, "the BTF tracepoint refuses the program: %s", strerror(-fd));
	attach_keep(s, prog, fd);
	return 0;
}

/* A perf event with the program in it, and counting. Its descriptor; -ENODEV: the CPU is offline. */
static int open_perf(struct live *s, int prog, struct perf_event_attr *attr, int cpu,
		     struct err *e)
{
	int fd = sysbpf_perf_open(attr, cpu);

	if (fd < 0)
		return fd == -ENODEV ? fd : err_push(e, fd, "perf_event_open on CPU %d: %s", cpu,
						     strerror(-fd));
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, s->prog_fds[prog]) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		int code = -errno;

		close(fd);
		return err_push(e, code, "the perf event refuses the program: %s", strerror(-code));
	}
	return fd;
}

/* On the first CPU that takes it: *cpu. */
static int open_somewhere(struct live *s, int prog, struct perf_event_attr *attr, int *cpu,
			  struct err *e)
{
	struct arena a = { 0 };
	struct cpus online = { 0 };
	int fd = -ENODEV;

	cpus_online(&a, &online);
	for (int i = 0; i < online.list.n && fd == -ENODEV; i++) {
		*cpu = online.list.v[i];
		fd = open_perf(s, prog, attr, *cpu, e);
	}
	arena_fini(&a);
	return fd == -ENODEV ? err_push(e, fd, "none of the CPUs is online") : fd;
}

static int attach_tracepoint(struct live *s, int prog, const struct p_event *event,
			     struct err *e)
{
	const struct cat_event *cat = event ? event->cat : s->image->progs.v[prog].cat;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = (uint64_t)cat->perf_id,
		.sample_period = 1,
	};
	int cpu, fd = open_somewhere(s, prog, &attr, &cpu, e);

	if (fd < 0)
		return fd;
	/* the event's place, not its CPU's: the program runs for all of them, whether it is there or not */
	attach_keep(s, prog, fd);
	return 0;
}

static struct perf_event_attr sample_attr(const struct p_event *event)
{
	const struct p_sample *sample = &event->sample;
	struct perf_event_attr attr = {
		.type = sample->perf_type,
		.config = sample->perf_config,
		.freq = sample->freq,
	};

	if (sample->freq)
		attr.sample_freq = sample->value;
	else
		attr.sample_period = sample->value;
	return attr;
}

/* Each CPU has a place, also one that may come. */
static int attach_cpus(struct live *s, int prog, struct perf_event_attr *attr, struct err *e)
{
	int n = s->options.n_cpus ? s->options.n_cpus : s->n_cpus, attached = 0;

	for (int i = 0; i < n; i++) {
		int cpu = s->options.n_cpus ? s->options.cpus[i] : i;
		int fd = open_perf(s, prog, attr, cpu, e);

		if (fd < 0 && fd != -ENODEV)
			return fd;
		attached += fd >= 0;
		keep_on(s, prog, fd < 0 ? -1 : fd, cpu);
	}
	return attached ? 0 : err_push(e, -ENODEV, "none of the CPUs is online");
}

static int attach_sample(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	struct perf_event_attr attr = sample_attr(event);
	int code = attach_cpus(s, prog, &attr, e);

	if ((code == -ENOENT || code == -EOPNOTSUPP) && attr.type != PERF_TYPE_SOFTWARE) {
		e->unable = true;
		err_help(e, "this processor, or the virtual machine, has no such counter; "
			 "cpu@99hz works everywhere");
	} else if (code == -EINVAL && attr.freq) {
		err_help(e, "see /proc/sys/kernel/perf_event_max_sample_rate for the most there is");
	}
	return code;
}

static struct perf_event_attr timer_attr(const struct p_event *event)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = event->interval_ns,
	};
}

static int attach_timer(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	struct perf_event_attr attr = timer_attr(event);
	int cpu, fd = open_somewhere(s, prog, &attr, &cpu, e);

	if (fd < 0)
		return fd;
	keep_on(s, prog, fd, cpu);
	return 0;
}

static const struct {
	int (*attach)(struct live *s, int prog, const struct p_event *event, struct err *e);
	/* uprobe_unregister(): a lock that handlers hold (to 6.11), then grace periods */
	bool waits;
} kinds[] = {
	[ATTACH_TP_BTF] = { .attach = attach_btf },
	[ATTACH_TP_PERF] = { .attach = attach_tracepoint },
	[ATTACH_SAMPLE] = { .attach = attach_sample },
	[ATTACH_TIMER] = { .attach = attach_timer },
	[ATTACH_FENTRY] = { .attach = attach_fentry },
	[ATTACH_KPROBE] = { .attach = attach_func_each },
	[ATTACH_KPROBE_MULTI] = { .attach = attach_func_multi },
	[ATTACH_KPROBE_SESSION] = { .attach = attach_func_multi },
	[ATTACH_UPROBE] = { .attach = attach_func_each, .waits = true },
	[ATTACH_UPROBE_MULTI] = { .attach = attach_func_multi, .waits = true },
	[ATTACH_UPROBE_SESSION] = { .attach = attach_func_multi, .waits = true },
};

#define RANK_ROWS 1
#define RANK_BEGINS 2

/* 0: a program of our own, 1: no begins, from 2 on: begins among others, 3: only begins. */
static int rank(const struct img_prog *p)
{
	int begins = 0, others = 0;

	if (!p->event)
		return 0;
	for (int i = 0; i < p->event->actions.n; i++) {
		const struct p_action *a = &p->event->actions.v[i];

		if (a->kind == ACT_BEGIN && a->period->store != STORE_ELIDED)
			begins++;
		else
			others++;
	}
	return !begins ? 1 : others ? 2 : 3;
}

static unsigned kind_of(const struct img_prog *p)
{
	return p->event ? p->event->attach : p->expected_attach ? ATTACH_TP_BTF : ATTACH_TP_PERF;
}

static int attach_one(struct live *s, int i, struct err *e)
{
	const struct img_prog *p = &s->image->progs.v[i];
	unsigned kind = kind_of(p);
	int code;

	if (kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[kind].attach)
		return err_push(e, -EINVAL, "%s is not an event of the kernel", p->name);
	code = kinds[kind].attach(s, i, p->event, e);
	if (code) {
		err_push(e, code, "cannot attach to %s", p->event ? p->event->name : p->name);
		load_unable(e, code);
	}
	return code;
}

/* Are all begins seen from now on? */
static void watch(struct live *s, bool all)
{
	if (s->plan->watches)
		s->x.globals[s->plan->g_watching] = all;
}

int attach_all(struct live *s, struct err *e)
{
	for (int r = 0; r <= 3; r++)
		for (int i = 0; i < s->image->progs.n; i++) {
			int code = rank(&s->image->progs.v[i]) == r ? attach_one(s, i, e) : 0;

			if (code)
				return code;
		}
	s->first_counts = maps_keep_counters(s);
	watch(s, true);
	return 0;
}

/* A sample's event at its CPU, a timer's where there is one. */
static int open_again(struct live *s, struct attached *a, struct err *e)
{
	const struct p_event *event = s->image->progs.v[a->prog].event;
	bool timer = event->attach == ATTACH_TIMER;
	struct perf_event_attr attr = timer ? timer_attr(event) : sample_attr(event);

	return timer ? open_somewhere(s, a->prog, &attr, &a->cpu, e)
		     : open_perf(s, a->prog, &attr, a->cpu, e);
}

/* A CPU that goes takes its events with it, also when it comes back. */
void attach_again(struct live *s, int cpu)
{
	for (int i = 0; i < s->attached.n; i++) {
		struct attached *a = &s->attached.v[i];
		struct arena arena = { 0 };
		struct err ignored = { .arena = &arena };
		int fd;

		if (a->cpu < 0 || (cpu != CPUS_ALL && a->cpu != cpu))
			continue;
		fd = open_again(s, a, &ignored);
		if (a->fd >= 0)
			close(a->fd);
		a->fd = fd < 0 ? -1 : fd;
		arena_fini(&arena);
	}
}

/* Only functions' links tell. */
static void count_missed(struct live *s)
{
	for (int i = 0; i < s->attached.n; i++) {
		const struct p_event *e = s->image->progs.v[s->attached.v[i].prog].event;

		if (e && attach_is_function(e->attach) && e->attach != ATTACH_FENTRY)
			s->missed += attach_missed(s->attached.v[i].fd);
	}
}

static void detach_one(void *arg, int i)
{
	const struct attached *a = arg;

	if (a[i].fd >= 0)
		close(a[i].fd);
}

/* How many are attached of lower ranks: they are in this order. */
static int n_below(const struct live *s, int least)
{
	int n = 0;

	while (n < s->attached.n && rank(&s->image->progs.v[s->attached.v[n].prog]) < least)
		n++;
	return n;
}

/* Begins first: what is open behind that is open, and no begin meets one whose end was not
 * seen. Ends that come meanwhile have no begin: the counts of such things are those from before.
 * Our own last: rows read what they keep, as which interrupt runs. */
bool detach_all(struct live *s)
{
	int own = n_below(s, RANK_ROWS), no_begins = n_below(s, RANK_BEGINS);
	bool waited = true;

	if (!s->attached.n)
		return true;
	watch(s, false);
	count_missed(s);
	s->kept_counts = maps_keep_counters(s);
	for (int i = 0; i < s->attached.n; i++)
		waited &= kinds[kind_of(&s->image->progs.v[s->attached.v[i].prog])].waits;
	/* to close one waits for the kernel's grace periods, 10 to 50 ms of some kinds */
	parallel_wait(s->attached.n - no_begins, detach_one, s->attached.v + no_begins);
	parallel_wait(no_begins - own, detach_one, s->attached.v + own);
	parallel_wait(own, detach_one, s->attached.v);
	s->attached.n = 0;
	return waited;
}
