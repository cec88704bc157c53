/*
 * Files that are cut off while they are read: what had been read stays, of what was still
 * there more is read, then one line. No SIGBUS, no events out of zeros.
 */
#include "ctf/made.h"

#include <unistd.h>

#include "ctf/impl.h"

#define PACKETS 3
#define TEXT_MOST 40

static const char metadata[] = MADE_METADATA
	"event { name = e; id = 0; fields := struct { u32 n; string text; }; };";

/* Events of a packet: one that is read at once, one that is read piece by piece. */
enum { AT_ONCE = 2000, BY_PIECES = 8000 };

struct made {
	char folder[256], stream[300];
	int events;			/* of a packet */
	bool mapped;			/* packets are read where they are mapped */
	struct buf data;
	VEC(uint64_t) ends;		/* of each event */
	struct arena arena;
};

/* Text of 1 to TEXT_MOST characters. */
static void put_event(struct buf *b, uint32_t n)
{
	made_event(b, 0, 1000 + n);
	made_put(b, n, 4);
	for (uint32_t i = 0; i <= n % TEXT_MOST; i++)
		buf_putc(b, (char)('a' + (n + i) % 26));
	made_put(b, 0, 1);
}

static void put_packet(struct made *m, uint32_t first)
{
	struct buf *b = &m->data;
	size_t at = b->n;

	made_packet_begin(b, 1000 + first);
	for (uint32_t i = 0; i < (uint32_t)m->events; i++) {
		put_event(b, first + i);
		vec_push(&m->arena, &m->ends, b->n);
	}
	made_packet_end(b, at, b->n - at, b->n - at);
}

static void make(struct made *m, int events, bool mapped)
{
	*m = (struct made){ .events = events, .mapped = mapped };
	made_folder("shrink", metadata, m->folder, m->stream);
	for (uint32_t i = 0; i < PACKETS; i++)
		put_packet(m, i * (uint32_t)events);
	made_write(m->stream, m->data.p, m->data.n);
}

static void made_fini(struct made *m)
{
	buf_fini(&m->data);
	arena_fini(&m->arena);
}

static int events_before(const struct made *m, uint64_t bytes)
{
	int n = 0;

	while (n < m->ends.n && m->ends.v[n] <= bytes)
		n++;
	return n;
}

/* The next event is the n-th, with its own text. */
static bool read_one(struct ctf *t, int n, int slot, int text)
{
	const struct ctf_event *e = ctf_next(t);
	struct str s;

	if (!e)
		return false;
	CHECK_EQ(ctf_value(e, slot)->u, n);
	s = ctf_value(e, text)->text;
	CHECK_EQ(s.n, n % TEXT_MOST + 1);
	CHECK(s.n && s.p[s.n - 1] == 'a' + (n + n % TEXT_MOST) % 26);
	return true;
}

/* Events that are read when the file is cut off at `bytes` and `before` were read. */
static void check_read(const struct made *m, int n, int before, uint64_t bytes)
{
	int whole = events_before(m, bytes), least = whole > before ? whole : before;
	int packet = ((before ? before : 1) + m->events - 1) / m->events * m->events;

	/* What is in memory of our own stays: all of the packet, or some of its pieces. */
	if (m->mapped)
		CHECK_EQ(n, least);
	else if (m->events == AT_ONCE)
		CHECK_EQ(n, least > packet ? least : packet);
	else if (n < least || n > (least > packet ? least : packet))
		TEST_FAIL("%llu: %d of %d events", (unsigned long long)bytes, n, least);
}

/* Reads some, then the file is cut off at `bytes`, then reads on. */
static void cut_after(struct made *m, int before, uint64_t bytes, bool wants)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct ctf *t;
	int n = 0, slot = -1, text = -1;

	made_write(m->stream, m->data.p, m->data.n);
	t = ctf_open(&e, m->folder);
	REQUIRE(t && t->n_classes == 1);
	if (wants) {
		slot = ctf_want(t, t->classes[0], CTF_PAYLOAD, "n");
		text = ctf_want(t, t->classes[0], CTF_PAYLOAD, "text");
	}
	if (m->mapped) {
		struct ctf_file *f = &((struct reader *)t)->streams.v[0]->files.v[0];

		close(f->fd);
		f->fd = -1;
	}
	ctf_begin(t, &(struct ctf_options){ 0 });
	while (n < before && (wants ? read_one(t, n, slot, text) : ctf_next(t) != NULL))
		n++;
	REQUIRE(n == before && !truncate(m->stream, (off_t)bytes));
	while (wants ? read_one(t, n, slot, text) : ctf_next(t) != NULL)
		n++;
	check_read(m, n, before, bytes);
	if (t->n_notes != 1 || !strstr(t->notes[0], "cut off while it was read"))
		TEST_FAIL("%llu: %d notes, %s", (unsigned long long)bytes, t->n_notes,
			  t->n_notes ? t->notes[0] : "");
	ctf_close(t);
	arena_fini(&a);
}

static void cut_all_over(int events, bool mapped, uint64_t step)
{
	struct made m;
	uint64_t bytes;

	make(&m, events, mapped);
	bytes = m.data.n;
	for (uint64_t at = 0; at < bytes; at += step)
		cut_after(&m, 1, at, true);
	for (uint64_t k = 0; k < 100; k++)
		cut_after(&m, (int)k * events / AT_ONCE, k * (bytes / 100) + k, k & 1);
	/* Between two packets, in a packet's head, before what was read already. */
	bytes = m.ends.v[events - 1];
	for (int k = 0; k < 40; k++)
		cut_after(&m, events - 20 + k, bytes + (uint64_t)k - 3, true);
	cut_after(&m, events + 100, 5000, true);
	made_fini(&m);
}

TEST(file_cut_while_it_is_read)
{
	cut_all_over(AT_ONCE, false, (uint64_t)sysconf(_SC_PAGESIZE));
}

TEST(file_cut_between_two_pieces)
{
	cut_all_over(BY_PIECES, false, 32771);
}

TEST(file_cut_where_it_is_mapped)
{
	cut_all_over(AT_ONCE, true, (uint64_t)sysconf(_SC_PAGESIZE));
}
