/*
 * Printed rows out of the ring buffer, in order.
 *
 * The buffer is read on a timer, never woken up for. Its data is mapped once, not
 * twice behind each other as libbpf does: the pages would count twice as resident.
 * What is there is copied and its room given back at once; then rows are handed out
 * in order of (time, cpu, sequence), as far as they are 1 ms older than the begin
 * of this drain: a younger one may still have an older one behind it.
 */
#include "kern/live/impl.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SETTLE_NS 1000000ull
#define PERIOD_LEAST_NS 10000000ull
#define PERIOD_MOST_NS 50000000ull
/* Room is given back in pieces, so that it is there before all was read. */
#define GIVE_BACK_BYTES 16384u
#define KEEP_BYTES (1u << 20)
#define PIECE_BYTES (512u << 10)

struct held {
	uint64_t time_ns;
	uint32_t cpu, bytes;
	size_t at;			/* in ring->copy */
};

struct ring {
	uint64_t *consumer;
	const char *producer;		/* a page, then the data */
	const char *data;
	size_t page_bytes;
	uint32_t bytes;			/* of the data, a power of two */
	struct held *held;		/* in order of arrival, then sorted */
	size_t n_held, cap_held;
	char *copy;
	size_t n_copy, cap_copy;
	uint64_t newest_ns, last_ns, late, period_ns;
	bool hurry;			/* it was so full that the next drain is now */
};

struct ring *ring_open(int fd, uint32_t bytes, struct err *e)
{
	struct ring *r = xcalloc(1, sizeof(*r));
	void *p;

	r->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	r->bytes = bytes;
	r->period_ns = PERIOD_LEAST_NS;
	p = mmap(NULL, r->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		goto fail;
	r->consumer = p;
	p = mmap(NULL, r->page_bytes + bytes, PROT_READ, MAP_SHARED, fd, (off_t)r->page_bytes);
	if (p == MAP_FAILED)
		goto fail;
	r->producer = p;
	r->data = r->producer + r->page_bytes;
	return r;
fail:
	err_push(e, -errno, "cannot map the buffer of printed rows: %s", strerror(errno));
	ring_close(r);
	return NULL;
}

void ring_close(struct ring *r)
{
	if (!r)
		return;
	if (r->consumer)
		munmap(r->consumer, r->page_bytes);
	if (r->producer)
		munmap((void *)r->producer, r->page_bytes + r->bytes);
	free(r->held);
	free(r->copy);
	free(r);
}

static void copy_out(const struct ring *r, uint64_t pos, void *to, uint32_t bytes)
{
	uint32_t at = (uint32_t)(pos & (r->bytes - 1));
	uint32_t first = bytes < r->bytes - at ? bytes : r->bytes - at;

	memcpy(to, r->data + at, first);
	memcpy((char *)to + first, r->data, bytes - first);
}

static void hold(struct ring *r, uint64_t pos, uint32_t bytes)
{
	struct img_record rec;
	struct held *h;

	if (bytes < sizeof(rec))
		return;
	if (r->n_held == r->cap_held) {
		r->cap_held = r->cap_held ? 2 * r->cap_held : 256;
		r->held = xrealloc(r->held, sizeof(*r->held) * r->cap_held);
	}
	if (r->n_copy + bytes > r->cap_copy) {
		r->cap_copy = 2 * r->cap_copy + bytes + 4096;
		r->copy = xrealloc(r->copy, r->cap_copy);
	}
	copy_out(r, pos, r->copy + r->n_copy, bytes);
	memcpy(&rec, r->copy + r->n_copy, sizeof(rec));
	h = &r->held[r->n_held++];
	if (rec.time_ns > r->newest_ns)
		r->newest_ns = rec.time_ns;
	*h = (struct held){ rec.time_ns, rec.cpu, bytes, r->n_copy };
	r->n_copy += (bytes + 7) & ~7u;
}

/* Full soon: more often. Drained when it was more than half full: at once. */
static void adapt_period(struct ring *r, uint64_t used)
{
	if (used > r->bytes / 4)
		r->period_ns /= 2;
	else if (used < r->bytes / 16)
		r->period_ns += r->period_ns / 4;
	if (r->period_ns < PERIOD_LEAST_NS)
		r->period_ns = PERIOD_LEAST_NS;
	if (r->period_ns > PERIOD_MOST_NS)
		r->period_ns = PERIOD_MOST_NS;
	r->hurry = used > r->bytes / 2;
}

/* Holds what is there up to position `end`, a piece of it. False: that was all. */
static bool read_piece(struct ring *r, uint64_t end)
{
	uint64_t pos = *r->consumer, given = pos, stop = end;

	if (end - pos > PIECE_BYTES)
		stop = pos + PIECE_BYTES;
	while (pos < stop) {
		const uint32_t *header = (const uint32_t *)(r->data + (pos & (r->bytes - 1)));
		uint32_t word = __atomic_load_n(header, __ATOMIC_ACQUIRE);
		uint32_t bytes = word & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (word & BPF_RINGBUF_BUSY_BIT || bytes > r->bytes) {
			end = pos;	/* still being written */
			break;
		}
		if (!(word & BPF_RINGBUF_DISCARD_BIT))
			hold(r, pos + BPF_RINGBUF_HDR_SZ, bytes);
		pos += (BPF_RINGBUF_HDR_SZ + bytes + 7) & ~7ull;
		if (pos - given >= GIVE_BACK_BYTES) {
			__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
			given = pos;
		}
	}
	__atomic_store_n(r->consumer, pos, __ATOMIC_RELEASE);
	return pos < end;
}

/* Rows come nearly sorted, and `at` rises with their sequence. */
static int held_order(const void *x, const void *y)
{
	const struct held *a = x, *b = y;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

static void sort_held(struct ring *r)
{
	for (size_t i = 1; i < r->n_held; i++)
		if (held_order(&r->held[i - 1], &r->held[i]) > 0) {
			qsort(r->held, r->n_held, sizeof(*r->held), held_order);
			return;
		}
}

/* The rows from `from` on move to the front, in their order. */
static void keep_rest(struct ring *r, size_t from)
{
	size_t end = 0, n = r->n_held - from;
	char *rest;

	for (size_t i = from; i < r->n_held; i++)
		end += (r->held[i].bytes + 7) & ~7u;
	rest = xmalloc(end);
	end = 0;
	for (size_t i = 0; i < n; i++) {
		struct held h = r->held[from + i];

		memcpy(rest + end, r->copy + h.at, h.bytes);
		h.at = end;
		end += (h.bytes + 7) & ~7u;
		r->held[i] = h;
	}
	if (r->cap_copy > KEEP_BYTES) {
		r->cap_copy = end > KEEP_BYTES ? end : KEEP_BYTES;
		r->copy = xrealloc(r->copy, r->cap_copy);
	}
	memcpy(r->copy, rest, end);
	free(rest);
	r->n_held = n;
	r->n_copy = end;
}

/* Hands out what is older than before_ns. */
static int hand_out(struct ring *r, uint64_t before_ns,
		    void (*each)(void *self, const struct img_record *rec, uint32_t bytes),
		    void *self)
{
	size_t i = 0;

	sort_held(r);
	for (; i < r->n_held; i++) {
		const struct held *h = &r->held[i];

		if (h->time_ns >= before_ns)
			break;
		if (h->time_ns < r->last_ns)
			r->late++;
		else
			r->last_ns = h->time_ns;
		each(self, (const struct img_record *)(r->copy + h->at), h->bytes);
	}
	if (i)
		keep_rest(r, i);
	return (int)i;
}

/* In pieces, so that little is held: behind a piece come rows at most 1 ms older
 * than its newest. What is written meanwhile waits for the next drain. */
int ring_drain(struct ring *r, uint64_t now_ns, bool all,
	       void (*each)(void *self, const struct img_record *rec, uint32_t bytes), void *self)
{
	uint64_t end = __atomic_load_n((const uint64_t *)r->producer, __ATOMIC_ACQUIRE);
	int n = 0;
	bool more;

	adapt_period(r, end - *r->consumer);
	do {
		uint64_t before_ns = now_ns - SETTLE_NS;

		more = read_piece(r, end);
		if (more && r->newest_ns < now_ns)
			before_ns = r->newest_ns - SETTLE_NS;
		/* held for ever would be a clock that jumped: memory is bounded */
		if ((all && !more) || r->n_copy > r->bytes)
			before_ns = UINT64_MAX;
		if (r->n_held)
			n += hand_out(r, before_ns, each, self);
	} while (more);
	return n;
}

uint64_t ring_period_ns(const struct ring *r)
{
	return r->hurry ? 0 : r->period_ns;
}

uint64_t ring_late(const struct ring *r)
{
	return r->late;
}
