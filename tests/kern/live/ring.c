/*
 * The reader of the ring buffer, on a file that looks like one: order, rows that wait,
 * late ones, going round the end, records still being written. No privilege.
 */
#define _GNU_SOURCE	/* memfd_create */
#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

#include "kern/live/impl.h"

#define BYTES 65536u
#define MS 1000000ull

/* The kernel's side. */
struct fake {
	struct arena a;
	struct err err;
	struct ring *ring;
	char *p;			/* consumer page, producer page, data */
	size_t page;
	uint64_t pos;
	/* what was handed out */
	int n;
	struct img_record rows[4096];
};

static void fake_open(struct fake *f)
{
	int fd = memfd_create("ring", 0);

	memset(f, 0, sizeof(*f));
	f->err.arena = &f->a;
	f->page = (size_t)sysconf(_SC_PAGESIZE);
	REQUIRE(fd >= 0 && !ftruncate(fd, (off_t)(2 * f->page + BYTES)));
	f->p = mmap(NULL, 2 * f->page + BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	f->ring = ring_open(fd, BYTES, &f->err);
	close(fd);
	REQUIRE(f->ring && f->p != MAP_FAILED);
}

static void fake_close(struct fake *f)
{
	ring_close(f->ring);
	munmap(f->p, 2 * f->page + BYTES);
	arena_fini(&f->a);
}

static void put_bytes(struct fake *f, uint64_t pos, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		f->p[2 * f->page + ((pos + i) & (BYTES - 1))] = ((const char *)from)[i];
}

/* A record of `bytes` bytes; bits: BUSY or DISCARD. Returns its header's place. */
static uint64_t put(struct fake *f, uint64_t time_ns, uint32_t cpu, uint32_t query, uint32_t bytes,
		    uint32_t bits)
{
	struct img_record rec = { .time_ns = time_ns, .cpu = cpu, .query = query };
	uint64_t at = f->pos;
	uint32_t word = bytes | bits;

	put_bytes(f, at, &word, 4);
	put_bytes(f, at + 8, &rec, sizeof(rec));
	f->pos += (8 + bytes + 7) & ~7ull;
	*(uint64_t *)(f->p + f->page) = f->pos;
	return at;
}

static void take(void *self, const struct img_record *rec, uint32_t bytes)
{
	struct fake *f = self;

	CHECK(bytes >= sizeof(*rec));
	if (f->n < 4096)
		f->rows[f->n++] = *rec;
}

static uint64_t consumed(const struct fake *f)
{
	return *(uint64_t *)f->p;
}

TEST(by_time_then_cpu_then_sequence)
{
	static const uint32_t want[] = { 4, 3, 1, 0, 2 };
	struct fake f;

	fake_open(&f);
	put(&f, 30, 1, 0, 40, 0);
	put(&f, 30, 0, 1, 40, 0);
	put(&f, 30, 1, 2, 40, 0);
	put(&f, 20, 7, 3, 40, 0);
	put(&f, 10, 7, 4, 40, 0);
	CHECK_EQ(ring_drain(f.ring, 5 * MS, false, take, &f), 5);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(f.rows[i].query, want[i]);
	CHECK_EQ(ring_late(f.ring), 0);
	CHECK_EQ(consumed(&f), f.pos);
	fake_close(&f);
}

TEST(young_rows_wait)
{
	struct fake f;

	fake_open(&f);
	put(&f, 10 * MS, 0, 0, 40, 0);
	put(&f, 12 * MS, 0, 1, 40, 0);
	CHECK_EQ(ring_drain(f.ring, 12 * MS, false, take, &f), 1);
	put(&f, 11 * MS, 1, 2, 40, 0);		/* written later, happened before */
	CHECK_EQ(ring_drain(f.ring, 13 * MS + 1, false, take, &f), 2);
	CHECK_EQ(f.rows[1].query, 2);
	CHECK_EQ(f.rows[2].query, 1);
	put(&f, 11 * MS, 1, 3, 40, 0);		/* too late */
	put(&f, 20 * MS, 1, 4, 40, 0);
	CHECK_EQ(ring_drain(f.ring, 20 * MS, false, take, &f), 1);
	CHECK_EQ(ring_late(f.ring), 1);
	CHECK_EQ(ring_drain(f.ring, 20 * MS, true, take, &f), 1);
	CHECK_EQ(f.rows[4].query, 4);
	fake_close(&f);
}

TEST(unfinished_and_discarded_records)
{
	struct fake f;
	uint64_t busy;
	uint32_t word = 40;

	fake_open(&f);
	put(&f, 1, 0, 0, 40, 0);
	put(&f, 2, 0, 1, 40, BPF_RINGBUF_DISCARD_BIT);
	busy = put(&f, 3, 0, 2, 40, BPF_RINGBUF_BUSY_BIT);
	put(&f, 4, 0, 3, 40, 0);
	put(&f, 5, 0, 4, 8, 0);			/* too short to be a row of ours */
	CHECK_EQ(ring_drain(f.ring, 5 * MS, true, take, &f), 1);
	CHECK_EQ(consumed(&f), busy);
	put_bytes(&f, busy, &word, 4);
	CHECK_EQ(ring_drain(f.ring, 5 * MS, true, take, &f), 2);
	CHECK_EQ(f.rows[1].query, 2);
	CHECK_EQ(f.rows[2].query, 3);
	CHECK_EQ(consumed(&f), f.pos);
	fake_close(&f);
}

/* Records of odd sizes, many times round; each drain hands out what was put. */
TEST(round_and_round)
{
	struct fake f;
	uint64_t time_ns = 0;

	fake_open(&f);
	for (uint32_t i = 0; i < 4000; i++) {
		put(&f, time_ns += 1000, i % 3, i, 24 + i % 977, 0);
		if (i % 50 == 49)
			ring_drain(f.ring, time_ns, false, take, &f);
	}
	ring_drain(f.ring, time_ns, true, take, &f);
	CHECK_EQ(f.n, 4000);
	for (uint32_t i = 0; i < 4000; i++)
		if (f.rows[i].query != i)
			CHECK_EQ(f.rows[i].query, i);
	CHECK_EQ(ring_late(f.ring), 0);
	fake_close(&f);
}

TEST(fuller_is_drained_sooner)
{
	struct fake f;
	uint64_t slow_ns;

	fake_open(&f);
	for (int i = 0; i < 20; i++)
		ring_drain(f.ring, 5 * MS, true, take, &f);
	slow_ns = ring_period_ns(f.ring);
	for (int i = 0; i < 30; i++)
		put(&f, 1, 0, 0, 1000, 0);
	ring_drain(f.ring, 5 * MS, true, take, &f);
	CHECK(ring_period_ns(f.ring) < slow_ns);
	for (int i = 0; i < 50; i++)
		put(&f, 1, 0, 0, 1000, 0);
	ring_drain(f.ring, 5 * MS, true, take, &f);
	CHECK_EQ(ring_period_ns(f.ring), 0);
	fake_close(&f);
}
