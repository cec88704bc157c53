/*
 * Notices come through a perf event on each CPU, woken by the first. They are copied out,
 * sorted by time and handed on: what happens to a process on two CPUs is in order, but for
 * what comes between the readings of the two.
 */
#include "kern/live/notices.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "kern/cpus.h"
#include "kern/sysbpf.h"

#define NOTICE_BYTES (256u << 10)	/* a CPU */
#define TIME_BYTES 8			/* at a record's end */

struct cpu {
	int fd;				/* -1: it is offline, then page is NULL */
	struct perf_event_mmap_page *page;
};

struct held {
	uint64_t time_ns;
	size_t at;			/* in `records` */
};

struct notices {
	int epoll_fd;
	unsigned kinds;
	size_t page_bytes;
	struct cpu *cpus;		/* by number */
	int n_cpus;
	struct buf records;
	struct held *held;
	size_t n_held, cap_held;
	uint64_t lost;
};

/* ---- one record ---- */

/* What is behind a record's header. */
struct mapped {				/* PERF_RECORD_MMAP2 */
	uint32_t pid, tid;
	uint64_t start, bytes, offset;
	uint32_t dev_major, dev_minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct task {				/* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	uint32_t pid, parent, tid, parent_tid;
};

struct code {				/* PERF_RECORD_KSYMBOL */
	uint64_t start;
	uint32_t bytes;
	uint16_t type, flags;
	char name[];
};

static bool map_of(const struct mapped *m, uint32_t bytes, struct notice *to)
{
	uint32_t room = bytes - (uint32_t)sizeof(*m);

	if (bytes <= sizeof(*m) || !memchr(m->path, 0, room) || m->start + m->bytes <= m->start)
		return false;
	to->kind = NOTICE_MAP;
	to->map = (struct maps_line){
		.start = m->start, .end = m->start + m->bytes, .offset = m->offset,
		.inode = m->inode, .dev_major = m->dev_major, .dev_minor = m->dev_minor,
		.executable = true, .path = (char *)m->path };
	to->map.deleted = maps_line_cut_deleted(to->map.path);
	return true;
}

static bool code_of(const struct code *c, uint32_t bytes, struct notice *to)
{
	if (bytes <= sizeof(*c) || !memchr(c->name, 0, bytes - sizeof(*c)))
		return false;
	to->pid = 0;
	to->kind = NOTICE_CODE;
	to->map = (struct maps_line){ .start = c->start, .end = c->start + c->bytes, .path = (char *)c->name };
	return !(c->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
}

/* One record behind its header, `bytes` long. False: it says nothing of use. */
static bool notice_of(const struct perf_event_header *h, char *body, uint32_t bytes,
		      struct notice *to)
{
	const struct task *t = (const void *)body;

	if (bytes < sizeof(struct task) + TIME_BYTES)
		return false;
	bytes -= TIME_BYTES;
	*to = (struct notice){ .pid = t->pid };
	memcpy(&to->time_ns, body + bytes, TIME_BYTES);
	switch (h->type) {
	case PERF_RECORD_MMAP2:
		return map_of((const void *)body, bytes, to);
	case PERF_RECORD_KSYMBOL:
		return code_of((const void *)body, bytes, to);
	case PERF_RECORD_COMM:		/* pid, tid, name */
		to->kind = NOTICE_EXEC;
		return h->misc & PERF_RECORD_MISC_COMM_EXEC;
	case PERF_RECORD_FORK:
		to->kind = NOTICE_FORK;
		to->parent = t->parent;
		return t->parent != t->pid;
	case PERF_RECORD_EXIT:
		to->kind = NOTICE_EXIT;
		return t->tid == t->pid;
	}
	return false;
}

/* ---- reading ---- */

/* n bytes of c's ring from `at` on, behind what is there. */
static void copy_out(const struct cpu *c, size_t page_bytes, uint64_t at, uint32_t n, struct buf *to)
{
	const char *data = (const char *)c->page + page_bytes;
	uint32_t from = (uint32_t)(at % NOTICE_BYTES);
	uint32_t first = n < NOTICE_BYTES - from ? n : NOTICE_BYTES - from;

	buf_add(to, data + from, first);
	buf_add(to, data, n - first);
}

static void hold(struct notices *n, size_t at, uint32_t bytes)
{
	struct held *h;

	if (n->n_held == n->cap_held) {
		n->cap_held = n->cap_held ? 2 * n->cap_held : 256;
		n->held = xrealloc(n->held, sizeof(*n->held) * n->cap_held);
	}
	h = &n->held[n->n_held++];
	h->at = at;
	memcpy(&h->time_ns, n->records.p + at + bytes - TIME_BYTES, TIME_BYTES);
}

static void drain(struct notices *n, struct cpu *c)
{
	uint64_t head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = c->page->data_tail;

	while (at < head) {
		struct perf_event_header h;
		size_t begin = n->records.n;

		copy_out(c, n->page_bytes, at, sizeof(h), &n->records);
		memcpy(&h, n->records.p + begin, sizeof(h));
		if (h.size < sizeof(h) + TIME_BYTES)
			break;
		copy_out(c, n->page_bytes, at + sizeof(h), h.size - (uint32_t)sizeof(h), &n->records);
		hold(n, begin, h.size);
		at += h.size;
	}
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
}

static int held_order(const void *x, const void *y)
{
	const struct held *a = x, *b = y;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

void notices_read(struct notices *n, void (*each)(void *self, const struct notice *notice),
		  void *self)
{
	for (int i = 0; i < n->n_cpus; i++)
		if (n->cpus[i].page)
			drain(n, &n->cpus[i]);
	if (n->n_held)
		qsort(n->held, n->n_held, sizeof(*n->held), held_order);
	for (size_t i = 0; i < n->n_held; i++) {
		struct perf_event_header *h = (void *)(n->records.p + n->held[i].at);
		uint64_t *lost = (uint64_t *)(h + 1) + 1;	/* id, lost */
		struct notice notice;

		if (h->type == PERF_RECORD_LOST) {
			n->lost += *lost;
			each(self, &(struct notice){ .kind = NOTICE_LOST });
		} else if (notice_of(h, (char *)(h + 1), h->size - (uint32_t)sizeof(*h), &notice)) {
			each(self, &notice);
		}
	}
	n->n_held = 0;
	buf_clear(&n->records);
}

int notices_fd(const struct notices *n)
{
	return n->epoll_fd;
}

uint64_t notices_lost(const struct notices *n)
{
	return n->lost;
}

/* ---- open ---- */

static int open_cpu(struct notices *n, int cpu)
{
	const bool processes = n->kinds & NOTICES_PROCESSES;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.mmap = processes, .mmap2 = processes, .task = processes, .comm = processes,
		.comm_exec = processes, .ksymbol = (n->kinds & NOTICES_CODE) != 0,
		.watermark = 1, .wakeup_watermark = 1,
	};
	struct epoll_event want = { .events = EPOLLIN };
	struct cpu *c = &n->cpus[cpu];
	int fd = sysbpf_perf_open(&attr, cpu);
	void *p;

	if (fd < 0)
		return fd == -ENODEV ? 0 : fd;
	p = mmap(NULL, n->page_bytes + NOTICE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || epoll_ctl(n->epoll_fd, EPOLL_CTL_ADD, fd, &want)) {
		int code = -errno;

		if (p != MAP_FAILED)
			munmap(p, n->page_bytes + NOTICE_BYTES);
		close(fd);
		return code;
	}
	c->fd = fd;
	c->page = p;
	return 0;
}

static void close_cpu(struct notices *n, struct cpu *c)
{
	if (c->page)
		munmap(c->page, n->page_bytes + NOTICE_BYTES);
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct cpu){ .fd = -1 };
}

/* What came before it went is kept for the next reading. */
void notices_again(struct notices *n, int cpu)
{
	for (int i = 0; i < n->n_cpus; i++) {
		if (cpu != CPUS_ALL && cpu != i)
			continue;
		if (n->cpus[i].page)
			drain(n, &n->cpus[i]);
		close_cpu(n, &n->cpus[i]);
		if (open_cpu(n, i))
			n->lost++;
	}
}

static int open_cpus(struct notices *n)
{
	int code = 0;

	n->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (n->epoll_fd < 0)
		return -errno;
	n->n_cpus = cpus_possible();
	n->cpus = xcalloc((size_t)n->n_cpus, sizeof(*n->cpus));
	for (int i = 0; i < n->n_cpus; i++)
		n->cpus[i].fd = -1;
	for (int i = 0; i < n->n_cpus && !code; i++)
		code = open_cpu(n, i);
	return code;
}

struct notices *notices_open(unsigned kinds, struct err *e)
{
	struct notices *n = xcalloc(1, sizeof(*n));
	int code;

	n->kinds = kinds;
	n->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	code = open_cpus(n);
	if (!code)
		return n;
	err_push(e, code, "cannot be told of programs' mappings: %s", strerror(-code));
	notices_close(n);
	return NULL;
}

void notices_close(struct notices *n)
{
	if (!n)
		return;
	for (int i = 0; i < n->n_cpus; i++)
		close_cpu(n, &n->cpus[i]);
	if (n->epoll_fd > 0)
		close(n->epoll_fd);
	buf_fini(&n->records);
	free(n->held);
	free(n->cpus);
	free(n);
}
