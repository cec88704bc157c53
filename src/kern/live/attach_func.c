/*
 * Functions of the kernel and of programs, and static probes: fentry and fexit; one link
 * for many (kprobe.multi, uprobe.multi, and as sessions); or a perf event for each.
 *
 * One function that the kernel refuses (not traceable, an instruction that it cannot step
 * over) must not take the rest of a wildcard with it: a link that fails is tried in
 * halves, and what is left out is told. What differs between kernel and programs is
 * a row of `sides`.
 */
#include "kern/live/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/sysbpf.h"

int attach_fentry(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	int fd = sysbpf_raw_tracepoint_open(s->prog_fds[prog]);

	(void)event;
	if (fd < 0)
		return err_push(e, fd, "the function refuses the program: %s", strerror(-fd));
	attach_keep(s, prog, fd);
	return 0;
}

/* What is attached, and so far. */
struct probes {
	struct live *s;
	const struct p_event *event;
	int prog;
	const struct side *side;
	bool session, returns;
	const struct p_function **functions;	/* of one link, side by side */
	int attached, code;		/* code: of the last that was refused */
};

#define REFUSALS_MOST 8
#define KERNEL_ENOTSUPP 524		/* an instruction that uprobes cannot step; no errno of programs */

struct side {
	const char *perf_type, *no_perf;
	/* The matter of one function; a wildcard lives without some. All else is not. */
	int refusals[REFUSALS_MOST];
	bool (*same_link)(const struct cat_function *a, const struct cat_function *b);
	/* A descriptor, or -errno. The link is for `n` functions from there on. */
	int (*link)(const struct probes *p, struct arena *a, int from, int n);
	int (*perf)(struct perf_event_attr *attr, struct arena *a, int cpu, const struct cat_function *f);
	const char *(*name)(const struct cat_function *f);
	int (*wrong)(struct err *e, int code, const struct cat_function *f);
};

/* ---- the kernel's ---- */

/* Links take all by name or all by address. */
static bool kernel_same_link(const struct cat_function *a, const struct cat_function *b)
{
	return !a->address == !b->address;
}

static int kernel_link(const struct probes *p, struct arena *a, int from, int n)
{
	const struct p_function **f = p->functions + from;
	const char **symbols = arena_array(a, const char *, n);
	uint64_t *addresses = arena_array(a, uint64_t, n), *cookies = arena_array(a, uint64_t, n);

	for (int i = 0; i < n; i++) {
		symbols[i] = f[i]->function->symbol;
		addresses[i] = f[i]->function->address;
		cookies[i] = (uint64_t)f[i]->number;
	}
	return sysbpf_link_kprobes(p->s->prog_fds[p->prog],
				   p->session ? SYSBPF_KPROBE_SESSION : BPF_TRACE_KPROBE_MULTI,
				   &(struct sysbpf_kprobes){
					.symbols = symbols, .addresses = addresses[0] ? addresses : NULL,
					.cookies = cookies, .n = (uint32_t)n, .returns = p->returns });
}

static int kernel_perf(struct perf_event_attr *attr, struct arena *a, int cpu, const struct cat_function *f)
{
	const char *symbol = f->module ? arena_printf(a, "%s:%s", f->module, f->symbol) : f->symbol;

	attr->config1 = f->address ? 0 : (uint64_t)(uintptr_t)symbol;
	attr->config2 = f->address;
	return sysbpf_perf_open(attr, cpu);
}

static const char *kernel_name(const struct cat_function *f)
{
	return f->symbol;
}

static int kernel_wrong(struct err *e, int code, const struct cat_function *f)
{
	(void)f;
	return err_push(e, code, "the kernel refuses the probe: %s", strerror(-code));
}

/* ---- programs' ---- */

static bool user_same_link(const struct cat_function *a, const struct cat_function *b)
{
	return a->pid == b->pid && !strcmp(a->path, b->path);
}

static int user_link(const struct probes *p, struct arena *a, int from, int n)
{
	const struct p_function **f = p->functions + from;
	uint64_t *offsets = arena_array(a, uint64_t, n), *cookies = arena_array(a, uint64_t, n);
	uint64_t *semaphores = arena_array(a, uint64_t, n);

	for (int i = 0; i < n; i++) {
		offsets[i] = f[i]->function->offset;
		semaphores[i] = f[i]->function->semaphore;
		cookies[i] = (uint64_t)f[i]->number;
	}
	return sysbpf_link_uprobes(p->s->prog_fds[p->prog],
				   p->session ? SYSBPF_UPROBE_SESSION : SYSBPF_UPROBE_MULTI,
				   &(struct sysbpf_uprobes){
					.path = f[0]->function->path, .offsets = offsets,
					.semaphores = semaphores, .cookies = cookies, .n = (uint32_t)n,
					.pid = (int32_t)f[0]->function->pid, .returns = p->returns });
}

static int user_perf(struct perf_event_attr *attr, struct arena *a, int cpu, const struct cat_function *f)
{
	(void)a;
	attr->config |= f->semaphore << 32;	/* format/ref_ctr_offset: from bit 32 on */
	attr->config1 = (uint64_t)(uintptr_t)f->path;
	attr->config2 = f->offset;
	return f->pid ? sysbpf_perf_open_pid(attr, (int)f->pid) : sysbpf_perf_open(attr, cpu);
}

static const char *user_name(const struct cat_function *f)
{
	return f->name;
}

static int user_wrong(struct err *e, int code, const struct cat_function *f)
{
	if (f->pid && code == -ESRCH)
		return err_push(e, code, "process %lld has ended", (long long)f->pid);
	return err_push(e, code, "%s: %s", f->path, code == -KERNEL_ENOTSUPP ?
			"it begins with an instruction that the kernel cannot step over" : strerror(-code));
}

static const struct side sides[2] = {
	{
		.perf_type = "/sys/bus/event_source/devices/kprobe/type",
		.no_perf = "this kernel has no kprobes",
		.refusals = { EINVAL, ESRCH, ENOENT, EBUSY, EADDRNOTAVAIL, EOPNOTSUPP, EILSEQ },
		.same_link = kernel_same_link, .link = kernel_link, .perf = kernel_perf,
		.name = kernel_name, .wrong = kernel_wrong,
	},
	{
		.perf_type = "/sys/bus/event_source/devices/uprobe/type",
		.no_perf = "this kernel has no uprobes",
		.refusals = { EINVAL, KERNEL_ENOTSUPP, EOPNOTSUPP, EBUSY, EIO, ENOEXEC },
		.same_link = user_same_link, .link = user_link, .perf = user_perf,
		.name = user_name, .wrong = user_wrong,
	},
};

static struct probes probes_of(struct live *s, int prog, const struct p_event *event)
{
	bool session = event->attach == ATTACH_KPROBE_SESSION || event->attach == ATTACH_UPROBE_SESSION;

	return (struct probes){
		.s = s, .event = event, .prog = prog, .session = session,
		.side = &sides[event->functions.n && event->functions.v[0].function->path],
		.returns = !session && event->cat->kind == CAT_FUNC_RETURN,
	};
}

/* A function goes without, or 0: it has it, -errno: that is no matter of the function. */
static int settle(struct probes *p, const struct p_function *f, int n, int code)
{
	const int *refusals = p->side->refusals;

	if (code >= 0) {
		p->attached += n;
		return 0;
	}
	for (int i = 0; i < REFUSALS_MOST && refusals[i]; i++)
		if (code == -refusals[i]) {
			if (n == 1)
				attach_refused(p->s, p->side->name(f->function), code);
			p->code = code;
			return 1;
		}
	return code;
}

/* ---- one link ---- */

static int link_some(struct probes *p, int from, int n)
{
	struct arena a = { 0 };
	int fd = p->side->link(p, &a, from, n), code = settle(p, p->functions[from], n, fd);

	arena_fini(&a);
	if (!code)
		attach_keep(p->s, p->prog, fd);
	if (code <= 0 || n == 1)
		return code < 0 ? code : 0;
	code = link_some(p, from, n / 2);
	return code ? code : link_some(p, from + n / 2, n - n / 2);
}

/* Those that one link can take, with the first that has none. Returns how many are left. */
static int next_link(const struct p_function **all, int n, const struct p_function **out, int *n_out,
		     const struct side *side)
{
	int left = 0;

	*n_out = 0;
	for (int i = 0; i < n; i++)
		if (!*n_out || side->same_link(out[0]->function, all[i]->function))
			out[(*n_out)++] = all[i];
		else
			all[left++] = all[i];
	return left;
}

int attach_func_multi(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	struct probes p = probes_of(s, prog, event);
	struct arena a = { 0 };
	int left = event->functions.n, n, code = 0;
	const struct p_function **all = arena_array(&a, const struct p_function *, left);

	p.functions = arena_array(&a, const struct p_function *, left);
	for (int i = 0; i < left; i++)
		all[i] = &event->functions.v[i];
	while (left && !code) {
		left = next_link(all, left, p.functions, &n, p.side);
		code = link_some(&p, 0, n);
	}
	if (!code && !p.attached)
		code = p.code;
	if (code)
		code = p.side->wrong(e, code, p.functions[0]->function);
	arena_fini(&a);
	return code;
}

/* ---- one by one ---- */

static int perf_type(const char *path)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? atoi(text) : -1;
}

static int attach_perf(struct probes *p, int type, int cpu, const struct p_function *f)
{
	struct perf_event_attr attr = {
		.type = (uint32_t)type,
		.config = p->returns,	/* format/retprobe: the lowest bit */
	};
	struct arena a = { 0 };
	int perf = p->side->perf(&attr, &a, cpu, f->function), link;

	arena_fini(&a);
	if (perf < 0)
		return perf;
	link = sysbpf_link_perf(p->s->prog_fds[p->prog], perf, (uint64_t)f->number);
	if (link < 0) {
		close(perf);
		return link;
	}
	attach_keep(p->s, p->prog, link);
	attach_keep(p->s, p->prog, perf);
	return 0;
}

/* Each takes the kernel some ms: Ctrl-C need not wait for a thousand. */
static bool is_interrupted(const struct live *s)
{
	struct pollfd p = { .fd = s->options.wake_fd, .events = POLLIN };

	return p.fd >= 0 && poll(&p, 1, 0) > 0;
}

int attach_func_each(struct live *s, int prog, const struct p_event *event, struct err *e)
{
	struct probes p = probes_of(s, prog, event);
	int type = perf_type(p.side->perf_type), cpu;
	struct cpus online = { 0 };
	struct arena a = { 0 };

	if (type < 0)
		return err_push(e, -ENODEV, "%s", p.side->no_perf);
	/* its place only: it counts on all CPUs */
	cpus_online(&a, &online);
	cpu = online.list.v[0];
	arena_fini(&a);
	for (int i = 0; i < event->functions.n; i++) {
		const struct p_function *f = &event->functions.v[i];
		int code;

		if (is_interrupted(s))
			return err_push(e, -EINTR, "interrupted at function %d of %d", i + 1,
					event->functions.n);
		code = settle(&p, f, 1, attach_perf(&p, type, cpu, f));
		if (code < 0)
			return p.side->wrong(e, code, f->function);
	}
	return p.attached ? 0 : p.side->wrong(e, p.code, event->functions.v[0].function);
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
