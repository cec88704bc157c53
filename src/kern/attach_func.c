/*
 * Functions of the kernel: fentry and fexit, one link for many (kprobe.multi,
 * kprobe.session), or a perf event for each.
 *
 * One function that the kernel refuses must not take the rest of a wildcard with it: a
 * link that fails is tried in halves, and what is left out is told.
 */
#include "kern/live_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/sysbpf.h"

#define PERF_TYPE "/sys/bus/event_source/devices/kprobe/type"

int attach_fentry(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	int fd = sysbpf_raw_tracepoint_open(s->prog_fds[prog]);

	(void)event;
	if (fd < 0)
		return err_push(e, fd, "the function refuses the program: %s", strerror(-fd));
	attach_keep(s, prog, fd);
	return 0;
}

/* ---- one link ---- */

struct group {
	struct live *s;
	const struct p_event *event;
	int prog;
	const char **symbols;
	uint64_t *addresses, *cookies;
	bool by_address;
	int attached, code;		/* code: of the last that was refused */
};

/* The matter of a function: unknown by now, not traceable, several of that name. */
static bool is_refusal(int code)
{
	return code == -EINVAL || code == -ESRCH || code == -ENOENT || code == -EBUSY ||
	       code == -EADDRNOTAVAIL || code == -EOPNOTSUPP || code == -EILSEQ;
}

static int link_some(struct group *g, int from, int n)
{
	bool session = g->event->attach == ATTACH_KPROBE_SESSION;
	struct sysbpf_kprobes k = {
		.symbols = g->symbols + from,
		.addresses = g->by_address ? g->addresses + from : NULL, .cookies = g->cookies + from, .n = (uint32_t)n,
		.returns = !session && g->event->cat->kind == CAT_FUNC_RETURN,
	};
	int fd = sysbpf_link_kprobes(g->s->prog_fds[g->prog],
				     session ? SYSBPF_KPROBE_SESSION : BPF_TRACE_KPROBE_MULTI, &k);

	if (fd >= 0) {
		attach_keep(g->s, g->prog, fd);
		g->attached += n;
		return 0;
	}
	if (!is_refusal(fd))
		return fd;
	if (n == 1) {
		attach_refused(g->s, g->symbols[from], fd);
		g->code = fd;
		return 0;
	}
	fd = link_some(g, from, n / 2);
	return fd ? fd : link_some(g, from + n / 2, n - n / 2);
}

/* Links take all by name or all by address. */
static int link_all(struct group *g, bool by_address)
{
	int n = 0;

	for (int i = 0; i < g->event->functions.n; i++) {
		const struct p_function *p = &g->event->functions.v[i];

		if ((p->function->address != 0) != by_address)
			continue;
		g->symbols[n] = p->function->symbol;
		g->addresses[n] = p->function->address;
		g->cookies[n++] = (uint64_t)p->number;
	}
	g->by_address = by_address;
	return n ? link_some(g, 0, n) : 0;
}

int attach_kprobe_multi(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	size_t n = (size_t)event->functions.n;
	struct group g = {
		.s = s, .event = event, .prog = prog, .symbols = xcalloc(n, sizeof(*g.symbols)),
		.addresses = xcalloc(n, sizeof(*g.addresses)),
		.cookies = xcalloc(n, sizeof(*g.cookies)),
	};
	int code = link_all(&g, false);

	if (!code)
		code = link_all(&g, true);
	free(g.symbols);
	free(g.addresses);
	free(g.cookies);
	if (!code && !g.attached)
		code = g.code;
	return code ? err_push(e, code, "the kernel refuses the probe: %s", strerror(-code)) : 0;
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
	const char *symbol = f->module ? arena_printf(&s->arena, "%s:%s", f->module, f->symbol)
				       : f->symbol;
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		.config = returns,	/* format/retprobe: the lowest bit */
		.config1 = f->address ? 0 : (uint64_t)(uintptr_t)symbol,
		.config2 = f->address,
	};
	int perf = sysbpf_perf_open(&attr, cpu), link;

	if (perf < 0)
		return perf;
	link = sysbpf_link_perf(s->prog_fds[prog], perf, (uint64_t)p->number);
	if (link < 0) {
		close(perf);
		return link;
	}
	attach_keep(s, prog, link);
	attach_keep(s, prog, perf);
	return 0;
}

/* Each takes the kernel some ms: Ctrl-C need not wait for a thousand. */
static bool is_interrupted(const struct live *s)
{
	struct pollfd p = { .fd = s->options.wake_fd, .events = POLLIN };

	return p.fd >= 0 && poll(&p, 1, 0) > 0;
}

int attach_kprobe(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	bool returns = event->cat->kind == CAT_FUNC_RETURN;
	int type = perf_type(), attached = 0, code = -ENODEV, cpu;
	struct cpus online = { 0 };
	struct arena a = { 0 };

	if (type < 0)
		return err_push(e, -ENODEV, "this kernel has no kprobes");
	/* its place only: it counts on all CPUs */
	cpus_online(&a, &online);
	cpu = online.list.v[0];
	arena_fini(&a);
	for (int i = 0; i < event->functions.n; i++) {
		const struct p_function *p = &event->functions.v[i];

		if (is_interrupted(s))
			return err_push(e, -EINTR, "interrupted at function %d of %d", i + 1,
					event->functions.n);
		code = attach_perf(s, prog, type, cpu, returns, p);
		if (code && !is_refusal(code))
			break;
		if (code)
			attach_refused(s, p->function->symbol, code);
		attached += !code;
	}
	return code && (!attached || !is_refusal(code))
		? err_push(e, code, "the kernel refuses the probe: %s", strerror(-code)) : 0;
}

/* ---- what the kernel's probes missed ---- */

/* struct bpf_link_info has them since 6.7: of kprobe.multi behind addrs, count and flags,
 * of a kprobe's perf event behind its name, offset and address. */
uint64_t attach_missed(int fd)
{
	struct sysbpf_link_info info;

	if (sysbpf_link_info(fd, &info))
		return 0;
	if (info.type == SYSBPF_LINK_KPROBE_MULTI)
		return info.of.kprobe_multi.missed;
	if (info.type == SYSBPF_LINK_PERF_EVENT && (info.of.perf.type == SYSBPF_PERF_KPROBE ||
						    info.of.perf.type == SYSBPF_PERF_KRETPROBE))
		return info.of.perf.missed;
	return 0;
}
