/*
 * Stacks out of the kernel's table, at least each second and soon after a process is new (what it
 * maps meanwhile is noted with its stacks); processes out of the ring in which programs say
 * that they met a stack of one for the first time; and before these what the kernel says
 * of processes, for their names and for the tables of their callers.
 */
#include "kern/live/impl.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kern/live/notices.h"
#include "kern/stacks.h"
#include "kern/sysbpf.h"

#define PERIOD_NS 1000000000ull
#define SOON_NS 20000000ull
#define NOTICES_PERIOD_NS 1000000ull
#define LOOK_AFTER_NS 5000000ull	/* a program that starts is one look, not ten */
#define SHARE 20			/* one part in so many goes into these, at most */

struct taking {
	uint64_t *consumer;
	const char *producer, *data;	/* the data twice, one behind the other */
	size_t page_bytes;
	uint32_t bytes;
	uint64_t due_ns, took_ns;	/* stacks: when they are taken, and were */
	uint64_t n_taken;
	struct notices *notices;
	uint64_t notices_ns;		/* when they may be read again */
	uint64_t look_ns;		/* when processes may be read again */
	bool looking;			/* look_ns is for what has changed */
};

/* A stack that is to be shown and was not taken yet. */
static bool missing(void *self, const void *id, struct img_stack *to)
{
	struct live *s = self;

	return !sysbpf_map_lookup(s->map_fds[s->image->stacks], id, to);
}

static int map_ring(struct taking *t, int fd, struct err *e)
{
	void *p = mmap(NULL, t->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED) {
		t->consumer = p;
		p = mmap(NULL, t->page_bytes + 2 * t->bytes, PROT_READ, MAP_SHARED, fd,
			 (off_t)t->page_bytes);
	}
	if (p == MAP_FAILED)
		return err_push(e, -errno, "cannot map the list of processes: %s",
				strerror(errno));
	t->producer = p;
	t->data = t->producer + t->page_bytes;
	return 0;
}

/* A probe of a function is called by a trampoline, which is in stacks and gone when they are named. */
static bool has_trampolines(const struct bpf_image *image)
{
	for (int i = 0; i < image->progs.n; i++) {
		const struct p_event *event = image->progs.v[i].event;

		if (event && event->attach >= ATTACH_FENTRY && event->attach <= ATTACH_KPROBE_SESSION)
			return true;
	}
	return false;
}

/* Before the processes are looked at, so that none falls between. */
static int open_notices(struct live *s, struct err *e)
{
	unsigned kinds = (s->plan->user_names ? NOTICES_PROCESSES : 0) |
		(has_trampolines(s->image) ? NOTICES_CODE : 0);

	if (!kinds)
		return 0;
	s->taking->notices = notices_open(kinds, e);
	if (!s->taking->notices)
		return -EPERM;
	if (!s->plan->user_names || s->image->unwind_pieces < 0)
		return 0;
	s->unwind = unwind_open(&(struct unwind_fds){
		.processes = s->map_fds[s->image->unwind_processes],
		.chunks = s->map_fds[s->image->unwind_chunks],
		.pieces = s->map_fds[s->image->unwind_pieces],
		.mapped = s->image->mapped < 0 ? -1 : s->map_fds[s->image->mapped],
		.files = s->image->unwind_files < 0 ? -1 : s->map_fds[s->image->unwind_files] });
	if (!s->unwind)
		return err_push(e, -errno, "cannot map the directory of code: %s", strerror(errno));
	if (s->command)
		unwind_first(s->unwind, (uint32_t)command_pid(s->command), command_path(s->command));
	return 0;
}

int collect_open(struct live *s, struct err *e)
{
	int code;

	if (s->image->stacks < 0)
		return 0;
	s->taking = xcalloc(1, sizeof(*s->taking));
	s->taking->took_ns = live_now_ns(s);
	s->taking->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	s->taking->bytes = s->image->maps.v[s->image->process_ring].max_entries;
	s->stacks = stacks_open(s->options.lines, s->clock_ahead_ns, missing, s);
	if (stacks_no_lines(s->stacks)) {
		err_help(e, "install libdw1 (Debian), or leave out --lines");
		e->unable = true;
		return err_push(e, -ENOENT, "%s", stacks_no_lines(s->stacks));
	}
	code = map_ring(s->taking, s->map_fds[s->image->process_ring], e);
	return code ? code : open_notices(s, e);
}

void collect_own(struct live *s)
{
	struct bpf_prog_info info;

	for (int i = 0; s->stacks && i < s->image->progs.n; i++)
		if (s->prog_fds[i] >= 0 && !sysbpf_prog_info(s->prog_fds[i], &info))
			stacks_own(s->stacks, info.tag);
}

void collect_close(struct live *s)
{
	struct taking *t = s->taking;

	if (t && t->consumer)
		munmap(t->consumer, t->page_bytes);
	if (t && t->producer)
		munmap((void *)t->producer, t->page_bytes + 2 * t->bytes);
	if (t)
		notices_close(t->notices);
	free(t);
	unwind_close(s->unwind);
	stacks_close(s->stacks);
}

int collect_fd(const struct live *s)
{
	return s->taking && !s->stopped ? s->map_fds[s->image->process_ring] : -1;
}

int collect_notices_fd(const struct live *s)
{
	const struct taking *t = s->taking;

	return t && t->notices && !s->stopped && !t->notices_ns ? notices_fd(t->notices) : -1;
}

static void on_notice(void *self, const struct notice *n)
{
	struct live *s = self;

	stacks_notice(s->stacks, n);
	if (s->unwind)
		unwind_notice(s->unwind, n);
}

static uint64_t later(const struct live *s, uint64_t begun_ns, uint64_t least_ns)
{
	uint64_t now_ns = live_now_ns(s), pause_ns = SHARE * (now_ns - begun_ns);

	return now_ns + (pause_ns > least_ns ? pause_ns : least_ns);
}

void collect_notices(struct live *s)
{
	struct taking *t = s->taking;
	uint64_t begun_ns = live_now_ns(s);

	if (!t->notices)
		return;
	notices_read(t->notices, on_notice, s);
	if (s->unwind) {
		unwind_flush(s->unwind);
		if (!t->looking && unwind_changed(s->unwind)) {
			t->looking = true;
			if (t->look_ns < begun_ns + LOOK_AFTER_NS)
				t->look_ns = begun_ns + LOOK_AFTER_NS;
		}
	}
	/* a command's own binaries are read here, others' in look() */
	if (s->command)
		begun_ns = live_now_ns(s);
	t->notices_ns = later(s, begun_ns, NOTICES_PERIOD_NS);
}

void collect_cpu(struct live *s, int cpu)
{
	if (s->taking && s->taking->notices)
		notices_again(s->taking->notices, cpu);
}

/* What was told of a process before its first stack is read before that is noted. */
void collect_processes(struct live *s)
{
	struct taking *t = s->taking;
	uint64_t pos, end, soon_ns;

	if (!t)
		return;
	soon_ns = live_now_ns(s) + SOON_NS;
	pos = *t->consumer;
	end = __atomic_load_n((const uint64_t *)t->producer, __ATOMIC_ACQUIRE);
	collect_notices(s);
	while (pos < end) {
		const char *at = t->data + (pos & (t->bytes - 1));
		uint32_t word = __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
		uint32_t bytes = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		struct img_process p;

		if (word & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(word & BPF_RINGBUF_DISCARD_BIT) && bytes >= sizeof(p)) {
			memcpy(&p, at + BPF_RINGBUF_HDR_SZ, sizeof(p));
			stacks_process(s->stacks, &p);
			if (soon_ns < t->due_ns)
				t->due_ns = soon_ns;
		}
		pos += (BPF_RINGBUF_HDR_SZ + bytes + 7) & ~7ull;
		__atomic_store_n(t->consumer, pos, __ATOMIC_RELEASE);
	}
}

static void keep(void *arg, const void *key, const void *values, int n, uint32_t stride)
{
	struct live *s = arg;

	(void)n, (void)stride;
	stacks_add(s->stacks, key, values);
	s->taking->n_taken++;
}

/* So that a quarter of the table would be full if as many new ones come as came; most are new at
 * the start: at most twice as long as the last. */
static uint64_t next_period_ns(const struct live *s, uint64_t last_ns)
{
	uint64_t quarter = s->image->maps.v[s->image->stacks].max_entries / 4;
	uint64_t times_2 = 2 * quarter / (s->taking->n_taken + 1);
	uint64_t period_ns = last_ns * (times_2 < 4 ? times_2 : 4) / 2;

	return period_ns < SOON_NS ? SOON_NS : period_ns > PERIOD_NS ? PERIOD_NS : period_ns;
}

static void look(struct live *s, uint64_t now_ns)
{
	struct taking *t = s->taking;

	if (!t->looking || now_ns < t->look_ns)
		return;
	unwind_update(s->unwind);
	t->looking = unwind_changed(s->unwind);
	t->look_ns = later(s, now_ns, 0);
}

void collect_stacks(struct live *s, uint64_t now_ns)
{
	struct taking *t = s->taking;

	if (!t)
		return;
	if (now_ns >= t->notices_ns)
		t->notices_ns = 0;
	look(s, now_ns);
	if (now_ns < t->due_ns)
		return;
	t->n_taken = 0;
	maps_read(s, &(struct map_part){ .map = s->image->stacks, .clear = true }, keep, s);
	now_ns = live_now_ns(s);
	t->due_ns = now_ns + next_period_ns(s, now_ns - t->took_ns);
	t->took_ns = now_ns;
}

uint64_t collect_lost(const struct live *s)
{
	return s->taking && s->taking->notices ? notices_lost(s->taking->notices) : 0;
}

uint64_t collect_deadline_ns(const struct live *s)
{
	const struct taking *t = s->taking;
	uint64_t due_ns = t->due_ns;

	if (t->notices_ns && t->notices_ns < due_ns)
		due_ns = t->notices_ns;
	return t->looking && t->look_ns < due_ns ? t->look_ns : due_ns;
}
