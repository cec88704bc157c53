/*
 * The recorded traces cut off: at each byte of their metadata and of each stream's first
 * packet, and at 10,000 seeded places elsewhere (`make test`: one in eight of both). What stands before the cut is read as if
 * nothing were cut, one line says so, and nothing behind it is touched. test: early
 */
#include "test.h"

#include <sanitizer/asan_interface.h>
#include <unistd.h>

#include "base/buf.h"
#include "ctf/tsdl.h"

#define PLACES 10000
#define STEP 8
#define PLACES_ONE_IN 1000	/* bytes: so that there are so many */
#define GUARD_BYTES 256		/* behind a cut nothing is touched */

static const char *const names[] = { "compact", "ctxrich", "rotsess", "small", "snapshot",
				     "ust-host", "ust-pid", "net", "sched", "web" };
#define NAMES (int)(sizeof(names) / sizeof(*names))

/* The trace's folder, unpacked; NULL: there are no traces here. */
static const char *unpack(struct arena *a, const char *name)
{
	const char *folder = getenv("TRACES"), *tmp = getenv("TMP"), *path;

	folder = folder ? folder : "../shared/traces";
	if (access(folder, R_OK))
		return NULL;
	path = arena_printf(a, "%s/%s", tmp ? tmp : "/tmp", name);
	REQUIRE(!system(arena_printf(a, "mkdir -p %s && tar -xJf %s/%s.tar.xz -C %s", path, folder,
				     name, path)));
	return path;
}

/* ---- metadata ---- */

/* Without white space and a comment before it. */
static struct str strip(struct str s)
{
	const char *end;

	while (s.n && strchr(" \t\n", s.p[0]))
		s = str_sub(s, 1, -1);
	end = str_has_prefix(s, "/*") ? memmem(s.p, (size_t)s.n, "*/", 2) : NULL;
	return end ? strip(str_sub(s, (int)(end + 2 - s.p), -1)) : s;
}

/* The bytes up to the end of the block that begins at `at`. */
static int block_bytes(struct str text, int at)
{
	bool quoted = false;
	int depth = 0, i;

	for (i = at; i < text.n; i++) {
		char c = text.p[i];

		quoted ^= c == '"';
		depth += quoted ? 0 : (c == '{') - (c == '}');
		if (c == ';' && !depth && !quoted)
			return i + 1 - at;
	}
	return i - at;
}

/* A parser that stands behind some blocks, with a part of the next one. */
static void parse_part(const struct tsdl *before, struct str part)
{
	struct arena a = { 0 };
	struct ctf_trace trace = *before->meta->trace;
	struct ctf_meta m = *before->meta;
	struct tsdl p = *before;
	char *exact = xmalloc((size_t)part.n);

	memcpy(exact, part.p, (size_t)part.n);
	m.arena = &a;
	m.trace = &trace;
	p.meta = &m;
	p.names = &p.global;
	p.integers = p.bodies = (struct tsdl_known){ 0 };
	p.lex = (struct tsdl_lex){ .arena = &a, .text = { exact, part.n }, .line = 1 };
	tsdl_blocks(&p);
	CHECK_EQ(m.classes.n, before->meta->classes.n);
	if (!m.error != !strip(part).n)
		TEST_FAIL("%s: %.*s", m.error ? m.error : "no error", part.n, part.p);
	tsdl_forget(&p.integers);
	tsdl_forget(&p.bodies);
	free(exact);
	arena_fini(&a);
}

/* All of it from the first block on: aliases, clocks, streams are not too many. */
static void parse_whole(struct str text, int whole_blocks)
{
	char *exact = xmalloc((size_t)text.n);
	struct ctf *t;

	memcpy(exact, text.p, (size_t)text.n);
	t = reader_open_bytes((struct str){ exact, text.n }, "", 0);
	CHECK_EQ(t->n_notes, strip(str_sub(text, whole_blocks, -1)).n > 0);
	ctf_close(t);
	free(exact);
}

/* Blocks that differ only in numbers are cut once. */
static struct str without_digits(struct arena *a, struct str s)
{
	char *out = arena_alloc(a, (size_t)s.n + 1);
	int n = 0;

	for (int i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			out[n++] = s.p[i];
	return (struct str){ out, n };
}

static uint64_t cut_metadata(const char *path, struct arena *a, struct map *seen)
{
	struct ctf_trace trace = { 0 };
	struct ctf_meta m = { .arena = a, .trace = &trace };
	struct tsdl p;
	const char *why;
	bool cut = false;
	size_t bytes;
	struct str text = { metadata_text(a, path, &bytes, &why, &cut), 0 };
	uint64_t cuts = 0;
	int n, step = test_step(STEP);

	REQUIRE(text.p && !cut);
	text.n = (int)bytes;
	tsdl_open(&p, &m, text);
	for (int at = 0; at < text.n; at += n) {
		struct str block;
		bool is_event;
		void **known;

		n = block_bytes(text, at);
		block = str_sub(text, at, n);
		is_event = str_has_prefix(strip(block), "event ");
		known = map_put_str(a, seen, without_digits(a, block));
		for (int k = 1; !*known && k < n; k += step, cuts++)
			is_event ? parse_part(&p, str_sub(block, 0, k)) :
				parse_whole(str_sub(text, 0, at + k), at);
		*known = seen;
		p.lex = (struct tsdl_lex){ .arena = a, .text = block, .line = 1 };
		tsdl_blocks(&p);
		CHECK(!p.failed);
	}
	tsdl_forget(&p.integers);
	tsdl_forget(&p.bodies);
	return cuts;
}

TEST(metadata_cut_at_each_byte)
{
	struct arena a = { 0 };
	struct map seen = { 0 };
	uint64_t cuts = 0;

	for (int i = 0; i < NAMES; i++) {
		const char *folder = unpack(&a, names[i]);
		struct ctf *t;
		struct err e = { .arena = &a };

		if (!folder)
			SKIP("no ../shared/traces");
		t = ctf_open(&e, folder);
		REQUIRE(t);
		for (int k = 0; k < t->n_traces; k++)
			cuts += cut_metadata(arena_printf(&a, "%s/metadata", t->traces[k]->path), &a,
					     &seen);
		ctf_close(t);
	}
	CHECK(cuts > 300000 / (uint64_t)test_step(STEP));
	printf("# %llu cuts\n", (unsigned long long)cuts);
	arena_fini(&a);
}

/* ---- packets ---- */

/* A cut to be tried the whole way through the reader, from the packet's head on. */
struct place {
	struct stream *s;
	int file;
	uint64_t packet_at, at;
	int events;			/* of that packet that stand before it */
};

struct cuts {
	struct reader *r;
	struct arena arena;
	uint64_t random, tried, seeded;
	VEC(struct place) places;
};

static bool one_in(struct cuts *c, uint64_t n)
{
	c->random = c->random * 6364136223846793005u + 1442695040888963407u;
	return (c->random >> 33) % n == 0;
}

/* Is this byte a place to cut at? */
static bool wanted(struct cuts *c, bool each_byte)
{
	uint64_t n = (each_byte ? 1 : PLACES_ONE_IN) * (uint64_t)test_step(STEP);

	return n == 1 || one_in(c, n);
}

/* Files become memory that ends where they end. */
static void copy_files(struct reader *r, struct stream *s)
{
	for (int i = 0; i < s->files.n; i++) {
		struct ctf_file *f = &s->files.v[i];
		uint8_t *copy = xmalloc(f->bytes);

		memcpy(copy, f->map, f->bytes);
		file_close(r, f);
		f->map = copy;
		f->mapped_bytes = 0;
		f->fd = -1;
	}
}

static void free_files(struct stream *s)
{
	for (int i = 0; i < s->files.n; i++)
		free((void *)s->files.v[i].map);
}

static void poison(const uint8_t *guard, uint64_t left)
{
	ASAN_POISON_MEMORY_REGION(guard, left < GUARD_BYTES ? left : GUARD_BYTES);
}

static void unpoison(const uint8_t *guard, uint64_t left)
{
	ASAN_UNPOISON_MEMORY_REGION(guard, left < GUARD_BYTES ? left : GUARD_BYTES);
}

/* The stream's next event, of whatever is next in the others. */
static bool next_of(struct reader *r, struct stream *s)
{
	r->heap[0] = s;
	r->n_heap = 1;
	r->given = true;
	r->turn = r->streams.n;
	return ctf_next(&r->pub);
}

/* No event follows `before` when the file ends at this byte of the packet. */
static void cut_event(struct cuts *c, struct stream *s, const struct stream *before, uint64_t at)
{
	struct stream now = *s;
	uint64_t left = s->bits.mapped_bytes - at;
	const uint8_t *guard = s->bits.base + at;

	*s = *before;
	s->bits.mapped_bytes = at;
	s->bits.end = s->end = at * 8;
	s->noted = true;
	poison(guard, left);
	if (next_of(c->r, s))
		TEST_FAIL("%s: an event that ends behind byte %llu", s->pub.path,
			  (unsigned long long)at);
	unpoison(guard, left);
	*s = now;
	c->tried++;
}

static void add_place(struct cuts *c, const struct stream *s, uint64_t at, int events)
{
	const struct ctf_file *f = s->file;
	struct place p = { (struct stream *)s, (int)(f - s->files.v), s->packet_at,
			   s->packet_at + at, events };

	vec_push(&c->arena, &c->places, p);
}

/* The packet whose first event s gave: each event of it, cut at each of its bytes or some. */
static void cut_packet(struct cuts *c, struct stream *s, bool each_byte)
{
	struct stream before = *s;
	uint64_t begin = s->event_at / 8;

	before.bits.pos = s->event_at;
	before.cycles = s->last.role[ROLE_TIME];
	for (uint64_t at = 0; at < begin; at++)
		if (wanted(c, each_byte))
			add_place(c, s, at, 0);
	for (int events = 0;; events++) {
		uint64_t end = (s->bits.pos + 7) / 8;

		for (uint64_t at = begin; at < end; at++) {
			if (!wanted(c, each_byte))
				continue;
			c->seeded += !each_byte;
			cut_event(c, s, &before, at);
			if (one_in(c, each_byte ? 20000 : 40))
				add_place(c, s, at, events);
		}
		begin = end;
		before = *s;
		if (s->bits.pos >= s->bits.end || !next_of(c->r, s))
			break;
	}
}

static void cut_stream(struct cuts *c, struct stream *s)
{
	bool *more = arena_array(&c->arena, bool, s->files.n);

	for (int n = 0; next_of(c->r, s); n++) {
		for (int i = 0; i < s->files.n; i++) {
			more[i] = s->files.v[i].has_next;
			s->files.v[i].has_next = false;
		}
		cut_packet(c, s, n == 0);
		for (int i = 0; i < s->files.n; i++)
			s->files.v[i].has_next = more[i];
	}
}

/* The file ends there: what stood before comes, and one line. */
static void cut_file(struct cuts *c, const struct place *p)
{
	struct ctf_file *f = &p->s->files.v[p->file], whole = *f;
	uint64_t left = whole.bytes - p->at;
	int events = 0;

	ctf_begin(&c->r->pub, &(struct ctf_options){ .any_order = true });
	for (int i = 0; i < p->s->files.n; i++)
		p->s->files.v[i].has_next = false;
	c->r->notes.n = c->r->pub.n_notes = 0;
	p->s->noted = f->noted = f->cut_noted = false;
	f->bytes = p->at;
	f->next = p->packet_at;
	poison(f->map + p->at, left);
	file_peek(c->r, p->s->group, p->s, f);
	while (next_of(c->r, p->s))
		events++;
	unpoison(f->map + p->at, left);
	CHECK_EQ(events, p->events);
	CHECK_EQ(c->r->pub.n_notes, p->at > p->packet_at);
	if (p->events && c->r->pub.n_notes && !strstr(c->r->pub.notes[0], "is cut off"))
		TEST_FAIL("%s", c->r->pub.notes[0]);
	f->bytes = whole.bytes;
	c->tried++;
}

static void want_all(struct ctf *t)
{
	for (int i = 0; i < t->n_classes; i++)
		for (int s = CTF_STREAM_CONTEXT; s < CTF_SCOPES; s++) {
			const struct ctf_type *type = t->classes[i]->scopes[s];

			for (int k = 0; type && k < type->n_members; k++)
				ctf_want(t, t->classes[i], s, type->members[k].name);
		}
}

static void cut_trace(struct cuts *c, const char *folder)
{
	struct err e = { .arena = &c->arena };
	struct ctf *t = ctf_open(&e, folder);

	REQUIRE(t);
	c->r = (struct reader *)t;
	c->places.n = 0;
	want_all(t);
	for (int i = 0; i < c->r->streams.n; i++)
		copy_files(c->r, c->r->streams.v[i]);
	ctf_begin(t, &(struct ctf_options){ .any_order = true });
	for (int i = 0; i < c->r->streams.n; i++)
		cut_stream(c, c->r->streams.v[i]);
	for (int i = 0; i < c->places.n; i++)
		cut_file(c, &c->places.v[i]);
	for (int i = 0; i < c->r->streams.n; i++)
		free_files(c->r->streams.v[i]);
	ctf_close(t);
}

TEST(packets_cut_at_bytes)
{
	struct cuts c = { .random = 6 };

	for (int i = 0; i < NAMES; i++) {
		const char *folder = unpack(&c.arena, names[i]);

		if (!folder)
			SKIP("no ../shared/traces");
		cut_trace(&c, folder);
	}
	printf("# %llu cuts, %llu of them at seeded places\n", (unsigned long long)c.tried,
	       (unsigned long long)c.seeded);
	CHECK(c.seeded >= (uint64_t)(PLACES / test_step(STEP)));
	arena_fini(&c.arena);
}
