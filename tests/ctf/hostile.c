/* Traces that are broken: what can be read is read, and one line says what is wrong. */
#include "test.h"

#include "ctf/impl.h"

static char *read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "re");
	char *text = xmalloc(1 << 20);

	*bytes = f ? fread(text, 1, 1 << 20, f) : 0;
	if (f)
		fclose(f);
	return text;
}

struct seed {
	char *metadata, *packets;
	size_t metadata_bytes, packet_bytes;
};

static struct seed seed_open(const char *name)
{
	struct seed s;
	char path[256];

	snprintf(path, sizeof(path), "tests/fuzz/corpus/ctf_metadata/%s", name);
	s.metadata = read_file(path, &s.metadata_bytes);
	snprintf(path, sizeof(path), "tests/fuzz/corpus/ctf_packets/%s", name);
	s.packets = read_file(path, &s.packet_bytes);
	return s;
}

static void seed_close(struct seed *s)
{
	free(s->metadata);
	free(s->packets);
}

/* How many events; each is printed, too. */
static int read_events(struct ctf *t)
{
	const struct ctf_event *e;
	struct buf out = { 0 };
	int n = 0;

	ctf_begin(t, &(struct ctf_options){ 0 });
	while ((e = ctf_next(t))) {
		ctf_print_event(t, e, &out);
		n++;
	}
	buf_fini(&out);
	return n;
}

/* The metadata with exactly `bytes` bytes, so that a read past its end is found. */
static struct ctf *open_exact(const char *metadata, size_t bytes, const void *data, size_t data_bytes)
{
	char *copy = xmalloc(bytes + 1);
	struct ctf *t;

	memcpy(copy, metadata, bytes);
	t = reader_open_bytes((struct str){ copy, (int)bytes }, data, data_bytes);
	free(copy);
	return t;
}

static void cut_metadata(const char *name)
{
	struct seed s = seed_open(name);
	int with_events = 0;

	REQUIRE(s.metadata_bytes > 100 && s.packet_bytes > 20);
	for (size_t n = 0; n < s.metadata_bytes; n++) {
		struct ctf *t = open_exact(s.metadata, n, s.packets + 1, s.packet_bytes - 1);

		with_events += read_events(t) > 0;
		CHECK(t->n_notes <= 3);
		ctf_close(t);
	}
	/* Only the last block has the event. */
	CHECK(with_events < 10);
	seed_close(&s);
}

TEST(metadata_cut_at_each_byte)
{
	cut_metadata("tsdl");
	cut_metadata("json");
}

static void cut_packet(const char *name)
{
	struct seed s = seed_open(name);

	for (size_t n = 1; n < s.packet_bytes; n++) {
		char *copy = xmalloc(n);
		struct ctf *t;

		memcpy(copy, s.packets + 1, n);
		t = reader_open_bytes((struct str){ s.metadata, (int)s.metadata_bytes }, copy, n);
		CHECK(read_events(t) <= 1);
		CHECK(t->n_notes <= 2);
		if (n < s.packet_bytes - 1)
			CHECK(t->n_notes >= 1);
		ctf_close(t);
		free(copy);
	}
	seed_close(&s);
}

TEST(packet_cut_at_each_byte)
{
	cut_packet("tsdl");
	cut_packet("json");
}

TEST(seed_reads)
{
	struct seed s = seed_open("tsdl");
	struct ctf *t = reader_open_bytes((struct str){ s.metadata, (int)s.metadata_bytes },
					  s.packets + 1, s.packet_bytes - 1);

	CHECK_EQ(read_events(t), 1);
	CHECK_EQ(t->n_notes, 0);
	ctf_close(t);
	seed_close(&s);
}

/* Classes of fields that LTTng does not write: LEB128, UTF-16, optional, bit maps, blobs. */
TEST(ctf2_classes)
{
	struct seed s = seed_open("json");
	struct ctf *t = reader_open_bytes((struct str){ s.metadata, (int)s.metadata_bytes },
					  s.packets + 1, s.packet_bytes - 1);
	const struct ctf_event *e;
	struct buf out = { 0 };

	ctf_begin(t, &(struct ctf_options){ 0 });
	e = ctf_next(t);
	REQUIRE(e);
	ctf_print_event(t, e, &out);
	CHECK_STR(out.p, "[5.000000012] h e: { a = 2, s = \"a\303\251\", d = \"hi\", o = { -2.5 }, "
		  "v = { true }, m = 0x8 (F), n = [ [0] = ( \"k\" : container = -3 ), "
		  "[1] = ( \"k\" : container = 2 ), [2] = ( <unknown> : container = 9 ) ], "
		  "b = [ 0xAB, 0xCD ] }\n");
	CHECK(!ctf_next(t));
	CHECK_EQ(t->n_notes, 0);
	buf_fini(&out);
	ctf_close(t);
	seed_close(&s);
}

/* Only what is wanted is read; each slot has its own field. */
TEST(wanted_fields)
{
	struct seed s = seed_open("tsdl");
	struct ctf *t = reader_open_bytes((struct str){ s.metadata, (int)s.metadata_bytes },
					  s.packets + 1, s.packet_bytes - 1);
	int text, number, cpu, none;
	const struct ctf_event *e;

	REQUIRE(t->n_classes == 1);
	text = ctf_want(t, t->classes[0], CTF_PAYLOAD, "s");
	number = ctf_want(t, t->classes[0], CTF_PAYLOAD, "e");
	cpu = ctf_want(t, t->classes[0], CTF_PACKET_CONTEXT, "cpu_id");
	none = ctf_want(t, t->classes[0], CTF_PAYLOAD, "nothing");
	ctf_begin(t, &(struct ctf_options){ 0 });
	e = ctf_next(t);
	REQUIRE(e);
	CHECK(ctf_value(e, text)->has && str_is(ctf_value(e, text)->text, "hey"));
	CHECK_EQ(ctf_value(e, number)->i, -1);
	CHECK_EQ(ctf_value(e, cpu)->u, 1);
	CHECK_EQ(none, -1);
	CHECK(!ctf_value(e, none)->has);
	ctf_close(t);
	seed_close(&s);
}

/* The first note of a trace of this metadata and data. */
static void expect_note(const char *metadata, const void *data, size_t bytes, const char *want)
{
	struct ctf *t = reader_open_bytes(str_of(metadata), data, bytes);

	read_events(t);
	if (t->n_notes < 1 || !strstr(t->notes[0], want))
		TEST_FAIL("'%s' and not '%s'", t->n_notes ? t->notes[0] : "nothing", want);
	ctf_close(t);
}

#define STREAM "typealias integer { size = 8; } := u8; typealias integer { size = 64; } := u64;" \
	"trace { byte_order = le; packet.header := struct { integer { size = 32; } magic; }; };"

TEST(clear_words)
{
	static const uint8_t wrong[64] = { 1, 2, 3, 4 };
	uint8_t magic[64] = { 0xc1, 0x1f, 0xfc, 0xc1 };

	expect_note(STREAM "stream { };", wrong, 64, "magic");
	expect_note("typealias a := b; typealias b := a;", "", 0, "no type 'a'");
	expect_note("struct a { struct a b; };", "", 0, "no type 'struct a'");
	expect_note(STREAM "stream { }; event { id = 0; fields := struct { u8 x[n]; u8 n; }; };",
		    "", 0, "'n'");
	expect_note("typealias integer { size = 65; } := x;", "", 0, "1 to 64 bits");
	expect_note("trace { ", "", 0, "ends in the middle");
	expect_note(STREAM "stream { }; event { id = 3; name = a; fields := struct { u8 x; }; };"
		    "event { id = 3; name = b; fields := struct { u64 x; }; };", "", 0,
		    "event class 'b' has the id 3, which 'a' has");
	expect_note(STREAM "stream { }; event { id = 70000; name = a; }; event { id = 70000; name = b; };",
		    "", 0, "event class 'b' has the id 70000, which 'a' has");
	expect_note(STREAM "stream { id = 1; }; stream { id = 1; };", "", 0, "a stream of this id already");
	expect_note("clock { name = a; }; clock { name = a; };", "", 0, "a clock of this name already");
	expect_note("{\"type\":\"preamble\",\"version\":2}\036"
		    "{\"type\":\"clock-class\",\"id\":\"a\",\"frequency\":9}\036"
		    "{\"type\":\"clock-class\",\"id\":\"a\",\"frequency\":9}", "", 0,
		    "a second clock class of id 'a'");
	expect_note("{\"type\":\"preamble\",\"version\":3}", "", 0, "version");
	expect_note("{\"type\":\"preamble\",\"version\":2,\"extensions\":{\"x\":{\"y\":1}}}", "", 0,
		    "extension");
	expect_note("{\"type\":\"preamble\",\"version\":2}\036{\"type\":\"trace-class\"}\036"
		    "{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":\"b\"}\036"
		    "{\"type\":\"field-class-alias\",\"name\":\"b\",\"field-class\":\"a\"}", "", 0,
		    "'b'");
	/* A sequence of 2^60 elements: it does not fit, so it is not read. */
	magic[4 + 7] = 0x10;
	expect_note(STREAM "stream { }; event { fields := struct { u64 n; u8 x[n]; }; };", magic, 64,
		    "go past the end");
	expect_note(STREAM "stream { }; event { fields := struct { u64 n; struct { } x[n]; string s[n]; }; };",
		    magic, 64, "go past the end");
	expect_note(STREAM "stream { }; event { fields := struct { }; };", magic, 64, "no size");
	magic[4] = 9;
	expect_note(STREAM "stream { }; event { fields := struct { enum : u8 { A, B } tag; "
		    "variant <tag> { u8 A; u64 B; } v; }; };", magic, 64, "selector selects nothing");
	memset(magic + 4, 0xff, 60);
	expect_note("{\"type\":\"preamble\",\"version\":2}\036{\"type\":\"data-stream-class\"}\036"
		    "{\"type\":\"event-record-class\",\"payload-field-class\":{\"type\":\"structure\","
		    "\"member-classes\":[{\"name\":\"x\",\"field-class\":"
		    "{\"type\":\"variable-length-unsigned-integer\"}}]}}", magic + 4, 60,
		    "more than 64 bits");
}

TEST(clock_overflows)
{
	uint8_t data[32] = { 0xc1, 0x1f, 0xfc, 0xc1 };

	memset(data + 4, 0xff, 28);
	expect_note(STREAM "clock { name = c; freq = 1000; };"
		    "typealias integer { size = 64; map = clock.c.value; } := t64;"
		    "stream { event.header := struct { t64 timestamp; }; };"
		    "event { fields := struct { u8 x; }; };", data, 32, "does not fit");
}

/* Said once, and no event is before the one before it, whenever it is read. */
TEST(time_goes_back)
{
	static const uint8_t times[] = { 5, 3, 4, 6, 2 }, given[] = { 5, 5, 5, 6, 6 };
	static const char metadata[] = STREAM "clock { name = c; };"
		"typealias integer { size = 64; map = clock.c.value; } := t64;"
		"stream { event.header := struct { t64 timestamp; }; };"
		"event { fields := struct { u8 x; }; };";
	uint8_t data[4 + 5 * 9] = { 0xc1, 0x1f, 0xfc, 0xc1 };
	const struct ctf_event *e;
	struct ctf *t;

	for (int i = 0; i < 5; i++)
		data[4 + i * 9] = times[i];
	t = open_exact(metadata, sizeof(metadata) - 1, data, sizeof(data));
	for (int turn = 0; turn < 2; turn++) {
		ctf_begin(t, &(struct ctf_options){ 0 });
		for (int i = 0; i < 5; i++) {
			e = ctf_next(t);
			REQUIRE(e);
			CHECK_EQ(e->time_ns, given[i]);
		}
		CHECK(!ctf_next(t));
		CHECK_EQ(t->n_notes, 1);
		CHECK(strstr(t->notes[0], "time goes back by 0.000000002 s"));
	}
	ctf_close(t);
}

TEST(nesting_is_bounded)
{
	struct buf b = { 0 };

	for (int i = 0; i < 1000; i++)
		buf_puts(&b, "struct { ");
	expect_note(b.p, "", 0, "deep");
	buf_clear(&b);
	/* Each structure has two of the last one: 2^60 fields. */
	buf_puts(&b, "typealias integer { size = 8; } := u8; struct s0 { u8 a; u8 b; };");
	for (int i = 1; i < 25; i++)
		buf_printf(&b, "struct s%d { struct s%d a; struct s%d b; };", i, i - 1, i - 1);
	buf_puts(&b, "stream { }; event { fields := struct s24; };");
	expect_note(b.p, "", 0, "too many");
	buf_fini(&b);
}
