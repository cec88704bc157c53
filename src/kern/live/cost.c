/*
 * --cost and --budget: how much time culprit's own programs take.
 *
 * The kernel's BPF run statistics cost 140 ns a run themselves, so they are on for
 * 50 ms of each second only and what they say is scaled up. What they do not see,
 * the way into a program and back, is added: `traps`, measured.
 */
#include "kern/live/impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kern/sysbpf.h"

#define WINDOW_NS 50000000ull
#define PERIOD_NS 1000000000ull

/* A run's time outside of the program: an empty one on sys_enter; a cpu-clock
 * interrupt in a virtual machine, where the timer is dear. Linux 6.18. */
static const uint64_t traps_ns[] = {
	[ATTACH_TP_BTF] = 70,
	[ATTACH_TP_PERF] = 95,
	[ATTACH_SAMPLE] = 21000,
	[ATTACH_TIMER] = 21000,
};

struct cost {
	int stats_fd;			/* -1: outside of a window */
	uint64_t begun_ns;		/* of the window; 0: none yet */
	uint64_t next_ns;
	uint64_t measured_ns;		/* windows together */
	struct counts {
		uint64_t ns, runs;	/* in all windows */
		uint64_t ns_before, runs_before;
	} *progs;
};

struct cost *cost_open(struct live *s, struct err *e)
{
	struct cost *c;
	int fd = live_without(s, FEATURE_BPF_STATS) ? -EPERM : sysbpf_enable_stats();

	if (fd < 0) {
		e->unable = fd == -EPERM;
		err_help(e, "they need root or CAP_SYS_ADMIN; CAP_BPF and CAP_PERFMON are not enough");
		err_push(e, fd, "the kernel refuses its BPF run statistics: %s", strerror(-fd));
		err_push(e, fd, "--cost and --budget do not work here");
		return NULL;
	}
	close(fd);
	c = xcalloc(1, sizeof(*c));
	c->stats_fd = -1;
	c->progs = xcalloc((size_t)s->image->progs.n, sizeof(*c->progs));
	return c;
}

void cost_close(struct cost *c)
{
	if (!c)
		return;
	if (c->stats_fd >= 0)
		close(c->stats_fd);
	free(c->progs);
	free(c);
}

uint64_t cost_deadline_ns(const struct cost *c)
{
	return c->stats_fd >= 0 ? c->begun_ns + WINDOW_NS : c->next_ns;
}

static uint64_t trap_ns(const struct img_prog *p)
{
	unsigned kind = p->event ? p->event->attach : ATTACH_TP_BTF;

	return kind < sizeof(traps_ns) / sizeof(traps_ns[0]) ? traps_ns[kind] : 0;
}

static void window_begin(struct live *s, uint64_t now_ns)
{
	struct cost *c = s->cost;

	c->stats_fd = sysbpf_enable_stats();
	c->next_ns = now_ns + PERIOD_NS;
	if (c->stats_fd < 0)
		return;
	for (int i = 0; i < s->image->progs.n; i++) {
		struct bpf_prog_info info;

		if (s->prog_fds[i] < 0 || sysbpf_prog_info(s->prog_fds[i], &info))
			continue;
		c->progs[i].ns_before = info.run_time_ns;
		c->progs[i].runs_before = info.run_cnt;
	}
	c->begun_ns = live_now_ns(s);
}

/* Returns the percentage of all CPUs' time that the programs took in it. */
static double window_end(struct live *s)
{
	struct cost *c = s->cost;
	uint64_t length_ns = live_now_ns(s) - c->begun_ns, used_ns = 0;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (int i = 0; i < s->image->progs.n; i++) {
		struct counts *p = &c->progs[i];
		struct bpf_prog_info info;
		uint64_t ns, runs;

		if (s->prog_fds[i] < 0 || sysbpf_prog_info(s->prog_fds[i], &info))
			continue;
		ns = info.run_time_ns - p->ns_before;
		runs = info.run_cnt - p->runs_before;
		p->ns += ns;
		p->runs += runs;
		used_ns += ns + runs * trap_ns(&s->image->progs.v[i]);
	}
	close(c->stats_fd);
	c->stats_fd = -1;
	c->measured_ns += length_ns;
	return 100.0 * (double)used_ns / ((double)(length_ns ? length_ns : 1) * (double)cpus);
}

bool cost_step(struct live *s, uint64_t now_ns)
{
	struct cost *c = s->cost;
	double percent = s->options.budget_percent;

	if (now_ns < cost_deadline_ns(c))
		return false;
	if (c->stats_fd < 0) {
		window_begin(s, now_ns);
		return false;
	}
	s->budget_used = window_end(s);
	return percent > 0 && s->budget_used > percent;
}

void cost_stop(struct live *s)
{
	if (s->cost && s->cost->stats_fd >= 0)
		window_end(s);
}

/* The bytes the kernel says a table takes. */
static uint64_t map_bytes(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	if (f)
		fclose(f);
	return bytes;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

void cost_print(struct live *s, struct buf *out)
{
	const struct cost *c = s->cost;
	double scale = 0, whole_ns = (double)(live_now_ns(s) - s->x.begin_ns);
	uint64_t tables = 0;
	struct rusage own;

	if (s->stopped)
		whole_ns = (double)(s->stopped_ns - s->x.begin_ns);
	if (c && c->measured_ns)
		scale = whole_ns / (double)c->measured_ns;
	buf_printf(out, "%-28s %12s %10s %10s %12s\n", "PROGRAM", "RUNS", "NS/RUN", "NS/TRAP",
		   "TOTAL(ms)");
	for (int i = 0; c && i < s->image->progs.n; i++) {
		const struct img_prog *p = &s->image->progs.v[i];
		double runs = (double)c->progs[i].runs, ns = (double)c->progs[i].ns;
		double trap = (double)trap_ns(p);

		buf_printf(out, "%-28s %12.0f %10.0f %10.0f %12.3f\n",
			   p->event ? p->event->name : p->name, runs * scale,
			   runs > 0 ? ns / runs : 0, trap, (ns + runs * trap) * scale / 1e6);
	}
	for (int i = 0; i < s->image->maps.n; i++)
		tables += s->map_fds[i] >= 0 ? map_bytes(s->map_fds[i]) : 0;
	getrusage(RUSAGE_SELF, &own);
	if (s->unwind)
		tables += unwind_size(s->unwind).bytes;
	buf_printf(out, "measured in %.0f ms of %.0f ms; tables %llu bytes; culprit itself %.0f ms "
		   "of CPU time, %ld kB resident at most\n",
		   c ? (double)c->measured_ns / 1e6 : 0, whole_ns / 1e6, (unsigned long long)tables,
		   (seconds(own.ru_utime) + seconds(own.ru_stime)) * 1e3, own.ru_maxrss);
}
