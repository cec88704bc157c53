/*
 * Packets that are read piece by piece give what they give where they are mapped: events of all
 * sizes, also larger than a piece.
 */
#include "ctf/made.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/map.h"
#include "ctf/impl.h"

#define PACKETS 40
#define PACKET_MOST 1200000
#define TEXT_MOST 400000

static const char metadata[] = MADE_METADATA
	"event { name = fixed; id = 0; fields := struct { u32 n; }; };"
	"event { name = text; id = 1; fields := struct { u32 n; string text; }; };";

static uint32_t next_random(uint32_t *state)
{
	return (*state = *state * 1664525 + 1013904223) >> 8;
}

/* Mostly short, now and then up to TEXT_MOST. */
static void put_event(struct buf *b, uint32_t n, uint32_t *state)
{
	static const uint32_t most[] = { 1, 40, 40, 40, 300, 5000 };
	uint32_t id = next_random(state) & 1, kind = next_random(state) % 6, bytes;

	made_event(b, (uint16_t)id, n);
	made_put(b, n, 4);
	if (!id)
		return;
	bytes = next_random(state) % (next_random(state) % 2000 ? most[kind] : TEXT_MOST);
	for (uint32_t i = 0; i < bytes; i++)
		buf_putc(b, (char)('a' + (n + i) % 26));
	made_put(b, 0, 1);
}

static void put_packet(struct buf *b, uint32_t *n, uint32_t *state)
{
	size_t at = b->n;
	uint32_t bytes = next_random(state) % PACKET_MOST;
	uint64_t content;

	made_packet_begin(b, *n);
	while (b->n - at < bytes)
		put_event(b, (*n)++, state);
	content = b->n - at;
	for (uint32_t left = next_random(state) % 9000; left; left--)
		buf_putc(b, 0);
	made_packet_end(b, at, content, b->n - at);
}

enum way { MAPPED, WINDOW, SMALL_WINDOW, WAYS };	/* small: of large events there is no room */

static void go_way(struct reader *r, enum way way)
{
	struct ctf_file *f = &r->streams.v[0]->files.v[0];

	if (way == MAPPED) {
		close(f->fd);
		f->fd = -1;
	}
	if (way == SMALL_WINDOW)
		r->windows_bytes = CTF_WINDOWS_MOST - (200u << 10);
}

/* Of all events' numbers and texts; 0: of no text. */
static uint64_t read_all(const char *folder, bool wants, enum way way, uint64_t *events)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct ctf *t = ctf_open(&e, folder);
	struct reader *r = (struct reader *)t;
	const struct ctf_event *event;
	uint64_t sum = 0, others;
	int slots[2] = { -1, -1 };

	REQUIRE(t && t->n_streams == 1);
	if (wants) {
		slots[0] = ctf_want(t, t->classes[1], CTF_PAYLOAD, "n");
		slots[1] = ctf_want(t, t->classes[1], CTF_PAYLOAD, "text");
	}
	go_way(r, way);
	others = r->windows_bytes;
	ctf_begin(t, &(struct ctf_options){ 0 });
	for (*events = 0; (event = ctf_next(t)); (*events)++) {
		struct str s;

		CHECK_EQ(event->time_ns, *events);
		if (!wants || event->class != t->classes[1])
			continue;
		s = ctf_value(event, slots[1])->text;
		sum = sum * 31 + hash_bytes(s.p, s.n) + ctf_value(event, slots[0])->u;
	}
	CHECK_EQ(t->n_notes, 0);
	CHECK_EQ(r->windows_bytes, others);
	ctf_close(t);
	arena_fini(&a);
	return sum;
}

TEST(packets_read_by_pieces_are_the_mapped_ones)
{
	uint32_t n = 0, state = 7;
	uint64_t events, mapped;
	struct buf data = { 0 };
	char folder[256], stream[300];

	made_folder("windows", metadata, folder, stream);
	for (int i = 0; i < PACKETS; i++)
		put_packet(&data, &n, &state);
	made_write(stream, data.p, data.n);
	buf_fini(&data);
	for (int wants = 0; wants < 2; wants++) {
		mapped = read_all(folder, wants, MAPPED, &events);
		CHECK_EQ(events, n);
		CHECK_EQ(mapped != 0, wants);
		for (enum way way = WINDOW; way < WAYS; way++) {
			CHECK_EQ(read_all(folder, wants, way, &events), mapped);
			CHECK_EQ(events, n);
		}
	}
}

/* Of most of them only a map is kept. */
TEST(more_files_than_may_be_open)
{
	enum { FILES = 40, EACH = 10 };
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct rlimit whole, few;
	char folder[256], stream[300], path[320];
	struct buf data = { 0 };
	struct ctf *t;
	int n = 0;

	made_folder("files", metadata, folder, stream);
	made_packet_begin(&data, 0);
	for (uint32_t i = 0; i < EACH; i++) {
		made_event(&data, 0, i);
		made_put(&data, i, 4);
	}
	made_packet_end(&data, 0, data.n, data.n);
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s_%c%c", stream, 'a' + i / 10, 'a' + i % 10);
		made_write(path, data.p, data.n);
	}
	buf_fini(&data);
	REQUIRE(!getrlimit(RLIMIT_NOFILE, &whole));
	few = (struct rlimit){ .rlim_cur = 24, .rlim_max = whole.rlim_max };
	REQUIRE(!setrlimit(RLIMIT_NOFILE, &few));
	t = ctf_open(&e, folder);
	REQUIRE(t && t->n_streams == FILES);
	for (ctf_begin(t, &(struct ctf_options){ 0 }); ctf_next(t); n++)
		;
	CHECK_EQ(n, FILES * EACH);
	CHECK_EQ(t->n_notes, 0);
	ctf_close(t);
	CHECK(!setrlimit(RLIMIT_NOFILE, &whole));
	arena_fini(&a);
}

/* Of what a share did not take or read to its end, nothing is left for the reader. */
TEST(share_that_stops_early)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	uint32_t n = 0, state = 7, seen = 0;
	char folder[256], stream[300], path[320];
	struct buf data = { 0 };
	struct ctf *t, *share;

	made_folder("stops", metadata, folder, stream);
	for (int i = 0; i < 3; i++) {
		buf_clear(&data);
		put_packet(&data, &n, &state);
		snprintf(path, sizeof(path), "%s_%d", stream, i);
		made_write(path, data.p, data.n);
	}
	buf_fini(&data);
	t = ctf_open(&e, folder);
	REQUIRE(t && t->n_streams == 3);
	ctf_begin(t, &(struct ctf_options){ .any_order = true });
	share = ctf_share(t);
	while (seen < 10 && ctf_next(share))
		seen++;
	ctf_unshare(t, &share, 1);
	CHECK_EQ(seen, 10);
	CHECK(!ctf_next(t));
	ctf_begin(t, &(struct ctf_options){ .any_order = true });
	for (seen = 0; ctf_next(t);)
		seen++;
	CHECK_EQ(seen, n);
	CHECK_EQ(((struct reader *)t)->windows_bytes, 0);
	ctf_close(t);
	arena_fini(&a);
}
