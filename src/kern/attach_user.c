/*
 * Functions and static probes of programs: uprobes.
 *
 * One link for all functions of a file (uprobe.multi, uprobe.session), or a perf event
 * for each. A function that the kernel refuses (an instruction that it cannot step over)
 * must not take the rest of a wildcard with it: a link that fails is tried in halves,
 * and what is left out is told.
 */
#include "kern/live_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/sysbpf.h"

#define PERF_TYPE "/sys/bus/event_source/devices/uprobe/type"

/* Functions of one file and process, side by side. */
struct group {
	struct live *s;
	const struct p_event *event;
	int prog;
	const struct p_function *first;
	uint64_t *offsets, *cookies, *semaphores;
	int attached, code;		/* code: of the last that was refused */
};

static bool same_group(const struct p_function *a, const struct p_function *b)
{
	return a->function->pid == b->function->pid && !strcmp(a->function->path, b->function->path);
}

static int gone(const struct cat_function *f, struct err *e, int code)
{
	if (f->pid && code == -ESRCH)
		return err_push(e, code, "process %lld has ended", (long long)f->pid);
	return err_push(e, code, "%s: %s", f->path, strerror(-code));
}

/* ---- one link ---- */

/* A wildcard lives without some; all else that fails is no matter of the function. */
static bool is_refusal(int code)
{
	return code == -EINVAL || code == -ENOTSUP || code == -EOPNOTSUPP || code == -EBUSY ||
	       code == -EIO || code == -ENOEXEC;
}

static int link_some(struct group *g, int from, int n)
{
	const struct cat_function *f = g->first->function;
	bool session = g->event->attach == ATTACH_UPROBE_SESSION;
	struct sysbpf_uprobes u = {
		.semaphores = g->semaphores + from,
		.path = f->path, .offsets = g->offsets + from, .cookies = g->cookies + from,
		.n = (uint32_t)n, .pid = (int32_t)f->pid,
		.returns = !session && g->event->cat->kind == CAT_FUNC_RETURN,
	};
	int fd = sysbpf_link_uprobes(g->s->prog_fds[g->prog],
				     session ? SYSBPF_UPROBE_SESSION : SYSBPF_UPROBE_MULTI, &u);

	if (fd >= 0) {
		attach_keep(g->s, g->prog, fd);
		g->attached += n;
		return 0;
	}
	if (!is_refusal(fd))
		return fd;
	if (n == 1) {
		attach_refused(g->s, g->first[from].function->name, fd);
		g->code = fd;
		return 0;
	}
	fd = link_some(g, from, n / 2);
	return fd ? fd : link_some(g, from + n / 2, n - n / 2);
}

static int attach_group(struct group *g, int n, struct err *e)
{
	int code;

	g->offsets = xcalloc((size_t)n, sizeof(*g->offsets));
	g->cookies = xcalloc((size_t)n, sizeof(*g->cookies));
	g->semaphores = xcalloc((size_t)n, sizeof(*g->semaphores));
	for (int i = 0; i < n; i++) {
		g->offsets[i] = g->first[i].function->offset;
		g->semaphores[i] = g->first[i].function->semaphore;
		g->cookies[i] = (uint64_t)g->first[i].number;
	}
	code = link_some(g, 0, n);
	free(g->offsets);
	free(g->cookies);
	free(g->semaphores);
	if (!code && !g->attached)
		code = g->code;
	return code ? gone(g->first->function, e, code) : 0;
}

int attach_uprobe_multi(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	int n;

	for (int i = 0; i < event->functions.n; i += n) {
		struct group g = { .s = s, .event = event, .prog = prog,
				   .first = &event->functions.v[i] };
		int code;

		for (n = 1; i + n < event->functions.n && same_group(g.first, &g.first[n]);)
			n++;
		code = attach_group(&g, n, e);
		if (code)
			return code;
	}
	return 0;
}

/* ---- one by one ---- */

static int perf_type(void)
{
	char text[16] = "";
	int fd = open(PERF_TYPE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? atoi(text) : -1;
}

static int attach_perf(struct live *s, int prog, int type, int cpu, bool returns,
		       const struct p_function *p)
{
	const struct cat_function *f = p->function;
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		/* format/retprobe: the lowest bit; ref_ctr_offset: from bit 32 on */
		.config = returns | f->semaphore << 32,
		.config1 = (uint64_t)(uintptr_t)f->path,
		.config2 = f->offset,
	};
	int perf = f->pid ? sysbpf_perf_open_pid(&attr, (int)f->pid) : sysbpf_perf_open(&attr, cpu);
	int link;

	if (perf < 0)
		return perf;
	link = sysbpf_link_perf(s->prog_fds[prog], perf, (uint64_t)p->number);
	if (link >= 0) {
		attach_keep(s, prog, link);
		attach_keep(s, prog, perf);
		return 0;
	}
	close(perf);
	return link;
}

int attach_uprobe(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	bool returns = event->cat->kind == CAT_FUNC_RETURN;
	int type = perf_type(), attached = 0, code = -ENODEV;
	struct cpus online = { 0 };
	struct arena a = { 0 };
	int cpu;

	if (type < 0)
		return err_push(e, -ENODEV, "this kernel has no uprobes");
	/* its place only: it counts on all CPUs */
	cpus_online(&a, &online);
	cpu = online.list.n ? online.list.v[0] : 0;
	arena_fini(&a);
	for (int i = 0; i < event->functions.n; i++) {
		const struct p_function *p = &event->functions.v[i];

		code = attach_perf(s, prog, type, cpu, returns, p);
		if (code && !is_refusal(code))
			return gone(p->function, e, code);
		if (code)
			attach_refused(s, p->function->name, code);
		attached += !code;
	}
	return attached ? 0 : gone(event->functions.v[0].function, e, code);
}
